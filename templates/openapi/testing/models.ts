import type { OpenAPIV3_1 } from "openapi-types";
import { declaredFields } from "../../../compiler/model/fields.ts";
import type { Collection, Realm, Reference, RuleName } from "../../../compiler/model/model.ts";
import type { CompiledRule, CompiledRules, RulesStage } from "../../../compiler/rules/compiled.ts";
import type { Condition } from "../../../compiler/rules/form/form.ts";
import type { Schema } from "../../../compiler/schema/place.ts";
/** Small models for the tests of this folder, as `load` and `rules` would make them. */
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";

const span = { file: "realm.yaml", line: 1, column: 1, endLine: 1, endColumn: 1 };

/** Who may satisfy a rule for some document. */
export type Allowed = "everyone" | "anyone" | "users" | "nobody";

export interface CollectionSketch extends Partial<Omit<Collection, "rules" | "fieldRules" | "schema">> {
  readonly schema: JsonObject;
  readonly rules?: Partial<Record<RuleName, Allowed>>;
  /** Paths with a read rule. */
  readonly hidden?: readonly string[];
}

export interface RealmSketch extends Partial<Omit<Realm, "databases" | "profile">> {
  readonly profile?: JsonValue;
  /** Collections by database and name. */
  readonly databases?: Readonly<Record<string, Readonly<Record<string, CollectionSketch>>>>;
  /** Further schema files by path in the realm. */
  readonly files?: Readonly<Record<string, JsonValue>>;
}

export interface Sketched {
  readonly realm: Realm;
  readonly rules: RulesStage;
}

export function sketch({ databases = {}, files = {}, profile, ...realm }: RealmSketch): Sketched {
  const name = realm.name ?? "desk";
  const compiled = new Map<string, CompiledRules>();
  const schemaFiles = new Map(Object.entries(files).map(([path, document]) => [`${name}/${path}`, document]));
  for (const [database, collections] of Object.entries(databases)) {
    for (const [collection, { schema }] of Object.entries(collections)) {
      schemaFiles.set(`${name}/${database}/${collection}/schema.json`, schema);
    }
  }
  const all = [...schemaFiles].map(([path, document]) => ({ path, document }));

  const collectionOf = (database: string, own: string, given: CollectionSketch): Collection => {
    const { schema: document, rules = {}, hidden = [], ...rest } = given;
    compiled.set(`${database}/${own}`, compiledRules(rules, hidden));
    const path = `${name}/${database}/${own}/schema.json`;
    const schema = { path, pointer: "", document, files: all };
    return {
      realm: name,
      database,
      name: own,
      span,
      sources: [path],
      schema,
      fields: declaredFields(schema).fields,
      indexes: [],
      rules: {},
      fieldRules: [],
      references: [],
      ...rest,
    };
  };

  return {
    realm: {
      name,
      span,
      auth: true,
      signup: "open",
      signupLimit: { address: { limit: 10, period: 3_600_000 }, network: { limit: 100, period: 3_600_000 } },
      roles: [],
      defaultRoles: [],
      origins: [],
      sessions: { lifetime: 1000, idleTimeout: 1000, adminIdleTimeout: 1000, adminMaxLifetime: 1000 },
      totp: false,
      tokens: false,
      tokenLimits: { maxLifetime: 1000 },
      admin: { readAccess: [] },
      appConfig: {},
      openapi: "public",
      functions: [],
      migrations: "start",
      inputs: [],
      ...realm,
      ...(profile !== undefined && { profile: profileSchema(name, profile) }),
      databases: Object.entries(databases).map(([database, collections]) => ({
        name: database,
        collections: Object.entries(collections).map(([own, given]) => collectionOf(database, own, given)),
      })),
    },
    rules: { collections: compiled, functions: new Map(), migrations: new Map(), diagnostics: [] },
  };
}

/** A sketched schema at the top of its own file. */
export function schemaOf(document: JsonValue, files: Readonly<Record<string, JsonValue>> = {}): Schema {
  const all = Object.entries({ "schema.json": document, ...files });
  return {
    path: "schema.json",
    pointer: "",
    document,
    files: all.map(([path, content]) => ({ path, document: content })),
  };
}

export const uniqueIndex = {
  name: "number",
  fields: [{ path: "number", descending: false }],
  unique: true,
  span,
};

export function customId(given: Omit<NonNullable<Collection["customId"]>, "span" | "duplicateLimit">): {
  customId: NonNullable<Collection["customId"]>;
} {
  return { customId: { duplicateLimit: 20, span, ...given } };
}

export function text(...fields: readonly string[]): Pick<Collection, "text"> {
  const weighted = fields.map((path) => ({ path, weight: 1 }));
  return { text: { fields: weighted, defaultLanguage: "en", span } };
}

export function aggregate(
  groupBy: readonly string[],
  metrics: NonNullable<Collection["aggregate"]>["metrics"],
): Pick<Collection, "aggregate"> {
  return { aggregate: { groupBy, metrics, span } };
}

export function reference(name: string, collection: string, given: Partial<Reference> = {}): Reference {
  return { name, database: "db", collection, field: name, key: "id", many: false, span, ...given };
}

export function expand(limits: Omit<NonNullable<Collection["expand"]>, "span">): Pick<Collection, "expand"> {
  return { expand: { ...limits, span } };
}

export const realtime = { realtime: { span } };

export const publicCache = { publicCache: { maxAge: 60, span } };

function profileSchema(realm: string, profile: JsonValue): Schema {
  const path = `${realm}/realm.yaml`;
  const document = { profile };
  return { path, pointer: "/profile", document, files: [{ path, document }] };
}

function compiledRules(rules: Partial<Record<RuleName, Allowed>>, hidden: readonly string[]): CompiledRules {
  return {
    rules: Object.fromEntries(Object.entries(rules).map(([name, allowed]) => [name, compiledRule(allowed)])),
    fieldRules: hidden.map((path) => ({ path, read: compiledRule("users") })),
  };
}

/** Descriptions follow from the facts alone. */
const unread: Condition = { kind: "constant", holds: false, at: { start: 0, end: 0 } };

function compiledRule(allowed: Allowed): CompiledRule {
  const constant = allowed === "everyone" ? true : allowed === "nobody" ? false : undefined;
  return {
    text: allowed,
    origin: "desk/db/things/collection.yaml rules",
    written: unread,
    form: { condition: unread, possible: unread },
    facts: {
      constant,
      anonymous: allowed === "everyone" || allowed === "anyone",
      readsClock: false,
      readsAppConfig: false,
      memberships: false,
      documentFields: [],
    },
  };
}

/** What an operation answers with a status. */
export function responseOf(
  { components }: OpenAPIV3_1.Document,
  operation: OpenAPIV3_1.OperationObject | undefined,
  status: number,
): OpenAPIV3_1.ResponseObject | undefined {
  const response = operation?.responses?.[String(status)];
  if (response === undefined || !("$ref" in response)) return response;
  const named = components?.responses?.[response.$ref.split("/").at(-1) ?? ""];
  return named === undefined || "$ref" in named ? undefined : named;
}

/** The codes of an error response. */
export function codesOf(response: OpenAPIV3_1.ResponseObject | undefined): readonly string[] {
  return [...(response?.description ?? "").matchAll(/^`(\w+)`:/gm)].map(([, code = ""]) => code);
}
