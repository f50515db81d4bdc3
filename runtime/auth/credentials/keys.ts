import { ApiError } from "../../errors.ts";
import { documentFields } from "../../filter/fields.ts";
import { contains, type Network, parseNetwork } from "../../http/address.ts";
import { kept } from "../../kept.ts";
import { administrationOf } from "../../realm/administration.ts";
import type { KeyCaller, UserCaller } from "../../realm/caller.ts";
import type { Along, Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { collections } from "../collections.ts";
import { readKey } from "../records.ts";
import { readAlong } from "./along.ts";
import { RecordCache } from "./cache.ts";
import type { LiveUser } from "./live.ts";

/** An API key as it is checked on every request. */
interface LiveKey {
  readonly caller: KeyCaller;
  /** Undefined: from everywhere. */
  readonly networks: readonly Network[] | undefined;
}

export function liveKey(document: StoredDocument): LiveKey {
  const { key, name, scopes, admin, networks, expires_at, on_behalf_of } = readKey(document).record;
  return {
    caller: {
      kind: "key",
      actor: `key:${name}`,
      keyId: key,
      scopes: scopes ?? undefined,
      administration: admin === false ? undefined : administrationOf([admin], []),
      delegates: on_behalf_of,
      expires: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
    },
    networks: networks?.map(parseNetwork).filter((network) => network !== undefined),
  };
}

/** Whether a key is good at an address. */
export function isWithin({ networks }: Pick<LiveKey, "networks">, address: string): boolean {
  return networks === undefined || contains(networks, address);
}

/** Finds API keys. */
export class KeyResolver {
  readonly #clock: RealmInstance["clock"];
  readonly #store: RealmInstance["store"];
  readonly #keys: RecordCache<LiveKey>;

  constructor({ store, clock }: Pick<RealmInstance, "store" | "clock">) {
    this.#clock = clock;
    this.#store = store;
    this.#keys = new RecordCache(store, collections.keys, liveKey);
  }

  /**
   * The caller whose key has this hash; undefined when it is unknown or over. Answers at once where the key is in memory.
   * It throws (or rejects with) ApiError `forbidden` when the request comes from a network that is not the key's.
   */
  resolve(
    hash: string,
    exchange: Exchange,
    along?: Along,
  ): KeyCaller | undefined | Promise<KeyCaller | undefined> {
    const key = this.#keys.peek(hash);
    return key === undefined ? this.#load(hash, exchange, along) : this.#caller(key, exchange);
  }

  async #load(hash: string, exchange: Exchange, along: Along | undefined): Promise<KeyCaller | undefined> {
    const isAlone = along === undefined || this.#keys.keeps;
    const key = isAlone ? await this.#keys.load(hash) : await this.#read(hash, along);
    return key === undefined ? undefined : this.#caller(key, exchange);
  }

  async #read(hash: string, along: Along | undefined): Promise<LiveKey | undefined> {
    const step = { collection: collections.keys, key: documentFields.id, value: hash, limit: 1 };
    const [key] = await readAlong(this.#store, [step], undefined, along);
    return key === undefined ? undefined : this.#keys.of(key);
  }

  #caller(key: LiveKey, exchange: Exchange): KeyCaller | undefined {
    const { caller } = key;
    if (caller.expires <= this.#clock.now()) return undefined;
    if (!isWithin(key, exchange.address)) {
      throw new ApiError("forbidden", "This API key may not be used from this network.");
    }
    return caller;
  }
}

/** Callers by key and user, as long as the records that both were read from stand. */
const delegates = new WeakMap<KeyCaller, WeakMap<LiveUser, UserCaller>>();

/** A key that acts for a user: the user, without a second factor and without administration (spec: Authentication 5). */
export function delegateOf(key: KeyCaller, user: LiveUser): UserCaller {
  const ofKey = kept(delegates, key, () => new WeakMap<LiveUser, UserCaller>());
  return kept(ofKey, user, () => ({
    kind: "user",
    actor: user.actor,
    user: user.user,
    credential: { kind: "key", key },
  }));
}
