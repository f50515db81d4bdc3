/**
 * Every configuration of `testdata` with an error in a file of JSON, with rule tests, seeds and migrations beside each of its
 * schemas: what was told is told, and no judgement of documents runs into what is wrong with their schema.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { folderWith } from "../schema/testing/checked.ts";
import { walk } from "../source/folders.ts";
import { check } from "./testing/check.ts";

const testdata = fileURLToPath(new URL("testdata", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "realmc-beside-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const documents = "documents: { one: { title: x, a: y, v: z } }\n";
const ruleTests = `${documents}callers: { ada: { roles: [] } }
tests:
  - create: { as: ada, data: { title: x, a: y, v: z }, deny: true }
  - update: { as: ada, document: one, patch: { title: y, v: 1 }, allow: true }
  - read: { allow: { "*": one } }
`;

/** Writes them where nothing of that name stands; answers their paths. */
function besideSchemas(config: string): ReadonlySet<string> {
  const added = new Set<string>();
  const add = (path: string, text: string): void => {
    const file = join(config, path);
    if (existsSync(file)) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    added.add(path);
  };
  for (const { name, databases } of walk(config).value) {
    for (const database of databases) {
      for (const collection of database.collections) {
        const place = `${name}/${database.name}/${collection.name}`;
        if (!existsSync(join(config, place, "schema.json"))) continue;
        add(`${place}/_tests/beside.yaml`, ruleTests);
        add(`${place}/_migrations/9000-beside.yaml`, "steps:\n  - set: { title: z }\n");
        add(`${name}/_seed/${database.name}/${collection.name}.ndjson`, '{"title":"x","a":"y","v":"z"}\n');
      }
    }
  }
  return added;
}

function errorsOf(found: readonly Diagnostic[], added: ReadonlySet<string> = new Set()): readonly string[] {
  return found
    .filter(({ severity, span }) => severity === "error" && !added.has(span.file))
    .map(({ span, code }) => `${span.file}:${span.line}:${span.column} ${code}`);
}

async function expectBeside(config: string): Promise<void> {
  const alone = errorsOf(await check(config));
  const added = besideSchemas(config);
  const beside = await check(config);
  expect(beside.filter(({ code }) => code === "internal-error")).toEqual([]);
  expect(errorsOf(beside, added)).toEqual(alone);
}

describe("rule tests, seeds and migrations hide no mistake of", () => {
  const cases = readdirSync(testdata).filter((name) =>
    /\.json:\d+:\d+ error /.test(readFileSync(join(testdata, name, "expected.txt"), "utf8")),
  );
  test.for(cases)("%s", async (name) => {
    const config = join(root, name);
    cpSync(join(testdata, name, "config"), config, { recursive: true });
    await expectBeside(config);
  });

  test.each([
    { type: "string", pattern: "^[a-z" },
    { type: "object", patternProperties: { "^(": {} } },
    { $ref: "nowhere.json" },
    { type: "strin" },
    { enum: "x" },
    { minLength: -1 },
    { format: "e-mail" },
    { items: [] },
    { allOf: {} },
    { $dynamicRef: "#there" },
    { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } },
    { "x-svc-store": "dat" },
  ])("%j in a file that a schema refers to", async (schema) => {
    const folder = folderWith(schema);
    try {
      await expectBeside(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test("of an invalid pattern is told alone, at its line", async () => {
  const config = join(root, "alone");
  mkdirSync(join(config, "r/d/c/_tests"), { recursive: true });
  writeFileSync(join(config, "r/realm.yaml"), "auth: enabled\n");
  const schema =
    '{\n  "type": "object",\n  "properties": { "v": { "type": "string", "pattern": "^[a-z" } }\n}\n';
  writeFileSync(join(config, "r/d/c/schema.json"), schema);
  writeFileSync(
    join(config, "r/d/c/_tests/c.yaml"),
    "documents: { one: { v: 7 } }\ncallers: { ada: { roles: [] } }\ntests: [{ read: { deny: { ada: one } } }]\n",
  );
  expect(errorsOf(await check(config))).toEqual(["r/d/c/schema.json:3:55 schema-pattern"]);
});
