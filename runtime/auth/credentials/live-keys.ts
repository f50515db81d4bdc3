import { type Network, parseNetwork } from "../../http/address.ts";
import { kept } from "../../kept.ts";
import { type AdminArea, type Administration, administrationOf } from "../../realm/administration.ts";
import type { BoundCaller, KeyCaller, RuleUser, ServiceCaller, UserCaller } from "../../realm/caller.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { type KeyRecord, readAnyKey } from "../key-records.ts";
import { commonScopes } from "../scopes.ts";
import type { LiveUser } from "./live.ts";

/** An API key as it is checked on every request. */
export interface LiveKey {
  readonly kind: "current";
  /** SHA-256 of the key: the id of its record. */
  readonly hash: string;
  readonly caller: KeyCaller;
  /** Keys of its kind are configured. */
  readonly enabled: boolean;
  /** Undefined: from everywhere. */
  readonly networks: readonly Network[] | undefined;
  /** Whom it always acts for: a user's id. */
  readonly user?: string;
  /** As whom it always acts: the service member of an organization. */
  readonly service?: ServiceCaller;
  /** What of its user's administration it has. */
  readonly areas: readonly AdminArea[];
}

/** What is known by the hash of a key; `of`: the id of the key that it is a former one of. */
export type KnownKey =
  | LiveKey
  | {
      readonly kind: "former";
      readonly of: string;
      /** Epoch milliseconds. */
      readonly expires: number;
    };

export function knownKey(document: StoredDocument, definition: RealmDefinition): KnownKey {
  const found = readAnyKey(document);
  if (found.kind === "current") return liveKey(found.record, definition);
  const { former: of, expires_at } = found.record;
  return { kind: "former", of, expires: Date.parse(expires_at) };
}

export function liveKey(record: KeyRecord, { accounts }: RealmDefinition): LiveKey {
  const { id: hash, key, name, binding, admin, networks, on_behalf_of, created_at, expires_at } = record;
  const { admin: areas = [], ...own } = record.scopes ?? {};
  const { admin: lent = [], ...ceiling } = accounts?.tokens?.scopes ?? {};
  const isCapped = binding?.kind === "personal" && accounts?.tokens?.scopes !== undefined;
  const scopes = record.scopes === null ? undefined : own;
  const caller: KeyCaller = {
    kind: "key",
    actor: `key:${name}`,
    keyId: key,
    scopes: isCapped ? commonScopes(scopes, ceiling) : scopes,
    administration: admin === false ? undefined : administrationOf([admin], []),
    delegates: on_behalf_of,
    expires: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
  };
  return {
    kind: "current",
    hash,
    caller,
    enabled:
      binding?.kind === "personal"
        ? accounts?.tokens?.personal === true
        : binding?.kind !== "organization" || accounts?.organizations?.keys === true,
    networks: networks?.map(parseNetwork).filter((network) => network !== undefined),
    ...(binding !== null && "user" in binding && { user: binding.user }),
    ...(binding !== null && "org" in binding && { service: serviceCaller(caller, binding.org, created_at) }),
    areas: binding?.kind !== "personal" ? [] : isCapped ? areas.filter((area) => lent.includes(area)) : areas,
  };
}

function serviceCaller(key: KeyCaller, org: string, created_at: string): ServiceCaller {
  const { keyId: id, actor } = key;
  const user: RuleUser = {
    id,
    // Nobody's (RFC 2606): equal to no address that somebody has, in no domain that somebody owns.
    email: `${id}@service.invalid`,
    email_verified: false,
    roles: [],
    locale: null,
    mfa: false,
    created_at,
    profile: null,
  };
  return { kind: "user", actor, user, credential: { kind: "service", key, org } };
}

/** Callers by key and user, as long as the records that both were read from stand. */
const bound = new WeakMap<LiveKey, WeakMap<LiveUser, BoundCaller>>();

/** A key that always acts for this user: without a second factor, with what the token was lent of their administration. */
export function boundCaller(key: LiveKey, owner: LiveUser): BoundCaller {
  const ofKey = kept(bound, key, () => new WeakMap<LiveUser, BoundCaller>());
  return kept(ofKey, owner, () => ({
    kind: "user",
    actor: owner.actor,
    user: owner.user,
    credential: {
      kind: "bound",
      key: key.caller,
      enrolled: owner.enrolled,
      administration: lentOf(owner.administration, key.areas),
    },
  }));
}

/** Of an administration these areas alone. */
function lentOf(held: Administration | undefined, areas: readonly AdminArea[]): Administration | undefined {
  if (held === undefined) return undefined;
  const [change, see] = [held.change, held.see].map((all) => new Set(areas.filter((area) => all.has(area))));
  return see === undefined || change === undefined || see.size === 0
    ? undefined
    : { full: false, change, see };
}

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
