import type { JsonObject } from "../json.ts";
import type { Sealed } from "../sealing.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";

/** `_svc.users`. Times are RFC 3339, UTC, milliseconds, here and below. */
export interface UserRecord {
  readonly id: string;
  /** As its owner writes it. */
  readonly email: string;
  /** As addresses compare; unique. */
  readonly email_key: string;
  readonly email_verified: boolean;
  /** Argon2id, PHC form; null until a user whom an administrator made has chosen one. */
  readonly password: string | null;
  readonly roles: readonly string[];
  readonly disabled: boolean;
  readonly locale: string | null;
  readonly profile: JsonObject | null;
  readonly created_at: string;
  /** Sessions of another generation have ended: raising it ends all of a user's sessions in one write. */
  readonly generation: number;
  /** The second factor; null: none. */
  readonly totp: TotpRecord | null;
  /** A second factor that is being enrolled, until a code of it confirms it. */
  readonly totp_pending: Sealed | null;
}

/** A time-based one-time password (RFC 6238: SHA-1, 6 digits, 30 seconds). */
export interface TotpRecord {
  /** Of its base32 form; the context is the user's id. */
  readonly secret: Sealed;
  /** The time step of the last code that was accepted: none is accepted twice. */
  readonly step: number;
  /** SHA-256 of the recovery codes that are left. */
  readonly recovery: readonly string[];
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
  /** It began, or went on, with a second factor. */
  readonly mfa: boolean;
  /** When its user last proved who they are: at its beginning, or by `/reauth`. */
  readonly proved_at: string;
  /** When it last administered: its beginning, its last proof or a use of `_admin`, whichever is the latest. */
  readonly administered_at: string;
}

/** `_svc.tokens`: what mails and `/reauth` hand out. At most one of each purpose for a user, and for a session. */
export interface TokenRecord {
  /** SHA-256 of the token. */
  readonly id: string;
  readonly purpose: "verify" | "reset" | "email" | "proof";
  readonly user: string;
  /** `<purpose>:<user>`, or `proof:<session>`; unique, so that a newer one ends the older. */
  readonly slot: string;
  /** The address, as written, that the mail went to; null for proofs. */
  readonly email: string | null;
  /** What it rests on of its user; it is over when that has changed. */
  readonly basis: string;
  readonly created_at: string;
  readonly expires_at: string;
}

/** `_svc.invitations`: to the realm. Kept when they are over, so that lists show what became of them. */
export interface InvitationRecord {
  readonly id: string;
  /** SHA-256 of the token. */
  readonly token: string;
  /** Whoever signs up must have this address; null: anybody, or somebody whose account is deleted. */
  readonly email: string | null;
  readonly roles: readonly string[];
  readonly created_at: string;
  /** `user:<id>` or `key:<name>`. */
  readonly created_by: string;
  readonly expires_at: string;
  /** Who signed up with it. */
  readonly accepted_by: string | null;
  readonly revoked: boolean;
}

/** `_svc.throttle`: times of the last failures (or mails) of one key, oldest first. */
export interface ThrottleRecord {
  /** SHA-256 of what is counted. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly times: readonly number[];
  readonly created_at: string;
  readonly expires_at: string;
}

/** `_svc.secrets`. */
export interface SecretRecord {
  /** The secret's name. */
  readonly id: string;
  /** The context is the name. */
  readonly value: Sealed;
  readonly created_at: string;
  readonly updated_at: string;
}

/** `_svc.config`: what administrators replaced of the configuration. */
export interface ConfigRecord {
  readonly id: "app_config";
  /** JSON text. */
  readonly value: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** `_svc.audit`: appended to, never changed. */
export interface AuditRecord {
  readonly id: string;
  readonly at: string;
  /** `<kind of target>.<what was done>`. */
  readonly action: string;
  /** `user:<id>`, `key:<name>`, or `command-line`. */
  readonly actor: string;
  /** `<kind>:<what>`: `user:<id>`, `key:<name>`, `document:<database>/<collection>/<id>`, … */
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

/** A stored record; `readUser` and its like only say which. */
export function readRecord<Record>(document: StoredDocument): Read<Record> {
  return { record: JSON.parse(document.text), version: document.version };
}

/** A record that may have been written before some of its members were known. */
export type Older<Record, Later extends keyof Record> = Omit<Record, Later> & Partial<Pick<Record, Later>>;

/** Users that are older than second factors have none. */
export function readUser(document: StoredDocument): Read<UserRecord> {
  const { record, version } = readRecord<Older<UserRecord, "totp" | "totp_pending">>(document);
  return { record: { ...noFactor, ...record }, version };
}

/** A session that is older than proofs was proved, and administered, when it began. */
export function readSession(document: StoredDocument): Read<SessionRecord> {
  const { record, version } =
    readRecord<Older<SessionRecord, "mfa" | "proved_at" | "administered_at">>(document);
  const { created_at: proved_at } = record;
  return { record: { mfa: false, proved_at, administered_at: proved_at, ...record }, version };
}

const noFactor = { totp: null, totp_pending: null };

export const readToken = readRecord<TokenRecord>;
export const readInvitation = readRecord<InvitationRecord>;
export const readThrottle = readRecord<ThrottleRecord>;
export const readSecret = readRecord<SecretRecord>;
export const readConfig = readRecord<ConfigRecord>;
export const readAudit = readRecord<AuditRecord>;

/** Those that stay, listed by when they were made; as {@link readRecord}, the others only say which. */
export function writeKept<Record extends { readonly id: string; readonly created_at: string }>(
  record: Record,
  version: number,
): DocumentWrite {
  return writeRecord(record, version, record.created_at);
}

export const writeUser = writeKept<UserRecord>;
export const writeInvitation = writeKept<InvitationRecord>;
export const writeSecret = writeKept<SecretRecord>;
export const writeConfig = writeKept<ConfigRecord>;

/** The store forgets them when they expire. */
function writePassing<
  Record extends { readonly id: string; readonly created_at: string; readonly expires_at: string },
>(record: Record, version: number): DocumentWrite {
  return { ...writeKept(record, version), purgeAt: Date.parse(record.expires_at) };
}

export const writeSession = writePassing<SessionRecord>;
export const writeThrottle = writePassing<ThrottleRecord>;

/** Milliseconds for which it is known that a session signed out: an open stream looks every five minutes at least. */
const signedOutFor = 600_000;

/** A session that signed out: deleted, its record empty. */
export function writeSignedOut(
  { id, created_at }: SessionRecord,
  version: number,
  now: number,
): DocumentWrite {
  return { ...writeRecord({ id }, version, created_at), deletedAt: now, purgeAt: now + signedOutFor };
}

export function writeToken(record: TokenRecord): DocumentWrite {
  return writePassing(record, 1);
}

export function writeAudit(record: AuditRecord): DocumentWrite {
  return writeRecord(record, 1, record.at);
}

/** A record as it is stored; `createdAt` is what lists order it by. */
export function writeRecord(
  record: { readonly id: string },
  version: number,
  createdAt: string,
): DocumentWrite {
  return { id: record.id, version, text: JSON.stringify(record), createdAt: Date.parse(createdAt) };
}
