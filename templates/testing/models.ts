/** Models made by hand, for the tests of emitters. */

import type { Span } from "../../compiler/diagnostics/diagnostic.ts";
import type { Collection, DeclaredField, Organizations, Realm } from "../../compiler/model/model.ts";
import type { Schema } from "../../compiler/schema/place.ts";
import type { JsonObject } from "../../runtime/json.ts";

const span: Span = { file: "shop/realm.yaml", line: 1, column: 1, endLine: 1, endColumn: 1 };

export function schemaOf(
  path: string,
  document: JsonObject,
  others: Record<string, JsonObject> = {},
): Schema {
  const files = [
    { path, document },
    ...Object.entries(others).map(([other, value]) => ({ path: other, document: value })),
  ];
  return { path, pointer: "", document, files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

export function declaredField(path: string, further: Partial<DeclaredField> = {}): DeclaredField {
  return { path, kinds: ["string"], arrays: [], scalar: true, nullable: false, span, ...further };
}

export function collectionOf(
  realm: string,
  database: string,
  name: string,
  further: Partial<Collection> = {},
): Collection {
  const folder = `${realm}/${database}/${name}`;
  return {
    realm,
    database,
    name,
    span,
    sources: [`${folder}/collection.yaml`, `${folder}/schema.json`],
    schema: schemaOf(`${folder}/schema.json`, { type: "object" }),
    fields: [],
    indexes: [],
    rules: {},
    fieldRules: [],
    references: [],
    ...further,
  };
}

export function realmOf(
  name: string,
  collections: readonly Collection[],
  further: Partial<Realm> = {},
): Realm {
  const databases = [...new Set(collections.map(({ database }) => database))].sort();
  return {
    name,
    span,
    auth: false,
    signup: "closed",
    signupLimit: { address: { limit: 10, period: 3_600_000 }, network: { limit: 100, period: 3_600_000 } },
    roles: [],
    defaultRoles: [],
    origins: [],
    sessions: {
      lifetime: 2_592_000_000,
      idleTimeout: 604_800_000,
      adminIdleTimeout: 900_000,
      adminMaxLifetime: 28_800_000,
    },
    totp: false,
    tokens: false,
    tokenLimits: { maxLifetime: 31_536_000_000 },
    admin: { readAccess: [] },
    appConfig: {},
    openapi: "public",
    databases: databases.map((database) => ({
      name: database,
      collections: collections.filter((collection) => collection.database === database),
    })),
    migrations: "start",
    functions: [],
    inputs: [{ path: `${name}/realm.yaml`, meaning: "0".repeat(64), value: {} }],
    ...further,
  };
}

export const organizations: Organizations = {
  roles: [
    { name: "member", manage: [] },
    { name: "owner", manage: ["org"] },
  ],
  creatorRoles: ["owner"],
  defaultRoles: ["member"],
  teamRoles: [],
  membersVisibleTo: "members",
  membersShow: [],
  allowRequireMfa: false,
  keys: false,
  invitationsSignUp: true,
  invitationMail: { names: true },
  maxTeamsPerOrg: 50,
  maxTeamsPerMember: 20,
  maxPendingInvitations: 500,
};

const inSales = { database: "sales", span };

/** A realm with one collection that uses everything and one that uses nothing. */
export function shop(): Realm {
  const address: JsonObject = {
    $defs: {
      postal: {
        type: "object",
        description: "Where the post goes.",
        properties: { city: { type: "string" }, street: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
  };
  const orders = collectionOf("shop", "sales", "orders", {
    sources: ["collection.yaml", "indexes.json", "schema.json"].map((file) => `shop/sales/orders/${file}`),
    schema: schemaOf(
      "shop/sales/orders/schema.json",
      {
        type: "object",
        description: "What a customer has ordered.",
        required: ["number", "status"],
        additionalProperties: false,
        properties: {
          number: { type: "integer", minimum: 1 },
          status: { enum: ["open", "paid", "sent"] },
          note: { type: ["string", "null"], maxLength: 500 },
          due_at: { type: "string", format: "date-time", "x-svc-store": "date" },
          address: { $ref: "../../_shared/address.json#/$defs/postal" },
          lines: {
            type: "array",
            maxItems: 100,
            items: {
              type: "object",
              required: ["sku"],
              properties: {
                sku: { type: "string", pattern: "^[a-z0-9-]+$" },
                ready_on: { type: "string", format: "date", "x-svc-store": "date" },
              },
            },
          },
          tags: { type: "array", items: { type: "string" }, uniqueItems: true },
        },
      },
      { "shop/_shared/address.json": address },
    ),
    fields: [
      declaredField("address", { kinds: ["object"] }),
      declaredField("address.city"),
      declaredField("due_at", { kinds: ["date-time"] }),
      declaredField("lines", { kinds: ["object"], arrays: ["lines"], scalar: false }),
      declaredField("lines.ready_on", { kinds: ["date"], arrays: ["lines"] }),
      declaredField("lines.sku", { arrays: ["lines"] }),
      declaredField("note", { nullable: true }),
      declaredField("number", { kinds: ["integer"] }),
      declaredField("status", { values: ["open", "paid", "sent"] }),
      declaredField("tags", { arrays: ["tags"], scalar: false }),
    ],
    indexes: [
      {
        name: "status_due_at",
        fields: [
          { path: "status", descending: false },
          { path: "due_at", descending: true },
        ],
        unique: false,
        span,
      },
      { name: "number", fields: [{ path: "number", descending: false }], unique: true, span },
    ],
    text: {
      fields: [
        { path: "note", weight: 10 },
        { path: "lines.sku", weight: 1 },
      ],
      defaultLanguage: "en",
      languageField: "address.city",
      span,
    },
    references: [
      { ...inSales, name: "buyer", collection: "notes", field: "_meta.owner", key: "id", many: false },
      {
        ...inSales,
        name: "labels",
        collection: "notes",
        field: "tags",
        key: "id",
        many: true,
        maxExpand: 20,
      },
    ],
    aggregate: {
      groupBy: ["status", "_meta.created_at"],
      metrics: [{ path: "number", functions: ["sum", "distinct"] }],
      span,
    },
    expand: { maxDepth: 1, maxDocs: 500, span },
    publicCache: { maxAge: 60, span },
    realtime: { span },
    softDelete: { retention: 2_592_000_000 },
    customId: { pattern: "^[a-z0-9-]+$", duplicateLimit: 20, span },
    files: [
      { name: "papers", accept: ["*/*"], maxSize: 52_428_800, maxFiles: 10, upload: "direct", span },
      {
        name: "photo",
        accept: ["image/png", "image/jpeg"],
        maxSize: 5_242_880,
        maxFiles: 1,
        upload: "proxy",
        versions: { large: { width: 1600, fit: "inside" }, thumb: { width: 200, height: 200, fit: "cover" } },
        span,
      },
    ],
  });
  return realmOf("shop", [collectionOf("shop", "sales", "notes"), orders], {
    auth: true,
    signup: "open",
    roles: [
      { name: "boss", admin: true },
      { name: "clerk" },
      { name: "guard", admin: ["audit", "data"] },
      { name: "support", admin: "read" },
    ],
    totp: true,
    tokens: true,
    tokenLimits: {
      maxLifetime: 7_776_000_000,
      scopes: { read: "*", write: ["sales/orders"], admin: ["users"] },
    },
    email: { from: '"Shop, the" <shop@example.com>', resetLink: "https://shop.example.com/#{token}" },
    admin: { allowedNetworks: ["10.0.0.0/8", "::1"], readAccess: ["users"] },
    profile: {
      path: "shop/realm.yaml",
      pointer: "/profile",
      document: { profile: { type: "object", properties: { name: { type: "string" } } } },
      files: [
        {
          path: "shop/realm.yaml",
          document: { profile: { type: "object", properties: { name: { type: "string" } } } },
        },
      ],
    },
    origins: ["https://shop.example.com"],
    appConfig: { trial_days: 14 },
    realtime: { limits: { maxStreamsPerCaller: 3, bufferBytes: 65_536 }, span },
    storage: {
      driver: { kind: "s3", bucket: "shop-files", region: "eu-central-1", pathStyle: false },
      quota: 10_737_418_240,
      span,
    },
  });
}
