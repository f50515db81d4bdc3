import { documentFields, type Field, type FieldTable, field } from "../filter/fields.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { CollectionShape, IndexShape } from "../store/contract/shape.ts";

/** Names of the system collections of accounts and administration. */
export const collections = {
  users: "_svc.users",
  sessions: "_svc.sessions",
  tokens: "_svc.tokens",
  invitations: "_svc.invitations",
  throttle: "_svc.throttle",
  keys: "_svc.keys",
  keyUses: "_svc.key_uses",
  secrets: "_svc.secrets",
  config: "_svc.config",
  audit: "_svc.audit",
} as const;

/** What records are searched by, collection by collection. */
export const userFields = {
  email_key: field("email_key", "string"),
  roles: field("roles", "string", ["roles"]),
  disabled: field("disabled", "boolean"),
  created_at: field("created_at", "date-time"),
  /** The key that their second factor is encrypted with. */
  totp_key: field("totp.secret.key", "string"),
  /** That of one that is being enrolled. */
  totp_pending_key: field("totp_pending.key", "string"),
};

export const sessionFields = {
  session: field("session", "string"),
  user: field("user", "string"),
  generation: field("generation", "integer"),
  created_at: field("created_at", "date-time"),
  last_used_at: field("last_used_at", "date-time"),
};

export const tokenFields = {
  slot: field("slot", "string"),
  user: field("user", "string"),
};

export const invitationFields = {
  token: field("token", "string"),
  accepted_by: field("accepted_by", "string"),
  created_at: field("created_at", "date-time"),
};

export const throttleFields = {
  id: field("id", "string"),
};

/** What is not of the record: see `writeKey`. */
export const keyFields = {
  key: field("key", "string"),
  name: field("name", "string"),
  own_name: field("own_name", "string"),
  /** Of former keys: the id of the key. */
  former: field("former", "string"),
  subject: field("subject", "string"),
  org: field("org", "string"),
  kind: field("binding.kind", "string"),
  expires_at: field("expires_at", ["date-time", "null"]),
  remind_at: field("remind_at", ["date-time", "null"]),
  created_at: field("created_at", "date-time"),
};

export const secretFields = {
  id: field("id", "string"),
  /** The key that it is encrypted with. */
  value_key: field("value.key", "string"),
  created_at: field("created_at", "date-time"),
};

export const auditFields = {
  at: field("at", "date-time"),
  action: field("action", "string"),
  actor: field("actor", "string"),
};

/** Names of unique indexes, as a `UniqueViolation` reports them. */
export const uniqueIndexes = {
  email: "email",
  keyName: "name",
  ownKeyName: "own_name",
  tokenSlot: "slot",
  invitationToken: "token",
} as const;

export function index(name: string, on: Field | readonly Field[], unique: boolean): IndexShape {
  const fields = "path" in on ? [on] : on;
  return { name, keys: fields.map((field) => ({ field, descending: false })), unique };
}

/** Finds what was sealed by other keys than the newest, a page after the other. */
function byKey(name: string, key: Field): IndexShape {
  return index(name, [key, documentFields.id], false);
}

export function shape(
  name: string,
  fields: FieldTable,
  indexes: readonly IndexShape[] = [],
): CollectionShape {
  return { name, fields, indexes, feed: false };
}

/**
 * System collections as a realm has them: where documents are followed, changes of these of them are recorded, for what
 * callers may read depends on them. By ids, since there are hashes and addresses in them.
 */
export function withFeed(
  shapes: readonly CollectionShape[],
  followed: ReadonlySet<string>,
  { collections }: RealmDefinition,
): CollectionShape[] {
  if (!collections.some(({ realtime }) => realtime)) return [...shapes];
  return shapes.map((shape) => (followed.has(shape.name) ? { ...shape, feed: "ids" } : shape));
}

const accountShapes: readonly CollectionShape[] = [
  shape(collections.users, userFields, [
    index(uniqueIndexes.email, userFields.email_key, true),
    byKey("totp_key", userFields.totp_key),
    byKey("totp_pending_key", userFields.totp_pending_key),
  ]),
  shape(collections.sessions, sessionFields, [
    index("session", sessionFields.session, true),
    index("user", sessionFields.user, false),
  ]),
  shape(collections.tokens, tokenFields, [
    index(uniqueIndexes.tokenSlot, tokenFields.slot, true),
    index("user", tokenFields.user, false),
  ]),
  shape(collections.invitations, invitationFields, [
    index(uniqueIndexes.invitationToken, invitationFields.token, true),
    index("accepted_by", invitationFields.accepted_by, false),
  ]),
  shape(collections.throttle, throttleFields),
];

/** Of the secrets that administrators keep. */
export const secretShape = shape(collections.secrets, secretFields);

const realmShapes: readonly CollectionShape[] = [
  shape(collections.keys, keyFields, [
    index(uniqueIndexes.keyName, keyFields.name, true),
    index(uniqueIndexes.ownKeyName, keyFields.own_name, true),
    index("key", keyFields.key, true),
    index("former", keyFields.former, false),
    index("subject", keyFields.subject, false),
    index("org", keyFields.org, false),
    index("expires_at", keyFields.expires_at, false),
    index("remind_at", keyFields.remind_at, false),
  ]),
  shape(collections.keyUses, {}),
  secretShape,
  shape(collections.config, {}),
  shape(collections.audit, auditFields, [
    index("action", auditFields.action, false),
    index("actor", auditFields.actor, false),
  ]),
];

/** Callers' access depends on them. */
const followed: ReadonlySet<string> = new Set([
  collections.users,
  collections.sessions,
  collections.keys,
  collections.config,
]);

/** The system collections of a realm: those of administration everywhere, accounts where there are any. */
export function systemCollections(definition: RealmDefinition): CollectionShape[] {
  const shapes = definition.accounts === undefined ? realmShapes : [...accountShapes, ...realmShapes];
  return withFeed(shapes, followed, definition);
}
