import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { isJsonObject } from "../../runtime/json.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { publishedSchemas } from "../model/given.ts";
import { collectionIndexes } from "../model/indexes.ts";
import { valueAt } from "../schema/place.ts";
import { parseSource } from "../source/reader.ts";
import type { SourceFile } from "../source/source.ts";
import { collectionSlots } from "./collection.ts";
import { functionSlots } from "./function.ts";
import { realmSlots } from "./realm.ts";

/** By kind of file: what is read of it, and files that state nothing but what settings stand in. */
const kinds: readonly {
  readonly kind: keyof typeof publishedSchemas;
  readonly read: (file: SourceFile, schema: JsonObject) => unknown;
  readonly texts: readonly string[];
}[] = [
  {
    kind: "realm",
    read: realmSlots,
    texts: [
      "auth: enabled",
      "{ cors: {}, roles: { r: {} }, sessions: { cookie: { enabled: true } }, organizations: { roles: { r: {} } } }",
      "{ organizations: { roles: { r: {} }, team_roles: { t: {} } } }",
      "{ storage: { driver: s3, bucket: files }, openapi: {} }",
    ],
  },
  {
    kind: "collection",
    read: (file, schema) => collectionSlots(file, "db", schema),
    texts: [
      "{}",
      "{ references: { r: { collection: c } }, custom_id: {}, aggregate: {}, organization: optional }",
      "{ files: { f: { accept: ['*/*'], versions: { v: { width: 1 } } } } }",
    ],
  },
  {
    kind: "function",
    read: (file, schema) => functionSlots(file, "db", schema),
    texts: [
      "mode: call",
      "{ mode: event, scopes: {}, triggers: [{ collection: c, on: [create] }], schedule: { cron: '* * * * *' } }",
    ],
  },
  {
    kind: "indexes",
    read: collectionIndexes,
    texts: ["{}", "{ indexes: [{ fields: [a] }], text: { fields: { a: 1 } } }"],
  },
];

describe.each(kinds)("every default of $kind.schema.json is what is read where nothing is given", (each) => {
  const schema = publishedSchemas[each.kind];
  test.each(defaultsIn(schema, ""))("%s", (pointer) => {
    const changed = structuredClone<JsonObject>(schema);
    const place = valueAt(changed, pointer);
    if (!isJsonObject(place)) throw new Error(pointer);
    place.default = another(place);
    const files = each.texts.map((text) => parsed(`x/${each.kind}.yaml`, text));
    const models = (by: JsonObject) => files.map((file) => each.read(file, by));
    expect(models(changed)).not.toEqual(models(schema));
  });
});

/** Pointers of the schemas in a schema that state a default. */
function defaultsIn(value: JsonValue | undefined, pointer: string): string[] {
  if (!isJsonObject(value) || pointer.endsWith("/default")) return [];
  const inside = Object.entries(value).flatMap(([key, each]) => defaultsIn(each, `${pointer}/${key}`));
  return value.default === undefined || pointer.endsWith("/properties") ? inside : [pointer, ...inside];
}

/** A default that a schema could have, but has not. */
function another(schema: JsonObject): JsonValue {
  const { default: old, then: whereText } = schema;
  const values = schema.enum ?? (isJsonObject(whereText) ? whereText.enum : undefined);
  if (typeof old === "boolean") return !old;
  if (typeof old === "number") return old + 1;
  if (Array.isArray(values)) return values.find((value: JsonValue) => value !== old) ?? null;
  if (typeof old === "string") return /^\d/.test(old) ? `1${old}` : "another";
  if (!Array.isArray(old)) return { origins: ["https://example.com"] };
  const items = isJsonObject(schema.items) ? schema.items : {};
  if (Array.isArray(items.enum)) return [items.enum[0]];
  return items.type === "object" ? [{ fields: ["b"] }] : ["another"];
}

function parsed(path: string, text: string): SourceFile {
  const diagnostics: Diagnostic[] = [];
  const file = parseSource(path, text, diagnostics);
  if (file === undefined) throw new Error(JSON.stringify(diagnostics));
  return file;
}
