import type { AdminArea } from "../realm/administration.ts";
import type { TokenScopes } from "../realm/caller.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import { type Older, type Read, readRecord, writeKept, writeRecord } from "./records.ts";

/** `_svc.keys`: one for each key, and one for each that a rotation left to live on for a while. */
export interface KeyRecord {
  /** SHA-256 of the key. */
  readonly id: string;
  /** The key's id, which is shown; a rotation keeps it. */
  readonly key: string;
  /** Unique among operators' keys, among a user's tokens, and among an organization's keys. */
  readonly name: string;
  /** Whose it is; null: an operator's, who acts as nobody else. */
  readonly binding: KeyBinding | null;
  readonly admin: boolean | readonly AdminArea[];
  /** May act for users (`X-Svc-On-Behalf-Of`); `required`: does nothing else. */
  readonly on_behalf_of: boolean | "required";
  /** Null: everything. `admin` in those of personal tokens alone. */
  readonly scopes: TokenScopes | null;
  /** Null: from everywhere. */
  readonly networks: readonly string[] | null;
  /** The first characters of the key; null of one that is older than this. */
  readonly start: string | null;
  readonly created_at: string;
  /** `user:<id>`, `key:<name>` or `command-line`; null of one that is older than this. */
  readonly created_by: string | null;
  readonly expires_at: string | null;
  /** From when on its owner is to be told of its end; null: never, or they were. */
  readonly remind_at: string | null;
}

export type KeyBinding =
  /** A personal token, made by its user. */
  | { readonly kind: "personal"; readonly user: string }
  /** An operator's key that always acts for a user. */
  | { readonly kind: "user"; readonly user: string }
  /** An organization key, made by its members. */
  | { readonly kind: "organization"; readonly org: string }
  /** An operator's key that acts as a service member of an organization. */
  | { readonly kind: "org"; readonly org: string };

/** A key that a rotation replaced, which lives on until `expires_at`. */
export interface FormerKeyRecord {
  /** SHA-256 of the key. */
  readonly id: string;
  /** Id of the key that it was. */
  readonly former: string;
  /** Its own id again: no other record has it. */
  readonly key: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** What every record is searched by beside what it holds. */
interface Searched {
  /** Whose memberships count: the user's, or the service member's, which has the key's id. */
  readonly subject?: string;
  readonly org?: string;
}

/** A tenant's key has no `name` of the realm's, but one of its holder's. */
type StoredKey = Omit<KeyRecord, "name"> & Searched & { readonly name?: string; readonly own_name?: string };

const older = { on_behalf_of: false, binding: null, start: null, created_by: null, remind_at: null } as const;

/** @throws Error for a former key: ask {@link isFormer} where there may be some */
export function readKey(document: StoredDocument): Read<KeyRecord> {
  const { record, version } = readRecord<Older<StoredKey, keyof typeof older>>(document);
  const { own_name, name = nameOf(own_name), subject: _, org: __, ...rest } = record;
  return { record: { ...older, ...rest, name }, version };
}

function nameOf(own: string | undefined): string {
  if (own === undefined) throw new Error("a former key is read as one");
  return own.slice(own.indexOf(" ") + 1);
}

export function writeKey(record: KeyRecord, version: number): DocumentWrite {
  const { name, ...rest } = record;
  const holder = holderOf(record);
  const named = holder === undefined ? { name } : { own_name: ownName(holder, name) };
  return writeKept<StoredKey>({ ...rest, ...named, ...searched(record) }, version);
}

/** A user's, or an organization's, name of a key. */
export function ownName(holder: string, name: string): string {
  return `${holder} ${name}`;
}

/**
 * Of the key of which it is a former one.
 * @param version another than the key had there: whoever read that is not to take this for it
 */
export function writeFormer(key: KeyRecord, now: string, until: string, version: number): DocumentWrite {
  const { id, key: former } = key;
  const record: FormerKeyRecord & Searched = {
    ...{ id, former, key: id, created_at: now, expires_at: until },
    ...searched(key),
  };
  return { ...writeRecord(record, version, now), purgeAt: Date.parse(until) };
}

export type AnyKeyRecord =
  | { readonly kind: "current"; readonly record: KeyRecord }
  | { readonly kind: "former"; readonly record: FormerKeyRecord };

export function readAnyKey(document: StoredDocument): AnyKeyRecord {
  const { record } = readRecord<Partial<FormerKeyRecord>>(document);
  return record.former === undefined
    ? { kind: "current", record: readKey(document).record }
    : { kind: "former", record: readRecord<FormerKeyRecord>(document).record };
}

/** Made by who operates the realm, pinned or not; others are their tenants'. */
export function isOperators(key: Pick<KeyRecord, "binding">): boolean {
  return holderOf(key) === undefined;
}

/** Whom a tenant's key belongs to: the id of a user or of an organization; undefined: it is an operator's. */
function holderOf({ binding }: Pick<KeyRecord, "binding">): string | undefined {
  if (binding?.kind === "personal") return binding.user;
  return binding?.kind === "organization" ? binding.org : undefined;
}

function searched({ key, binding }: Pick<KeyRecord, "key" | "binding">): Searched {
  if (binding === null) return {};
  return "user" in binding ? { subject: binding.user } : { subject: key, org: binding.org };
}

/** `_svc.key_uses`: beside the keys, so that none is read anew because it was used. */
export interface KeyUseRecord {
  /** Id of the key. */
  readonly id: string;
  readonly last_used_at: string;
  readonly last_used_address: string;
  readonly created_at: string;
}

export const readKeyUse = readRecord<KeyUseRecord>;
export const writeKeyUse = writeKept<KeyUseRecord>;
