import type { JsonObject } from "../json.ts";
import type { KeyScopes } from "../realm/caller.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract.ts";

/** `_svc.users`. Times are RFC 3339, UTC, milliseconds, here and below. */
export interface UserRecord {
  readonly id: string;
  /** As its owner writes it. */
  readonly email: string;
  /** As addresses compare; unique. */
  readonly email_key: string;
  readonly email_verified: boolean;
  /** Argon2id, PHC form. */
  readonly password: string;
  readonly roles: readonly string[];
  readonly disabled: boolean;
  readonly locale: string | null;
  readonly profile: JsonObject | null;
  readonly created_at: string;
  /** Sessions of another generation have ended: raising it ends all of a user's sessions in one write. */
  readonly generation: number;
}

/** `_svc.sessions`. */
export interface SessionRecord {
  /** SHA-256 of the token. */
  readonly id: string;
  /** The session's id, which clients see. */
  readonly session: string;
  readonly user: string;
  /** The user's when the session began. */
  readonly generation: number;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
  readonly user_agent: string | null;
  readonly address: string;
}

/** `_svc.keys`. */
export interface KeyRecord {
  /** SHA-256 of the key. */
  readonly id: string;
  /** The key's id, which administrators see. */
  readonly key: string;
  readonly name: string;
  readonly admin: boolean;
  /** Null: everything. */
  readonly scopes: KeyScopes | null;
  /** Null: from everywhere. */
  readonly networks: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
}

/** `_svc.audit`: appended to, never changed. */
export interface AuditRecord {
  readonly id: string;
  readonly at: string;
  /** `<kind of target>.<what was done>`. */
  readonly action: string;
  /** `user:<id>`, `key:<name>`, or `command-line`. */
  readonly actor: string;
  /** `user:<id>` or `key:<name>`. */
  readonly target: string;
  readonly address: string | null;
  readonly request_id: string | null;
  /** Facts about the change, never content. */
  readonly details: JsonObject;
}

/** A record with the version it was read at. */
export interface Read<Record> {
  readonly record: Record;
  readonly version: number;
}

export function readUser(document: StoredDocument): Read<UserRecord> {
  return { record: JSON.parse(document.text), version: document.version };
}

export function readSession(document: StoredDocument): Read<SessionRecord> {
  return { record: JSON.parse(document.text), version: document.version };
}

export function readKey(document: StoredDocument): Read<KeyRecord> {
  return { record: JSON.parse(document.text), version: document.version };
}

export function writeUser(record: UserRecord, version: number): DocumentWrite {
  return write(record, version, record.created_at);
}

/** The store forgets a session when it expires. */
export function writeSession(record: SessionRecord, version: number): DocumentWrite {
  return { ...write(record, version, record.created_at), purgeAt: Date.parse(record.expires_at) };
}

export function writeKey(record: KeyRecord, version: number): DocumentWrite {
  return write(record, version, record.created_at);
}

export function writeAudit(record: AuditRecord): DocumentWrite {
  return write(record, 1, record.at);
}

function write(record: { readonly id: string }, version: number, createdAt: string): DocumentWrite {
  return { id: record.id, version, text: JSON.stringify(record), createdAt: Date.parse(createdAt) };
}
