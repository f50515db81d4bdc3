import { createHash, randomUUID } from "node:crypto";
import type { Collection } from "mongodb";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine } from "../engine.ts";
import { bookkeeping } from "../layout.ts";
import type { FieldDeclaration } from "./declarations.ts";

/** Milliseconds after which an instance that was not heard of counts as gone. */
const GONE_AFTER = 60_000;

/** What an instance makes of one collection. */
export interface DeclaredCollection {
  readonly name: string;
  readonly fields: readonly FieldDeclaration[];
  /** Names, as the database knows them. */
  readonly indexes: readonly string[];
  readonly feed: CollectionShape["feed"];
}

interface InstanceDocument {
  readonly _id: string;
  /** By the server's clock, as everything about instances: their own ones differ. */
  readonly seen: Date;
  /** Of the collections. */
  readonly fingerprint: string;
  readonly collections: readonly DeclaredCollection[];
}

/**
 * The instances that run on a realm, each with what it declares. During a rolling upgrade, when some declare other things
 * than others, nobody drops what another one uses, and nobody relies on what another one does not keep to.
 */
export class Instances {
  readonly #engine: Engine;
  readonly #id = randomUUID();
  readonly #instances: Collection<InstanceDocument>;
  #own: readonly DeclaredCollection[] = [];
  /** What others declare, by fingerprint. */
  readonly #others = new Map<string, readonly DeclaredCollection[]>();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#instances = engine.database.collection(bookkeeping.instances);
  }

  /** Tells the others what this instance declares, and forgets those that are gone. */
  async declare(collections: readonly DeclaredCollection[]): Promise<void> {
    this.#own = [...collections].sort((a, b) => (a.name < b.name ? -1 : 1));
    const values = {
      seen: "$$NOW",
      fingerprint: { $literal: fingerprintOf(this.#own) },
      collections: { $literal: this.#own },
    };
    const { queryTime: maxTimeMS } = this.#engine;
    await this.#instances.updateOne({ _id: this.#id }, [{ $set: values }], { upsert: true, maxTimeMS });
    await this.#instances.deleteMany({ $expr: { $lte: ["$seen", ago(10 * GONE_AFTER)] } }, { maxTimeMS });
  }

  /** Tells the others that this instance runs still. */
  async beat(): Promise<void> {
    const { queryTime: maxTimeMS } = this.#engine;
    const { matchedCount } = await this.#instances.updateOne(
      { _id: this.#id },
      [{ $set: { seen: "$$NOW" } }],
      { maxTimeMS },
    );
    if (matchedCount === 0) await this.declare(this.#own);
  }

  /** What the others that run declare, each declaration once; none that is the same as this one's. */
  async rivals(): Promise<readonly (readonly DeclaredCollection[])[]> {
    const filter = { _id: { $ne: this.#id }, $expr: { $gt: ["$seen", ago(GONE_AFTER)] } };
    const { queryTime: maxTimeMS } = this.#engine;
    const running = await this.#instances
      .find(filter, { projection: { fingerprint: 1 }, maxTimeMS })
      .toArray();
    const others = new Set(running.map(({ fingerprint }) => fingerprint));
    others.delete(fingerprintOf(this.#own));
    for (const known of this.#others.keys()) if (!others.has(known)) this.#others.delete(known);
    for (const fingerprint of others) {
      if (this.#others.has(fingerprint)) continue;
      const found = await this.#instances.findOne({ fingerprint }, { maxTimeMS });
      if (found !== null) this.#others.set(fingerprint, found.collections);
    }
    return [...this.#others.values()];
  }

  async leave(): Promise<void> {
    await this.#instances.deleteOne({ _id: this.#id }, { maxTimeMS: this.#engine.queryTime });
  }
}

const ago = (milliseconds: number) => ({ $subtract: ["$$NOW", milliseconds] });

function fingerprintOf(collections: readonly DeclaredCollection[]): string {
  return createHash("sha256").update(JSON.stringify(collections)).digest("hex").slice(0, 16);
}
