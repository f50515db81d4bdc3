/** The published schemas as editors use them: every key is described, and every example is one that the compiler takes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import collectionSchema from "../../docs/schemas/collection.schema.json" with { type: "json" };
import indexesSchema from "../../docs/schemas/indexes.schema.json" with { type: "json" };
import migrationSchema from "../../docs/schemas/migration.schema.json" with { type: "json" };
import realmSchema from "../../docs/schemas/realm.schema.json" with { type: "json" };
import ruleTestSchema from "../../docs/schemas/rule-test.schema.json" with { type: "json" };
import schemaSchema from "../../docs/schemas/schema.schema.json" with { type: "json" };
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { hasErrors } from "../diagnostics/sort.ts";
import { exampleFiles } from "../diagnostics/testing/example-realm.ts";
import { analyse } from "../pipeline.ts";

/** A key of a configuration file; `*` stands for any name, `0` for an element. */
interface Key {
  readonly path: readonly string[];
  readonly schema: JsonObject;
}

interface FileSchema {
  readonly name: string;
  readonly schema: JsonObject;
  /** Files in which a key may be meaningful; the first that takes an example will do. */
  readonly hosts: readonly JsonValue[];
  /** Of each group of keys an object has one. */
  readonly alternatives?: Alternatives;
  /** Files that examples are about. */
  readonly beside?: Readonly<Record<string, string>>;
}

type Alternatives = readonly (readonly string[])[];

const roles = { editor: {}, hr: {} };
/** With the callers and documents that examples of tests name. */
const ruleTestHosts = [
  {
    callers: { ada: { roles: ["editor"] }, nobody: "anonymous" },
    documents: { open: { status: "open" } },
    tests: [{ read: { deny: { anonymous: "*" } } }],
  },
  {
    callers: { ada: {}, importer: { key: {} } },
    documents: { open: { status: "open" } },
    tests: [{ read: { deny: { anonymous: "*" } } }],
  },
];
const files: readonly FileSchema[] = [
  {
    name: "realm.yaml",
    schema: realmSchema,
    hosts: [
      { auth: "enabled", roles },
      {},
      { auth: "enabled", profile: { type: "object", properties: { name: { type: "string" } } } },
    ],
  },
  {
    name: "collection.yaml",
    schema: collectionSchema,
    hosts: [
      { soft_delete: true, rules: { read: true } },
      { soft_delete: true },
      { organization: "required" },
    ],
  },
  { name: "indexes.json", schema: indexesSchema, hosts: [{}] },
  {
    name: "support/tickets/_migrations/0001-steps.yaml",
    schema: migrationSchema,
    hosts: [[{}], [{ drop: { field: "legacy" } }]],
  },
  {
    name: "support/tickets/_tests/rules.yaml",
    schema: ruleTestSchema,
    hosts: ruleTestHosts,
    alternatives: [
      [
        ...["read", "create", "update", "delete", "restore", "purge", "list", "fields", "call"],
        "create_organization",
      ],
      ["allow", "deny", "expect"],
      ["patch", "replace"],
    ],
    beside: {
      "realm.yaml": `auth: enabled
roles: { editor: {}, hr: {} }
organizations:
  roles: { owner: { manage: [org] } }
  creator_roles: [owner]
  team_roles: { lead: {} }
`,
      "collection.yaml": `rules: { read: true, create: true, update: true }
fields: { salary: { read: hasRole('hr'), write: hasRole('hr') } }
soft_delete: true
`,
      "function.yaml": "mode: call\ninvoke: true\ninput: { type: object }\n",
      "handler.ts": "export default () => undefined;\n",
    },
  },
];

describe.each(files)("the schema of $name", ({ name, schema, hosts, alternatives = [], beside = {} }) => {
  const keys = keysOf(schema, schema, []);

  test("describes every key", () => {
    expect(keys.length).toBeGreaterThan(5);
    expect(keys.filter(({ schema: { description } }) => !isSentence(description)).map(spelt)).toEqual([]);
  });

  test("has examples of every key, and hides from completion those that are refused", () => {
    const hidden = keys.filter(({ schema: key }) => isRefused(key));
    for (const { schema: key } of hidden) {
      expect(key).toMatchObject({ doNotSuggest: true, deprecationMessage: expect.stringMatching(/\.$/) });
    }
    const without = keys.filter((key) => !hidden.includes(key) && examplesOf(key.schema).length === 0);
    expect(without.map(spelt)).toEqual([]);
  });

  test.for(keys.filter(({ schema: key }) => !isRefused(key)))(
    "$path: the examples are taken",
    async (key) => {
      for (const [at, example] of examplesOf(key.schema).entries()) {
        const around = hostsOf(key.path, keys, hosts, alternatives);
        const whole = around.map((host) => placed(host, key.path, example));
        const alone = around.map((host) => placed(host, key.path, example, alternatives));
        const candidates = [...whole, ...(alternatives.length > 0 ? alone : [])];
        const told = await firstTaken(`${name}/${key.path.join("-")}-${at}`, name, candidates, beside);
        expect(told, `${spelt(key)}: ${JSON.stringify(example)}`).toEqual([]);
      }
    },
  );
});

describe("the schema of schema.json", () => {
  const keys = keysOf(schemaSchema.$defs.schema, schemaSchema, []).filter(({ path }) => path.length === 1);
  const keywords = keys.filter(({ schema }) => !isRefused(schema));

  test("describes every keyword, and has examples of those that are taken", () => {
    expect(keys.filter(({ schema: { description } }) => !isSentence(description)).map(spelt)).toEqual([]);
    expect(keywords.filter(({ schema }) => examplesOf(schema).length === 0).map(spelt)).toEqual([]);
    for (const { schema } of keys.filter((key) => !keywords.includes(key))) {
      expect(schema).toMatchObject({ doNotSuggest: true, deprecationMessage: expect.stringMatching(/\.$/) });
    }
  });

  test.for(keywords)("$path: the examples are taken", async ({ path: [keyword = ""], schema }) => {
    for (const [at, example] of examplesOf(schema).entries()) {
      const top = { type: "object", $defs: { address: { type: "object" } }, [keyword]: example };
      const inside = [{}, { type: "string", format: "date-time" }].map((type) => ({
        type: "object",
        properties: { example: { ...type, [keyword]: example } },
        $defs: { address: { type: "object" } },
      }));
      const told = await firstTaken(`schema/${keyword}-${at}`, "schema.json", [...inside, top]);
      expect(told, JSON.stringify(example)).toEqual([]);
    }
  });
});

/** The keys of an object's schema and of what is in it; what a `$ref` to another file leads to has a schema of its own. */
function keysOf(schema: JsonObject, root: JsonObject, path: readonly string[]): Key[] {
  const key = (name: string, sub: JsonValue | undefined): Key[] => {
    if (!isJsonObject(sub)) return [];
    const found = { path: [...path, name], schema: resolved(sub, root) };
    return [found, ...keysOf(found.schema, root, found.path)];
  };
  const { properties, additionalProperties, items } = schema;
  const members = isJsonObject(properties) ? Object.entries(properties) : [];
  const element = isJsonObject(items) ? keysOf(items, root, [...path, "0"]) : [];
  return [...members.flatMap(([name, sub]) => key(name, sub)), ...key("*", additionalProperties), ...element];
}

/** What stands beside a `$ref` beats what it leads to. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const name = typeof schema.$ref === "string" ? /^#\/\$defs\/(\w+)$/.exec(schema.$ref)?.[1] : undefined;
  const definitions = root.$defs;
  const definition = name !== undefined && isJsonObject(definitions) ? definitions[name] : undefined;
  // Schemas in schemas: their keys are those that are looked at already.
  return isJsonObject(definition) && definition !== schemaSchema.$defs.schema
    ? { ...definition, ...schema }
    : schema;
}

function isRefused(schema: JsonObject): boolean {
  return schema["x-refused"] !== undefined;
}

function isSentence(text: JsonValue | undefined): boolean {
  return typeof text === "string" && /^\S.*\.$/.test(text);
}

function examplesOf({ examples }: JsonObject): readonly JsonValue[] {
  return Array.isArray(examples) ? examples : [];
}

function spelt({ path }: Key): string {
  return path.join(".");
}

/** Files that hold what is around a key: each example of that, in each file that holds what is around it. */
function hostsOf(
  path: readonly string[],
  keys: readonly Key[],
  hosts: readonly JsonValue[],
  alternatives: Alternatives,
): readonly JsonValue[] {
  const around = keys.findLast((key) => isAround(key, path));
  if (around === undefined) return hosts;
  return hostsOf(around.path, keys, hosts, alternatives).flatMap((host) =>
    examplesOf(around.schema).map((example) => placed(host, around.path, example, alternatives)),
  );
}

function isAround(key: Key, path: readonly string[]): boolean {
  return key.path.length < path.length && key.path.every((name, at) => path[at] === name);
}

/**
 * A value with another in it, at a path: `*` is the last name that stands there.
 * @param alternatives a key stands in the place of another of its group
 */
function placed(
  host: JsonValue | undefined,
  path: readonly string[],
  value: JsonValue,
  alternatives: Alternatives = [],
): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(host)) return [placed(host[0], rest, value, alternatives), ...host.slice(1)];
  const object = isJsonObject(host) ? host : {};
  const name = step === "*" ? (Object.keys(object).at(-1) ?? "example") : step;
  const others = alternatives.find((group) => group.includes(name)) ?? [];
  const beside = Object.entries(object).filter(([key]) => key === name || !others.includes(key));
  return { ...Object.fromEntries(beside), [name]: placed(object[name], rest, value, alternatives) };
}

const folder = mkdtempSync(join(tmpdir(), "realmc-schemas-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler says against the first of some files that it takes, else of the last. JSON is YAML, too. */
async function firstTaken(
  place: string,
  name: string,
  candidates: readonly JsonValue[],
  beside: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  let told = ["no candidates"];
  for (const [at, candidate] of candidates.entries()) {
    const root = join(folder, place, String(at));
    const content = { ...exampleFiles({ ...beside, [name]: JSON.stringify(candidate) }), ...profile };
    for (const [path, text] of Object.entries(content)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    // The handler that examples of tests call is no subject here, and TypeScript's check of it takes long.
    const { diagnostics } = await analyse(join(root, "config"), { handlers: "read" });
    if (!hasErrors(diagnostics)) return [];
    told = diagnostics.map(({ code, message }) => `${code} ${message}`);
  }
  return told;
}

/** What the example of `profile` refers to. */
const profile = { "config/helpdesk/_shared/profile.json": '{ "type": "object" }\n' };
