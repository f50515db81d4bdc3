import type { JsonObject } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { collections } from "./collections.ts";
import { readConfig } from "./records.ts";

/** Milliseconds that a value counts where the store cannot say whether it was replaced. */
const trusted = 1_000;

interface Reading {
  readonly revision: number | undefined;
  readonly value: Promise<JsonObject>;
}

/**
 * What rules read as `appConfig`: the value that an administrator put in place of the configured one, or that one. It is
 * the very same object as long as its text stands, since filters are kept by it. A replacement counts at the next
 * request; where the store is shared, on other instances within a second.
 */
export class LiveAppConfig {
  readonly #realm: Pick<RealmInstance, "definition" | "store" | "clock">;
  #value: JsonObject;
  /** The stored text of the value; undefined: the configured one, or not looked yet. */
  #text: string | undefined;
  /** What the store said when it was read. */
  #revision: number | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Reading | undefined;
  /** Counts readings: only the latest is kept. */
  #turn = 0;

  constructor(realm: Pick<RealmInstance, "definition" | "store" | "clock">) {
    this.#realm = realm;
    this.#value = realm.definition.appConfig;
  }

  /** At once where nothing can have changed. */
  current(): JsonObject | Promise<JsonObject> {
    const revision = this.#realm.store.revision(collections.config);
    return this.#counts(revision) ? this.#value : this.#read(revision);
  }

  /** It was replaced by this process: what was read before, or is being read, counts no longer. */
  replaced(): void {
    this.#revision = undefined;
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#reading = undefined;
    this.#turn += 1;
  }

  #counts(revision: number | undefined): boolean {
    if (revision !== undefined) return revision === this.#revision;
    const age = this.#realm.clock.now() - this.#readAt;
    return age >= 0 && age < trusted;
  }

  /** Requests that come while it is read share the reading, unless it may be too old for them. */
  #read(revision: number | undefined): Promise<JsonObject> {
    if (this.#reading !== undefined && this.#reading.revision === revision) return this.#reading.value;
    this.#turn += 1;
    const turn = this.#turn;
    const value = this.#load(revision, turn).finally(() => {
      if (turn === this.#turn) this.#reading = undefined;
    });
    this.#reading = { revision, value };
    return value;
  }

  async #load(revision: number | undefined, turn: number): Promise<JsonObject> {
    const readAt = this.#realm.clock.now();
    const document = await this.#realm.store.collection(collections.config).get("app_config", "live");
    const text = document === undefined ? undefined : readConfig(document).record.value;
    const value = text === this.#text ? this.#value : this.#parsed(text);
    if (turn === this.#turn) {
      this.#value = value;
      this.#text = text;
      this.#revision = revision;
      this.#readAt = readAt;
    }
    return value;
  }

  #parsed(text: string | undefined): JsonObject {
    return text === undefined ? this.#realm.definition.appConfig : JSON.parse(text);
  }
}
