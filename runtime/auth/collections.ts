import { field } from "../filter/fields.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { CollectionShape, IndexShape } from "../store/contract.ts";

/** Names of the system collections of accounts. */
export const collections = {
  users: "_svc.users",
  sessions: "_svc.sessions",
  keys: "_svc.keys",
  audit: "_svc.audit",
} as const;

/** Fields of `_svc.users` that are searched by. */
export const userFields = {
  email_key: field("email_key", "string"),
  roles: field("roles", "string", ["roles"]),
  disabled: field("disabled", "boolean"),
  created_at: field("created_at", "date-time"),
};

/** Fields of `_svc.sessions` that are searched by. */
export const sessionFields = {
  session: field("session", "string"),
  user: field("user", "string"),
  created_at: field("created_at", "date-time"),
  last_used_at: field("last_used_at", "date-time"),
};

/** Fields of `_svc.keys` that are searched by. */
export const keyFields = {
  name: field("name", "string"),
};

/** Names of unique indexes, as a `UniqueViolation` reports them. */
export const uniqueIndexes = { email: "email", keyName: "name" } as const;

function index(name: string, on: IndexShape["keys"][number]["field"], unique: boolean): IndexShape {
  return { name, keys: [{ field: on, descending: false }], unique };
}

const accountShapes: readonly CollectionShape[] = [
  {
    name: collections.users,
    fields: userFields,
    indexes: [index(uniqueIndexes.email, userFields.email_key, true)],
    feed: false,
  },
  {
    name: collections.sessions,
    fields: sessionFields,
    indexes: [index("session", sessionFields.session, true), index("user", sessionFields.user, false)],
    feed: false,
  },
];

const keyShapes: readonly CollectionShape[] = [
  {
    name: collections.keys,
    fields: keyFields,
    indexes: [index(uniqueIndexes.keyName, keyFields.name, true)],
    feed: false,
  },
  { name: collections.audit, fields: {}, indexes: [], feed: false },
];

/** The system collections of a realm: API keys and audit everywhere, users and sessions where there are accounts. */
export function systemCollections(definition: RealmDefinition): CollectionShape[] {
  return definition.accounts === undefined ? [...keyShapes] : [...accountShapes, ...keyShapes];
}
