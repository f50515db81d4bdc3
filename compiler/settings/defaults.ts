/** `defaults: apply`: creates and replacements have the schema's `default` of each member that they leave out. */
import type { JsonObject } from "../../runtime/json.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import { imported } from "../../templates/print/code.ts";
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import { oneOf } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import {
  EndlessDefault,
  objectWithPresets,
  type Presets,
  presetsOf,
  presetValue,
} from "../schema/defaults.ts";
import { inputSchema } from "../schema/input.ts";
import type { Schema } from "../schema/place.ts";
import { canonicalJson } from "../source/meaning.ts";
import type { Changes, Report } from "./change.ts";
import { collectionSetting } from "./setting.ts";
import { shown } from "./words.ts";

declare module "../model/model.ts" {
  interface Collection {
    /** `apply`; absent: `ignore`. */
    readonly defaults?: "apply";
  }
}

const codes = {
  "keyword-without-effect": {
    severity: "warning",
    summary: "A `default` that nothing applies.",
    message: "'default' has no effect here: {why}",
    explanation:
      "JSON Schema calls `default` an annotation: by itself it sets nothing. With `defaults: apply` in collection.yaml a create or a replacement that leaves a member out gets the `default` under its name in `properties`, also in objects inside of the document, in the items of arrays, and through `$ref` and `allOf`. Which branch of a `oneOf`, an `anyOf` or an `if` a value is of can depend on the very member that is missing, so nothing is set there, also where a `$ref` there leads to a default that is set elsewhere, nor under `patternProperties`, `additionalProperties`, `prefixItems`, `contains` and `dependentSchemas`. Schemas of functions and of profiles apply none.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "status": { "enum": ["open", "done"], "default": "open" } }\n}',
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "status": { "enum": ["open", "done"], "default": "open" } }\n}',
      "collection.yaml": "defaults: apply",
    },
  },
  "default-misfit": {
    severity: "error",
    summary: "A default that is applied does not fit the schema around it.",
    message: "the default {value} {problem}: every create without '{field}' would be refused",
    explanation:
      "What is set must be what a client could send. An object as a default is looked at with the defaults of the members that it leaves out.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "priority": { "type": "integer", "minimum": 1, "default": 0 } }\n}',
      "collection.yaml": "defaults: apply",
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "priority": { "type": "integer", "minimum": 1, "default": 1 } }\n}',
      "collection.yaml": "defaults: apply",
    },
  },
  "default-endless": {
    severity: "error",
    summary: "A default whose own members have it as their default again.",
    message: "the default has no end: in what it sets it would have to be set again",
    explanation:
      "A recursive schema may give defaults to the members of what is there. Where the recursive member itself has an object as its default, that object would need one inside of it, and so on.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "node": { "$ref": "#/$defs/node" } },\n  "$defs": {\n    "node": {\n      "type": "object",\n      "properties": { "next": { "$ref": "#/$defs/node", "default": {} } }\n    }\n  }\n}',
      "collection.yaml": "defaults: apply",
    },
    right: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "node": { "$ref": "#/$defs/node" } },\n  "$defs": {\n    "node": {\n      "type": "object",\n      "properties": {\n        "next": { "$ref": "#/$defs/node" },\n        "weight": { "type": "integer", "default": 1 }\n      }\n    }\n  }\n}',
      "collection.yaml": "defaults: apply",
    },
  },
  "default-unique": {
    severity: "warning",
    summary: "A default of a field with a unique index of its own.",
    message: "the index '{index}' is unique, so one document alone can have the default of '{field}'",
    hint: "leave the field out of documents that have no value for it: they take no part in the index",
    explanation:
      "The first create without the field gets the default, and every other one is refused (409 `conflict`). A default of `null` is in nobody's way.",
    wrong: {
      "schema.json":
        '{\n  "type": "object",\n  "properties": { "slug": { "type": "string", "default": "untitled" } }\n}',
      "indexes.json": '{ "indexes": [{ "fields": ["slug"], "unique": true }] }',
      "collection.yaml": "defaults: apply",
    },
    right: {
      "schema.json": '{\n  "type": "object",\n  "properties": { "slug": { "type": "string" } }\n}',
      "indexes.json": '{ "indexes": [{ "fields": ["slug"], "unique": true }] }',
      "collection.yaml": "defaults: apply",
    },
  },
} as const satisfies Codes;

const changes = {
  "default-set": {
    kind: "additive",
    message: "creates and replacements that leave it out have {value}",
    why: "What was accepted is accepted, and readers get a value where there was none.",
  },
  "default-changed": {
    kind: "breaking",
    message: "creates and replacements that leave it out have {new}, {old} before",
    why: "The same request makes another document.",
  },
  "default-not-set": {
    kind: "breaking",
    message: "creates and replacements that leave it out had {value}, have nothing now",
    why: "They are refused where the field is required; elsewhere readers miss what was set.",
  },
} as const satisfies Changes;

export const diagnose = diagnoser(codes);

/** What is set in documents of a collection; undefined: nothing. */
export function appliedIn({ defaults, schema }: Collection): Presets | undefined {
  return defaults === undefined ? undefined : presetsOf(schema);
}

/** `withDefaults` of its definition, evaluated rather than emitted. */
export function evaluatedDefaults(collection: Collection): Pick<CollectionDefinition, "withDefaults"> {
  return appliedIn(collection) === undefined
    ? {}
    : { withDefaults: (document) => withDefaultsOf(collection, document) };
}

/** A document with the defaults of what it leaves out; the very object where none is applied. */
export function withDefaultsOf(collection: Collection, document: JsonObject): JsonObject {
  const root = appliedIn(collection);
  try {
    return root === undefined ? document : objectWithPresets(root, document);
  } catch (error) {
    // The build has told of it.
    if (error instanceof EndlessDefault) return document;
    throw error;
  }
}

/** The schema of creates and replacements; the one of documents where the two are the same. */
export function writtenSchema(collection: Pick<Collection, "defaults" | "schema">): Schema {
  return looserInput(collection) ?? collection.schema;
}

/** As {@link writtenSchema}; undefined where it is the one of documents. */
export function looserInput({
  defaults,
  schema,
}: Pick<Collection, "defaults" | "schema">): Schema | undefined {
  return defaults === undefined ? undefined : inputSchema(schema);
}

/** The values that are set, in canonical JSON, by the paths of their fields: `tags`, `lines[].unit`. */
function valuesIn(collection: Collection): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const visit = (node: Presets, path: string, outer: readonly Presets[]): void => {
    if (outer.includes(node)) return;
    const around = [...outer, node];
    for (const [name, member] of node.members) {
      const at = path === "" ? name : `${path}.${name}`;
      if (member.preset !== undefined) found.set(at, canonicalJson(presetValue(member)));
      visit(member.inside, at, around);
    }
    if (node.items !== undefined) visit(node.items, `${path}[]`, around);
  };
  const root = appliedIn(collection);
  if (root !== undefined) visit(root, "", []);
  return found;
}

function compare(old: Collection, now: Collection, place: string, report: Report<typeof changes>): void {
  const [before, after] = [valuesIn(old), valuesIn(now)];
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const where = `${place} schema.${path}`;
    const [was, is] = [before.get(path), after.get(path)];
    if (was === is) continue;
    if (was === undefined && is !== undefined) report("default-set", where, { value: shown(is) });
    else if (is === undefined && was !== undefined) report("default-not-set", where, { value: shown(was) });
    else report("default-changed", where, { old: shown(was ?? ""), new: shown(is ?? "") });
  }
}

export const defaults = collectionSetting({
  codes,
  changes,
  compare,
  read: ({ given }): Pick<Collection, "defaults"> =>
    given.read("defaults", oneOf("apply", "ignore")) === "apply" ? { defaults: "apply" } : {},
  definition: ({ collection }) => ({
    withDefaults: appliedIn(collection) === undefined ? undefined : imported("withDefaults", "./defaults.ts"),
  }),
  effective: ({ collection }) => ({ defaults: collection.defaults ?? "ignore" }),
});
