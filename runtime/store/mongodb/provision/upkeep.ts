import { setTimeout } from "node:timers/promises";
import { MongoServerError } from "mongodb";
import { oneAtATime } from "../../../one-at-a-time.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine } from "../engine.ts";
import { unlessHeld } from "../exclusively.ts";
import { indexDefinitions } from "../indexes.ts";
import { Leases } from "../leases.ts";
import { declarationsOf, statesOf } from "../states/declarations.ts";
import { type DeclaredCollection, Instances } from "../states/instances.ts";
import type { FieldStates } from "../states/states.ts";
import { forgetImages } from "./collections.ts";
import { makeIndexes } from "./indexes.ts";

/** Milliseconds between two looks at what the other instances do. */
const EVERY = 15_000;

/** Milliseconds that closing waits for the others to be told. */
const FAREWELL = 1_000;

const INDEX_NOT_FOUND = 27;

/** Names of the leases: what is made and dropped, and what is looked at. */
export const leaseNames = { provision: "svc.provision", look: "svc.look" } as const;

/** A collection as this instance has provisioned it. */
export interface KeptCollection {
  readonly shape: CollectionShape;
  readonly states: FieldStates;
  /** Names of the indexes that it wants. */
  wanted: readonly string[];
  /** Those of ours that it does not want. */
  stale: readonly string[];
  /** Whether images are kept for nobody, as far as this instance knows. */
  staleImages: boolean;
}

/**
 * What goes on as long as an instance runs: it tells the others that it does, learns from them what they note and
 * declare, and drops what none of them uses any more.
 */
export class Upkeep {
  readonly instances: Instances;
  readonly #engine: Engine;
  readonly #leases: Leases;
  readonly #collections = new Map<string, KeptCollection>();
  readonly #hear = oneAtATime(() => this.#hearOthers());
  readonly #settle = oneAtATime(() => this.#settleStates());
  readonly #retire = oneAtATime(() => this.#retireUnused());
  #timer: NodeJS.Timeout | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.instances = new Instances(engine);
    this.#leases = new Leases(engine);
  }

  /** Begins with these collections; to be called by who holds the lease for provisioning. */
  async begin(collections: readonly KeptCollection[]): Promise<void> {
    for (const collection of collections) this.#collections.set(collection.shape.name, collection);
    await this.instances.declare(this.#declared());
    await this.#dropUnused();
    this.#timer ??= setInterval(() => {
      // The store cannot be reached, perhaps: then later.
      this.tick().catch(() => undefined);
    }, EVERY).unref();
  }

  /** Tells the others that this instance is gone; they find out by themselves where they cannot be told at once. */
  async end(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const gone = this.instances.leave().catch(() => undefined);
    await Promise.race([gone, setTimeout(FAREWELL, undefined, { ref: false })]);
  }

  /**
   * One look at the others, and what follows from it. Each part of it runs once at a time, and waits for no other one's
   * end: to look at large collections may take long, and the others are to hear of this instance meanwhile.
   */
  async tick(): Promise<void> {
    await this.#hear();
    await Promise.all([this.#settle(), this.#retire()]);
  }

  async #hearOthers(): Promise<void> {
    if (this.#timer === undefined) return;
    await this.instances.beat();
    const rivals = await this.instances.rivals();
    await this.#adopt();
    for (const { shape, states } of this.#collections.values()) {
      const declared = declarationsIn(rivals, shape.name);
      await states.contest(declared.map(({ fields }) => fields));
    }
  }

  async #settleStates(): Promise<void> {
    if (this.#timer === undefined || !this.#some(({ states }) => states.isUnsettled)) return;
    await unlessHeld(this.#leases, leaseNames.look, async () => {
      // One collection after another: it reads them whole.
      for (const { states } of this.#collections.values()) await states.settle();
    });
  }

  async #retireUnused(): Promise<void> {
    if (this.#timer === undefined) return;
    if (this.#some(({ stale, staleImages }) => stale.length > 0 || staleImages))
      await unlessHeld(this.#leases, leaseNames.provision, () => this.#dropUnused());
  }

  /** See `Provisioned.narrowIndexes`. */
  async narrow(name: string): Promise<boolean> {
    const collection = this.#collections.get(name);
    if (collection === undefined || !(await collection.states.noteArrays())) return false;
    const { shape, states } = collection;
    const { wanted } = await makeIndexes(this.#engine, shape, states);
    // Whoever else uses them: nobody could write.
    const wide = indexDefinitions(shape).map((index) => index.name);
    for (const index of wide) if (!wanted.includes(index)) await this.#drop(name, index);
    collection.wanted = wanted;
    await this.instances.declare(this.#declared());
    return true;
  }

  #some(is: (collection: KeptCollection) => boolean): boolean {
    return [...this.#collections.values()].some(is);
  }

  #declared(): DeclaredCollection[] {
    return Array.from(this.#collections.values(), ({ shape, wanted }) => ({
      name: shape.name,
      fields: declarationsOf(shape),
      indexes: wanted,
      feed: shape.feed,
    }));
  }

  /** What others know of the fields. */
  async #adopt(): Promise<void> {
    const irregular = {
      $or: [{ irregular: { $ne: [] } }, { arrays: { $ne: [] } }],
      fields: { $exists: true },
    };
    const states = statesOf(this.#engine).find(irregular, { maxTimeMS: this.#engine.queryTime });
    const byName = new Map((await states.toArray()).map((state) => [state._id, state] as const));
    for (const [name, { states: fields }] of this.#collections) fields.adopt(byName.get(name));
  }

  /** Drops what no instance that runs uses. By who holds the lease for provisioning: nobody makes it meanwhile. */
  async #dropUnused(): Promise<void> {
    const rivals = await this.instances.rivals();
    for (const collection of this.#collections.values()) {
      const declared = declarationsIn(rivals, collection.shape.name);
      const used = new Set(declared.flatMap(({ indexes }) => indexes));
      for (const name of collection.stale) if (!used.has(name)) await this.#drop(collection.shape.name, name);
      collection.stale = collection.stale.filter((name) => used.has(name));
      if (!collection.staleImages || declared.some(({ feed }) => feed === "documents")) continue;
      await forgetImages(this.#engine, collection.shape.name);
      collection.staleImages = false;
    }
  }

  async #drop(collection: string, index: string): Promise<void> {
    try {
      await this.#engine.database.collection(collection).dropIndex(index);
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== INDEX_NOT_FOUND) throw error;
    }
  }
}

/** How each of the rivals declares a collection, if it does. */
export function declarationsIn(
  rivals: readonly (readonly DeclaredCollection[])[],
  collection: string,
): readonly DeclaredCollection[] {
  return rivals.flatMap((rival) => rival.filter(({ name }) => name === collection));
}
