/** Modules that are emitted for odd schemas and settings compile. */
import { beforeAll, expect, it } from "vitest";
import { realmFiles } from "../../compiler/emit.ts";
import { declaredFields } from "../../compiler/model/fields.ts";
import type { Collection, DeclaredField } from "../../compiler/model/model.ts";
import { compileRules } from "../../compiler/rules/rules.ts";
import { ruleSource } from "../../compiler/rules/testing/realms.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { isIdentifierName } from "../print/identifiers.ts";
import { collectionOf, organizations, realmOf, schemaOf } from "../testing/models.ts";
import { problemsOf } from "../testing/typed.ts";

/** Schemas of which types and fields are made in different ways. */
const schemas: Readonly<Record<string, JsonObject>> = {
  untyped: {
    properties: {
      any: {},
      described: { description: "Anything." },
      object: { properties: { a: { type: "string" }, deep: { properties: { b: { enum: ["x", "y"] } } } } },
      closed: { properties: { a: { type: "integer" } }, additionalProperties: false },
      list: { items: { type: "string" } },
      limited: { minLength: 3 },
    },
  },
  open: {
    type: "object",
    properties: {
      meta: { type: "object" },
      labels: { type: "object", additionalProperties: { type: "string" } },
      both: {
        type: "object",
        properties: { a: { type: "string" } },
        additionalProperties: { type: "number" },
      },
      patterns: { type: "object", properties: { a: { type: "string" } }, patternProperties: { "^x": {} } },
    },
  },
  branches: {
    type: "object",
    additionalProperties: false,
    properties: {
      either: {
        anyOf: [
          { type: "object", properties: { kind: { const: "a" }, left: { type: "string" } } },
          { type: "object", properties: { kind: { const: "b" }, right: { type: "integer" } } },
        ],
      },
      maybe: { oneOf: [{ type: "null" }, { type: "object", properties: { a: { type: "boolean" } } }] },
      scalarOrObject: {
        anyOf: [{ type: "string" }, { type: "object", properties: { a: { type: "string" } } }],
      },
      scalarOrList: { type: ["string", "array"], items: { type: "string" } },
      mixed: { type: ["string", "integer", "boolean", "null"] },
      narrowed: {
        allOf: [{ type: ["string", "null"] }, { enum: ["a", "b", null] }, { enum: ["b", null, "c"] }],
      },
      merged: {
        allOf: [
          { type: "object", properties: { a: { type: "string" } } },
          { type: "object", properties: { a: { enum: ["x", "y"] }, b: { type: "number" } } },
        ],
      },
      sided: {
        type: "object",
        properties: { a: { type: "string" } },
        anyOf: [{ properties: { b: { type: "string" } } }, { properties: { c: { type: "string" } } }],
      },
    },
    anyOf: [{ required: ["either"] }, { properties: { extra: { type: "string" } } }],
  },
  either: {
    anyOf: [
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
      {
        type: "object",
        properties: { b: { type: "integer" } },
        required: ["b"],
        additionalProperties: false,
      },
    ],
  },
  referring: {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        additionalProperties: false,
        properties: {
          name: { type: "string" },
          parent: { $ref: "#/$defs/node" },
          children: { type: "array", items: { $ref: "#/$defs/node" } },
          status: { $ref: "#/$defs/status", description: "Its own." },
        },
      },
      status: { enum: ["on", "off"] },
    },
  },
  values: {
    type: "object",
    additionalProperties: false,
    properties: {
      one: { const: "only" },
      number: { enum: [1, 2, 3] },
      flag: { const: true },
      mixed: { enum: ["a", 2, true, null] },
      typed: { type: "string", enum: ["a", 1] },
      nothing: { type: "null" },
      never: false,
      impossible: { allOf: [{ type: "string" }, { type: "integer" }] },
      disjoint: { allOf: [{ enum: ["a"] }, { enum: ["b"] }] },
      whole: { const: { a: 1 } },
      due: { type: ["string", "null"], format: "date-time", "x-svc-store": "date" },
      days: { type: "array", items: { type: "string", format: "date", "x-svc-store": "date" } },
    },
  },
  lists: {
    type: "object",
    additionalProperties: false,
    properties: {
      nested: { type: "array", items: { type: "array", items: { type: "string" } } },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
      open: { type: "array" },
      lines: {
        type: ["array", "null"],
        items: {
          type: ["object", "null"],
          properties: {
            sku: { type: "string" },
            parts: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
          },
        },
      },
      either: {
        type: "array",
        items: { anyOf: [{ type: "string" }, { type: "object", properties: { a: {} } }] },
      },
    },
  },
  names: {
    type: "object",
    properties: JSON.parse(
      `{"__proto__": {"type": "string"}, "hasOwnProperty": {"type": "string"}, "constructor": {"type": "string"},
        "toString": {"type": "object", "properties": {"length": {"type": "integer"}}}, "a-b": {"type": "string"},
        "0": {"type": "object", "properties": {"1": {"type": "boolean"}}}, "it's": {"type": "string"},
        "inner": {"type": "object", "properties": {"hasOwnProperty": {"type": "boolean"}}}}`,
    ),
  },
};

/** Settings that bring fields of the server's. */
const settings: Readonly<Record<string, { readonly further: Partial<Collection>; readonly auth: boolean }>> =
  {
    unowned: { further: {}, auth: false },
    unownedTrash: { further: { softDelete: {} }, auth: false },
    trash: { further: { softDelete: { retention: 1_000 } }, auth: true },
    organizations: {
      further: { organization: { required: true, onDelete: "keep" }, softDelete: {} },
      auth: true,
    },
    teams: {
      further: { organization: { required: false, teams: "required", onDelete: "delete" } },
      auth: true,
    },
  };

/** A rule that reads every field that it can, and what is emitted for such a collection. */
async function emittedFor(
  name: string,
  document: JsonObject,
  further: Partial<Collection> = {},
  auth = true,
): Promise<readonly (readonly [string, string])[]> {
  const schema = schemaOf(`odd/db/${name}/schema.json`, document);
  const { fields } = declaredFields(schema);
  const reads = (root: string): string =>
    ["user.mfa", ...fields.flatMap((field) => comparisons(root, field))].join(" || ");
  // What a rule compares once is written otherwise than what it compares again.
  const again = fields.flatMap((field) => presences("document", field)).join(" || ");
  const rules = {
    update: ruleSource(`(${reads("document")}) && (${reads("data")})`, "update"),
    delete: ruleSource(`(${reads("document")}) && (user.mfa || ${again || "user.mfa"})`, "delete"),
  };
  const collection = collectionOf("odd", "db", name, { schema, fields, ...(auth && { rules }), ...further });
  const realm = realmOf("odd", [collection], { auth, ...(auth && { organizations }) });
  const stage = compileRules(realm);
  expect([name, stage.diagnostics.filter(({ severity }) => severity === "error")]).toEqual([name, []]);
  const files = await realmFiles(realm, stage);
  return files
    .filter(({ path }) => path.startsWith("odd/db/"))
    .map(({ path, text }) => [`generated/${path}`, text]);
}

/** Of a field outside of arrays with values that it may have; its members are read by their own. */
function comparisons(
  root: string,
  { path, kinds, arrays, scalar, values }: DeclaredField,
): readonly string[] {
  const read = readOf(root, path);
  if (arrays.some((array) => array !== path)) return [];
  if (arrays.length > 0) return scalar || kinds.length > 1 ? [`${read} != null`] : [`${read}.length > 1`];
  return kinds.flatMap((kind) => {
    switch (kind) {
      case "string":
        return (values ?? ["x"]).map((value) => `${read} == '${value}'`);
      case "integer":
      case "number":
        return [`${read} == 2`];
      case "boolean":
        return [`${read} == true`];
      case "date":
      case "date-time":
        return [`${read} < '2026-01-01'`];
      default:
        return [`${read} != null`];
    }
  });
}

/** Of the same field, that it is there; of a list, that it has something of one kind. */
function presences(root: string, { path, kinds, arrays, scalar, values }: DeclaredField): readonly string[] {
  const read = readOf(root, path);
  if (arrays.some((array) => array !== path)) return [];
  if (arrays.length === 0) return [`${read} != null`];
  const [kind] = kinds;
  if (scalar || kinds.length > 1 || kind !== "string") return [];
  return (values ?? ["x"]).map((value) => `${read}.includes('${value}')`);
}

function readOf(root: string, path: string): string {
  const member = (owner: string, name: string): string =>
    isIdentifierName(name) ? `${owner}.${name}` : `${owner}[${JSON.stringify(name)}]`;
  return path.split(".").reduce(member, root);
}

let problems: readonly string[];
beforeAll(async () => {
  const modules = new Map<string, string | undefined>();
  for (const [name, schema] of Object.entries(schemas))
    for (const [path, text] of await emittedFor(name, schema))
      if (path.endsWith(".ts")) modules.set(path, text);
  for (const [name, { further, auth }] of Object.entries(settings)) {
    const schema = { type: "object", properties: { title: { type: "string" } } };
    for (const [path, text] of await emittedFor(name, schema, further, auth))
      if (path.endsWith(".ts")) modules.set(path, text);
  }
  problems = problemsOf(modules);
}, 120_000);

it.each([...Object.keys(schemas), ...Object.keys(settings)])("takes what is emitted for '%s'", (name) => {
  expect(problems.filter((problem) => problem.startsWith(`generated/odd/db/${name}/`))).toEqual([]);
});
