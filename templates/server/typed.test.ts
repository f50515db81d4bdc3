/** Emitted modules are checked against `types.ts`: what is misspelt in them by hand does not compile. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { realmFiles } from "../../compiler/emit.ts";
import { declaredFields } from "../../compiler/model/fields.ts";
import type { Collection, DeclaredField } from "../../compiler/model/model.ts";
import { compileRules } from "../../compiler/rules/rules.ts";
import { ruleSource } from "../../compiler/rules/testing/realms.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { root } from "../../scripts/workspace.ts";
import { isIdentifierName } from "../print/identifiers.ts";
import { collectionOf, organizations, realmOf, schemaOf } from "../testing/models.ts";
import { problemsOf } from "../testing/typed.ts";

interface Mistake {
  readonly what: string;
  /** Of the collection `tickets` of the example. */
  readonly file: "rules.ts" | "fields.ts" | "routes.ts" | "types.ts";
  readonly from: string;
  /** Undefined: the file is removed. */
  readonly to: string | undefined;
  /** What that needs to be imported. */
  readonly imports?: string;
  /** In which files TypeScript finds it, and what it says first. */
  readonly refused: Readonly<Record<string, RegExp>>;
}

const importsIncludes = 'import { includes } from "realmc/runtime";\n';

const mistakes: readonly Mistake[] = [
  {
    what: "a misspelt member of a document in a rule",
    file: "rules.ts",
    from: 'document.status !== "closed"',
    to: 'document.statsu !== "closed"',
    refused: { "rules.ts": /'statsu' does not exist on type .* Did you mean 'status'\?/ },
  },
  {
    what: "a misspelt member of written data in a rule",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: 'data.statsu === "open"',
    refused: { "rules.ts": /'statsu' does not exist on type .* Did you mean 'status'\?/ },
  },
  {
    what: "a misspelt member that the server owns in a rule",
    file: "rules.ts",
    from: "document._meta?.owner",
    to: "document._meta?.ownr",
    refused: { "rules.ts": /'ownr' does not exist on type .* Did you mean 'owner'\?/ },
  },
  {
    what: "a member that only stored documents have, of written data",
    file: "rules.ts",
    from: "inOrg(memberships, data._meta?.org)",
    to: "inOrg(memberships, data._meta?.owner)",
    refused: { "rules.ts": /'owner' does not exist on type/ },
  },
  {
    what: "a misspelt member in the rule of a field",
    file: "rules.ts",
    from: "document?._meta?.org",
    to: "document?._meta?.orgs",
    refused: { "rules.ts": /'orgs' does not exist on type .* Did you mean 'org'\?/ },
  },
  {
    what: "a comparison of a member with a value of another kind",
    file: "rules.ts",
    from: 'document.status !== "closed"',
    to: "document.status !== 7",
    refused: { "rules.ts": /have no overlap/ },
  },
  {
    what: "a comparison with a value that the enumeration does not have",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: 'data.status === "opne"',
    refused: { "rules.ts": /have no overlap/ },
  },
  {
    what: "one of several comparisons with a value that the enumeration does not have",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: '(same(data.status, "open") || same(data.status, "opne"))',
    refused: { "rules.ts": /'"opne"' is not assignable/ },
  },
  {
    what: "a member compared with one of several values that the enumeration does not have",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: 'includes(["open", "opne"], data.status)',
    imports: importsIncludes,
    refused: { "rules.ts": /is not assignable to parameter of type 'never'/ },
  },
  {
    what: "a value of another kind in several comparisons",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: "(same(data.status, 'open') || same(data.status, 7))",
    refused: { "rules.ts": /'7' is not assignable/ },
  },
  {
    what: "a list of the document asked for a value that none of its elements has",
    file: "rules.ts",
    from: 'data.status === "open"',
    to: "includes(data.tags, 7)",
    imports: importsIncludes,
    refused: { "rules.ts": /'7' is not assignable/ },
  },
  {
    what: "a field of the filter that there is not",
    file: "rules.ts",
    from: 'eq(fields["_meta.owner"], user?.id)',
    to: 'eq(fields["_meta.ownr"], user?.id)',
    refused: { "rules.ts": /'_meta\.ownr' does not exist on type/ },
  },
  {
    what: "another collection's rules in a definition",
    file: "routes.ts",
    from: 'import { fieldRules, rules } from "./rules.ts";',
    to: 'import { rules } from "../replies/rules.ts";\nimport { fieldRules } from "./rules.ts";',
    refused: {
      "routes.ts": /Property '(?:ticket_id|text|internal)' is missing|missing the following properties/,
    },
  },
  {
    what: "one rule of another collection among a collection's own",
    file: "rules.ts",
    from: "  create,\n  read,",
    to: "  create,\n  read: replies.read,",
    imports: 'import { rules as replies } from "../replies/rules.ts";\n',
    refused: { "rules.ts": /is not assignable to type 'ReadRule</, "routes.ts": /is not assignable to type/ },
  },
  {
    what: "a misspelt path in fields",
    file: "fields.ts",
    from: "  assignee_id: [",
    to: "  asignee_id: [",
    refused: { "fields.ts": /'asignee_id' does not exist in type/ },
  },
  {
    what: "a misspelt path inside an object in fields",
    file: "fields.ts",
    from: '"triage.note"',
    to: '"triage.notes"',
    refused: { "fields.ts": /'"triage\.notes"' does not exist in type/ },
  },
  {
    what: "a field of the wrong kind",
    file: "fields.ts",
    from: 'priority: "integer"',
    to: 'priority: "boolean"',
    refused: { "fields.ts": /Type '"boolean"' is not assignable to type .*"integer"/ },
  },
  {
    what: "one wrong kind of several",
    file: "fields.ts",
    from: 'assignee_id: ["string", "null"]',
    to: 'assignee_id: ["integer", "null"]',
    refused: { "fields.ts": /Type '"integer"' is not assignable to type .*"string"/ },
  },
  {
    what: "an object declared as a string",
    file: "fields.ts",
    from: 'triage: "object"',
    to: 'triage: "string"',
    refused: { "fields.ts": /Type '"string"' is not assignable to type .*"object"/ },
  },
  {
    what: "an array declared as one value",
    file: "fields.ts",
    from: 'tags: { array: "string" }',
    to: 'tags: "string"',
    refused: { "fields.ts": /Type 'string' is not assignable to type .*array/ },
  },
  {
    what: "types.ts removed",
    file: "types.ts",
    from: "",
    to: undefined,
    refused: {
      "fields.ts": /Cannot find module '\.\/types\.ts'/,
      "routes.ts": /Cannot find module '\.\/types\.ts'/,
      "rules.ts": /Cannot find module '\.\/types\.ts'/,
    },
  },
  {
    what: "a member that rules and fields use, removed from types.ts",
    file: "types.ts",
    from: '  status: "open" | "pending" | "solved" | "closed";\n',
    to: "",
    refused: {
      "fields.ts": /'status' does not exist in type/,
      "rules.ts": /'status' does not exist on type/,
    },
  },
  {
    what: "a member that only fields use, removed from types.ts",
    file: "types.ts",
    from: "  priority?: number;\n",
    to: "",
    refused: { "fields.ts": /'priority' does not exist in type/ },
  },
  {
    what: "what the server keeps of a document, removed from types.ts",
    file: "types.ts",
    from: "Partial<DeletionMeta>",
    to: "Partial<Omit<DeletionMeta, 'deleted_at'>>",
    refused: { "fields.ts": /Type 'Field' is not assignable to type 'never'/ },
  },
];

const database = "generated/helpdesk/support";
const files = readdirSync(join(root, database, "tickets")).filter((file) => file.endsWith(".ts"));

function emitted(file: string): string {
  return readFileSync(join(root, database, "tickets", file), "utf8");
}

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
  for (const file of files) modules.set(`${database}/tickets/${file}`, emitted(file));
  for (const [at, { file: wrong, from, to, imports = "", what }] of mistakes.entries()) {
    for (const file of files) modules.set(`${database}/mistake-${at}/${file}`, emitted(file));
    if (!emitted(wrong).includes(from)) throw new Error(`${what}: ${wrong} has no ${from}`);
    const text = to === undefined ? undefined : imports + emitted(wrong).replace(from, () => to);
    modules.set(`${database}/mistake-${at}/${wrong}`, text);
  }
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

function foundIn(folder: string): readonly string[] {
  return problems.filter((problem) => problem.startsWith(`${database}/${folder}/`));
}

describe("TypeScript", () => {
  it("takes what is emitted", () => {
    expect(foundIn("tickets")).toEqual([]);
  });

  it.each([...Object.keys(schemas), ...Object.keys(settings)])("takes what is emitted for '%s'", (name) => {
    expect(problems.filter((problem) => problem.startsWith(`generated/odd/db/${name}/`))).toEqual([]);
  });

  it.each(mistakes.map((mistake, at) => [mistake.what, mistake, at] as const))(
    "refuses %s",
    (_, { refused }, at) => {
      const found = foundIn(`mistake-${at}`);
      expect(new Set(found.map((problem) => /([^/]*?):\d/.exec(problem)?.[1]))).toEqual(
        new Set(Object.keys(refused)),
      );
      for (const [file, says] of Object.entries(refused))
        expect(found.filter((problem) => problem.includes(`/${file}:`)).join("\n")).toMatch(says);
    },
  );
});
