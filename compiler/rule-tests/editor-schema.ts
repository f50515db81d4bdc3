/** The schema of rule tests as editors want it: of a realm, and of its collections, with the names that tests may have there. */
import ruleTestSchema from "../../docs/schemas/rule-test.schema.json" with { type: "json" };
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { storedFields } from "../model/file-fields.ts";
import type { Collection, DeclaredField, Realm } from "../model/model.ts";
import { serverFields } from "../model/server-fields.ts";
import { nameOf } from "./reading.ts";

/**
 * As `rule-test.schema.json`, and what that leaves open is listed: collections, roles, organization and team roles, functions and
 * targets of scopes.
 */
export function realmTestSchema(realm: Realm): JsonObject {
  const schema: JsonObject = structuredClone(ruleTestSchema);
  const { organizations, roles, databases, functions } = realm;
  const names = (declared: readonly { readonly name: string }[]) => declared.map(({ name }) => name);
  const caller = inside(schema, "properties", "callers", "additionalProperties", "properties");
  const org = inside(caller, "orgs", "additionalProperties", "properties");
  listed(inside(caller, "roles", "items"), names(roles));
  listed(inside(org, "roles", "items"), names(organizations?.roles ?? []));
  const ofTeam = inside(org, "teams", "additionalProperties", "properties", "roles");
  const { type: _type, ...windowed } = inside(ofTeam, "items");
  const teamRoles = names(organizations?.teamRoles ?? []);
  if (teamRoles.length > 0) {
    listed(inside(windowed, "properties", "role"), teamRoles);
    ofTeam["items"] = { anyOf: [{ enum: [...teamRoles] }, { ...windowed, type: "object" }] };
  }
  const collections = databases.flatMap((database) => database.collections).map(nameOf);
  const calls = functions.map(nameOf);
  const scopes = inside(caller, "key", "properties", "scopes", "properties");
  for (const access of ["read", "write"])
    listed(inside(scopes, access, "items"), [...names(databases), ...collections]);
  const called = [...new Set(functions.map(({ database }) => database)), ...calls];
  listed(inside(scopes, "call", "items"), called);
  const tests = inside(schema, "properties", "tests", "items", "properties");
  listed(inside(tests, "collection"), collections);
  listed(inside(tests, "call", "properties", "function"), calls);
  schema["title"] = `Rule tests of ${realm.name}`;
  return schema;
}

/**
 * That of its realm, which lies beside it as `../../rule-test.schema.json`, with the fields of a collection and the values of their
 * enumerations. Of these nothing is marked, but completed: what is refused, or is stored although it does not fit, may be otherwise.
 */
export function collectionTestSchema(realm: Realm, collection: Collection): JsonObject {
  const fields = storedFields(collection);
  const paths = fields.map(({ path }) => path);
  const sorted = [...paths, ...Object.keys(serverFields(realm, collection))].flatMap((path) => [
    path,
    `-${path}`,
  ]);
  const written = collection.fieldRules.flatMap(({ path, write }) => (write === undefined ? [] : [path]));
  const deny = { examples: [true, ...written] };
  const seen = { items: { examples: paths } };
  const inner = fields.filter(({ path }) => path.includes("."));
  const where = Object.fromEntries(inner.map((field) => [field.path, fieldOf(field)]));
  const members = { $ref: "#/$defs/members" };
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `Rule tests of ${nameOf(collection)}`,
    allOf: [{ $ref: "../../rule-test.schema.json" }],
    $defs: { members: { properties: membersOf(fields) } },
    properties: {
      documents: {
        additionalProperties: { allOf: [members], properties: { _meta: metaOf(realm, collection) } },
      },
      tests: {
        items: {
          properties: {
            collection: { const: nameOf(collection) },
            create: { properties: { data: members, deny } },
            update: { properties: { patch: members, replace: members, deny } },
            list: {
              properties: { where: { allOf: [members], properties: where }, order_by: { examples: sorted } },
            },
            fields: { properties: { hidden: seen, shown: seen } },
          },
        },
      },
    },
  };
}

/** The object at a path of the schema, which has one. */
function inside(schema: JsonObject, ...path: readonly string[]): JsonObject {
  return path.reduce((reached, name) => {
    const next = reached[name];
    if (!isJsonObject(next)) throw new Error(`the schema of rule tests has no ${path.join(".")}`);
    return next;
  }, schema);
}

/** Where there are none, nothing is said: the compiler tells what is wrong then. */
function listed(schema: JsonObject, values: readonly string[]): void {
  if (values.length > 0) schema["enum"] = [...values];
  delete schema["examples"];
}

/** Fields by their names, those of objects inside of these. */
function membersOf(fields: readonly DeclaredField[], prefix = ""): JsonObject {
  const own = fields.filter(
    ({ path }) => path.startsWith(prefix) && !path.slice(prefix.length).includes("."),
  );
  return Object.fromEntries(
    own.map((field) => {
      const name = field.path.slice(prefix.length);
      const inner = membersOf(fields, `${field.path}.`);
      const isObject = Object.keys(inner).length > 0 && field.arrays.length === 0;
      return [name, { ...fieldOf(field), ...(isObject && { properties: inner }) }];
    }),
  );
}

function fieldOf({ kinds, values, arrays, path }: DeclaredField): JsonObject {
  const examples: readonly JsonValue[] = values ?? (kinds.includes("boolean") ? [true, false] : []);
  if (examples.length === 0) return {};
  const own = { examples: [...examples] };
  return arrays.includes(path) ? { items: own } : own;
}

function metaOf(realm: Realm, collection: Collection): JsonObject {
  const own = Object.keys(serverFields(realm, collection)).flatMap((path) =>
    /^_meta\.[^.]+$/.test(path) ? [path.slice("_meta.".length)] : [],
  );
  return { properties: Object.fromEntries(own.map((name) => [name, {}])) };
}
