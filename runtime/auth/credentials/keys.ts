import { ApiError } from "../../errors.ts";
import { eq } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import { contains } from "../../http/address.ts";
import { kept } from "../../kept.ts";
import type { Along } from "../../realm/along.ts";
import type { Caller } from "../../realm/caller.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { collections, keyFields } from "../collections.ts";
import { findOne } from "../matching.ts";
import { readAlong, userStep } from "./along.ts";
import { RecordCache } from "./cache.ts";
import { KeyUse } from "./key-use.ts";
import type { LiveUser } from "./live.ts";
import { boundCaller, type KnownKey, knownKey, type LiveKey } from "./live-keys.ts";

type Realm = Pick<RealmInstance, "definition" | "store" | "clock" | "background" | "log">;

/** Whether a key is good at an address. */
export function isWithin({ networks }: Pick<LiveKey, "networks">, address: string): boolean {
  return networks === undefined || contains(networks, address);
}

/** The key that the one of the step before was before a rotation. */
const successorStep = {
  collection: collections.keys,
  key: keyFields.key,
  value: { step: 0, field: keyFields.former },
  limit: 1,
} as const;

/** Whom the key of the first step always acts for. */
const subject = { step: 0, field: keyFields.subject } as const;

/** Finds who comes by an API key. */
export class KeyResolver {
  readonly #realm: Realm;
  readonly #users: RecordCache<LiveUser> | undefined;
  readonly #keys: RecordCache<KnownKey>;
  readonly #use: KeyUse;

  /** @param users undefined: the realm has no accounts */
  constructor(realm: Realm, users: RecordCache<LiveUser> | undefined) {
    this.#realm = realm;
    this.#users = users;
    this.#keys = new RecordCache(realm.store, collections.keys, (document) =>
      knownKey(document, realm.definition),
    );
    this.#use = new KeyUse(realm);
  }

  /**
   * The caller whose key has this hash; undefined when it is unknown or over, or whom it acts for is gone. Answers at once
   * where what it rests on is in memory; on a shared store one command reads it. Counts as a use of the key.
   * It throws (or rejects with) ApiError `forbidden` when the request comes from a network that is not the key's.
   */
  resolve(hash: string, exchange: Exchange, along?: Along): Caller | undefined | Promise<Caller | undefined> {
    const key = this.#keys.peek(hash);
    if (key === undefined || key.kind === "former") return this.#load(hash, exchange, along);
    if (key.user === undefined) return this.#caller(key, undefined, exchange);
    const owner = this.#users?.peek(key.user);
    return owner === undefined ? this.#load(hash, exchange, along) : this.#caller(key, owner, exchange);
  }

  async #load(hash: string, exchange: Exchange, along: Along | undefined): Promise<Caller | undefined> {
    if (!this.#keys.keeps) return this.#read(hash, exchange, along);
    const found = this.#keys.peek(hash) ?? (await this.#keys.load(hash));
    const key = found?.kind === "former" ? await this.#successor(found) : found;
    if (key === undefined) return undefined;
    const { user } = key;
    const owner =
      user === undefined ? undefined : (this.#users?.peek(user) ?? (await this.#users?.load(user)));
    return this.#caller(key, owner, exchange);
  }

  async #successor(former: KnownKey & { readonly kind: "former" }): Promise<LiveKey | undefined> {
    const document = await findOne(this.#realm.store, collections.keys, eq(keyFields.key, former.of));
    return document && until(this.#keys.of(document), former.expires);
  }

  async #read(hash: string, exchange: Exchange, along: Along | undefined): Promise<Caller | undefined> {
    const step = { collection: collections.keys, key: documentFields.id, value: hash, limit: 1 };
    const own = [step, successorStep, ...(this.#users === undefined ? [] : [userStep(subject)])];
    const [found, successor, owner] = await readAlong(this.#realm.store, own, subject, along);
    const first = found && this.#keys.of(found);
    const key =
      first?.kind === "former" ? successor && until(this.#keys.of(successor), first.expires) : first;
    return key && this.#caller(key, owner && this.#users?.of(owner), exchange);
  }

  #caller(key: LiveKey, owner: LiveUser | undefined, exchange: Exchange): Caller | undefined {
    const { caller, enabled, user, service } = key;
    const now = this.#realm.clock.now();
    if (!enabled || caller.expires <= now) return undefined;
    if (user !== undefined && (owner === undefined || owner.disabled)) return undefined;
    if (!isWithin(key, exchange.address)) {
      throw new ApiError("forbidden", "This API key may not be used from this network.");
    }
    this.#use.note(key, exchange.address, now);
    return owner === undefined || user === undefined ? (service ?? caller) : boundCaller(key, owner);
  }
}

const ending = new WeakMap<LiveKey, Map<number, LiveKey>>();

/** A key under a former token, which ends before it; the very same again. */
function until(key: KnownKey, expires: number): LiveKey | undefined {
  if (key.kind === "former") return undefined;
  if (key.caller.expires <= expires) return key;
  return kept(
    kept(ending, key, () => new Map<number, LiveKey>()),
    expires,
    () => {
      const caller = { ...key.caller, expires };
      const service = key.service && {
        ...key.service,
        credential: { ...key.service.credential, key: caller },
      };
      return { ...key, caller, ...(service && { service }) };
    },
  );
}

/** The key of this id, whose record may be read anew. */
export async function findKey(
  { store }: Pick<RealmInstance, "store">,
  id: string,
): Promise<StoredDocument | undefined> {
  return findOne(store, collections.keys, eq(keyFields.key, id));
}
