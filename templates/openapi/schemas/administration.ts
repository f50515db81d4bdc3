import type { Realm } from "../../../compiler/model/model.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { adminAreas } from "../../../runtime/realm/administration.ts";
import { addPage, closed, timestamp } from "./common.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** The schemas of the administration that every realm has. */
export interface AdministrationSchemas {
  readonly keys: Ref;
  readonly newKey: Ref;
  readonly madeKey: Ref;
  readonly check: Ref;
}

export function administrationSchemas(
  pool: SchemaPool,
  realm: Realm,
  errorDetail: Ref,
): AdministrationSchemas {
  const key = keyMembers(pool, realm);
  const { id, name, ...rest } = key.answered;
  const token = { type: "string", description: "`svk_…`, shown this once." };
  const entry = pool.add("ApiKey", closed(key.answered));
  return {
    keys: addPage(pool, "ApiKeyPage", entry),
    newKey: pool.add("NewApiKey", closed(key.asked, ["name"])),
    madeKey: pool.add("MadeApiKey", closed({ id, name, key: token, ...rest })),
    check: pool.add(
      "DocumentCheck",
      closed({
        checked: { type: "integer", minimum: 0 },
        invalid: { type: "integer", minimum: 0 },
        documents: {
          type: "array",
          description: "The first 100 that do not fit.",
          maxItems: 100,
          items: closed({ id: { type: "string" }, details: { type: "array", items: errorDetail } }),
        },
      }),
    ),
  };
}

const areas = { type: "array", items: { type: "string", enum: [...adminAreas] } };

/** Of an API key: as it is asked for and as it is answered. */
function keyMembers(
  pool: SchemaPool,
  realm: Realm,
): { readonly asked: JsonObject; readonly answered: JsonObject } {
  const { auth } = realm;
  const networks = {
    type: ["array", "null"],
    items: { type: "string" },
    minItems: 1,
    maxItems: 100,
    description: "Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere.",
  };
  const expires_at = { ...timestamp, type: ["string", "null"], description: "Null: never." };
  const on_behalf_of = {
    type: "boolean",
    description: auth
      ? "Whether it may act for users, by `X-Svc-On-Behalf-Of`."
      : "Of no effect: this realm has no users.",
  };
  const scopes = scopesSchema(pool, realm);
  const answered = {
    id: { type: "string" },
    name: { type: "string" },
    scopes: pool.add("StoredScopes", { ...scopes, ...anyScopes }),
    admin: { anyOf: [{ type: "boolean" }, areas], description: "True: everything; or some areas." },
    networks,
    expires_at,
    on_behalf_of,
    created_at: timestamp,
  };
  return {
    answered,
    asked: {
      name: {
        type: "string",
        minLength: 1,
        maxLength: 100,
        description:
          "Unique in the realm, without control characters and without space at its ends. What the key writes names it: `key:<name>`.",
      },
      scopes,
      admin: {
        anyOf: [{ type: "boolean" }, areas, { type: "null" }],
        description: "What it administers, nothing when left out; only full administrators give any of it.",
      },
      networks,
      expires_at,
      // One that was made while the realm had users may have it still.
      on_behalf_of: { ...on_behalf_of, ...(!auth && { enum: [false] }) },
    },
  };
}

/** Stored scopes may name what the configuration no longer has. */
const anyScopes = ((): JsonObject => {
  const granted = { anyOf: [{ const: "*" }, { type: "array", items: { type: "string" } }] };
  return { properties: { read: granted, write: granted, call: granted } };
})();

function scopesSchema(pool: SchemaPool, { databases }: Realm): JsonObject {
  const wholes = databases.map(({ name }) => name);
  const collections = databases.flatMap(({ name, collections: own }) =>
    own.map((collection) => `${name}/${collection.name}`),
  );
  const granted = (targets: readonly string[]): JsonObject => ({
    anyOf: [
      { const: "*" },
      {
        type: "array",
        maxItems: targets.length === 0 ? 0 : 1_000,
        items: { type: "string", ...(targets.length > 0 && { enum: [...targets] }) },
      },
    ],
  });
  const documents = pool.add("DocumentScope", granted([...wholes, ...collections]));
  return {
    type: ["object", "null"],
    // There are no functions yet: only whole databases can be named.
    properties: { read: documents, write: documents, call: granted(wholes) },
    additionalProperties: false,
    description:
      "What it may do: on everything, or on databases and collections named; `{}`: nothing; null: everything, and no administration.",
  };
}
