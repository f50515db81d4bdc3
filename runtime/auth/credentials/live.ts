import type { Administration } from "../../realm/administration.ts";
import type { RuleUser, SessionCaller } from "../../realm/caller.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { collections } from "../collections.ts";
import { readSession, readUser } from "../records.ts";
import { administrationOfRoles, heldRoles, ruleUser } from "../users.ts";
import { RecordCache } from "./cache.ts";

/** A session as it is checked on every request: times in epoch milliseconds. */
export interface LiveSession {
  /** SHA-256 of its token: the id of its record. */
  readonly hash: string;
  /** Its id, which clients see. */
  readonly id: string;
  readonly user: string;
  readonly generation: number;
  readonly lastUsed: number;
  readonly expires: number;
  readonly proved: number;
  readonly administered: number;
  /** A second factor was used. */
  readonly mfa: boolean;
  /** Who sent the last request, kept so that nothing is made anew for the next. */
  caller: { readonly owner: LiveUser; readonly caller: SessionCaller } | undefined;
}

export function liveSession(document: StoredDocument): LiveSession {
  const { record } = readSession(document);
  return {
    hash: record.id,
    id: record.session,
    user: record.user,
    generation: record.generation,
    lastUsed: Date.parse(record.last_used_at),
    expires: Date.parse(record.expires_at),
    proved: Date.parse(record.proved_at),
    administered: Date.parse(record.administered_at),
    mfa: record.mfa,
    caller: undefined,
  };
}

/** A user as it is checked on every request. */
export interface LiveUser {
  /** As rules see them without a second factor. */
  readonly user: RuleUser;
  /** As rules see them in a session that used one. */
  readonly verified: RuleUser;
  readonly actor: `user:${string}`;
  readonly disabled: boolean;
  /** Has a second factor. */
  readonly enrolled: boolean;
  readonly generation: number;
  readonly administration: Administration | undefined;
}

/** The users of a realm, as far as they are in memory. */
export function liveUsers(
  { store }: Pick<RealmInstance, "store">,
  accounts: AccountSettings,
): RecordCache<LiveUser> {
  return new RecordCache(store, collections.users, (document) => liveUser(document, accounts));
}

export function liveUser(document: StoredDocument, accounts: AccountSettings): LiveUser {
  const { record } = readUser(document);
  const { id, disabled, generation, totp } = record;
  const user = ruleUser(record, accounts, false);
  return {
    user,
    verified: totp === null ? user : ruleUser(record, accounts, true),
    actor: `user:${id}`,
    disabled,
    enrolled: totp !== null,
    generation,
    administration: administrationOfRoles(heldRoles(record, accounts), accounts),
  };
}
