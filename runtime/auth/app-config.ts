import { documentFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { Along } from "../realm/along.ts";
import type { AppConfigMark, RealmAppConfig } from "../realm/app-config.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { ChainStep } from "../store/contract/chain.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import { collections } from "./collections.ts";
import { readConfig } from "./records.ts";

type Realm = Pick<RealmInstance, "definition"> & {
  readonly store: Pick<RealmInstance["store"], "revision" | "collection">;
};

/** A reading of the record that is under way. */
interface Reading {
  /** The revision, or the version, that asked for it; undefined: whoever began it shares it with nobody. */
  readonly stand: number | undefined;
  readonly value: Promise<JsonObject>;
}

/**
 * Keeps the value as long as the store's revision stands or, on a shared store, as long as the version that was read with
 * the caller does. A caller without such a version reads the record.
 */
export class LiveAppConfig implements RealmAppConfig {
  readonly #realm: Realm;
  #value: JsonObject;
  /** The stored text of the value; undefined: it is the configured one. */
  #text: string | undefined;
  /** The revision before it was read; on a shared store the version of its record, 0 where there is none. */
  #stand: number | undefined;
  #reading: Reading | undefined;
  /** Counts the readings that were begun. */
  #begun = 0;
  /** The reading that the value is from: one that was begun earlier does not replace it. */
  #from = 0;

  constructor(realm: Realm) {
    this.#realm = realm;
    this.#value = realm.definition.appConfig;
  }

  mark(others?: Along): AppConfigMark | undefined {
    if (this.#revision() !== undefined || !this.#isRead) return undefined;
    return new MarkAlong(others);
  }

  forRules(mark?: Pick<AppConfigMark, "version">): JsonObject | Promise<JsonObject> {
    return this.#isRead ? this.#at(mark?.version) : this.#realm.definition.appConfig;
  }

  current(): JsonObject | Promise<JsonObject> {
    return this.#at(undefined);
  }

  get #isRead(): boolean {
    return this.#realm.definition.readsAppConfig === true;
  }

  #revision(): number | undefined {
    return this.#realm.store.revision(collections.config);
  }

  #at(version: number | undefined): JsonObject | Promise<JsonObject> {
    const revision = this.#revision();
    const stand = revision ?? version;
    return stand !== undefined && stand === this.#stand ? this.#value : this.#read(revision, stand);
  }

  /** Shared by requests that know the same stand: the reading began after one of them learnt it. */
  #read(revision: number | undefined, stand: number | undefined): Promise<JsonObject> {
    if (stand !== undefined && this.#reading?.stand === stand) return this.#reading.value;
    const value = this.#load(revision);
    const reading = { stand, value };
    if (stand === undefined) return value;
    this.#reading = reading;
    return value.finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
  }

  async #load(revision: number | undefined): Promise<JsonObject> {
    this.#begun += 1;
    const turn = this.#begun;
    const document = await this.#realm.store.collection(collections.config).get("app_config", "live");
    const text = document === undefined ? undefined : readConfig(document).record.value;
    const value = text === this.#text ? this.#value : this.#parsed(text);
    if (turn > this.#from) {
      this.#value = value;
      this.#text = text;
      this.#stand = revision ?? document?.version ?? 0;
      this.#from = turn;
    }
    return value;
  }

  #parsed(text: string | undefined): JsonObject {
    return text === undefined ? this.#realm.definition.appConfig : JSON.parse(text);
  }
}

const step: ChainStep = {
  collection: collections.config,
  key: documentFields.id,
  value: "app_config",
  limit: 1,
  versions: true,
};

class MarkAlong implements AppConfigMark {
  version: number | undefined;
  readonly #others: Along | undefined;

  constructor(others: Along | undefined) {
    this.#others = others;
  }

  steps(user: ChainStep["value"] | undefined, at: number): readonly ChainStep[] {
    return [step, ...(this.#others?.steps(user, at + 1) ?? [])];
  }

  found([records = [], ...others]: readonly (readonly StoredDocument[])[]): void {
    this.version = records[0]?.version ?? 0;
    this.#others?.found(others);
  }
}
