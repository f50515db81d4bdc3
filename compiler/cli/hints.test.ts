/** Hints: `check` tells them and succeeds, nothing else tells them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WarmCompiler } from "../dev/compile.ts";
import { readInputs } from "../dev/inputs.ts";
import { commandsIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-hints-"));
const realmc = commandsIn(folder);

beforeAll(() => {
  write("config/shop/realm.yaml", "auth: disabled\n");
  write(
    "config/shop/db/things/schema.json",
    '{ "type": "object", "properties": { "kind": { "type": "string" } } }\n',
  );
  write("config/shop/db/things/collection.yaml", "aggregate: { group_by: [kind] }\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test("check tells hints, with the line and the index to add, and succeeds", async () => {
  const { status, stdout } = await realmc("check", "config");
  expect(status).toBe(0);
  expect(stdout).toMatch(/^shop\/db\/things\/collection\.yaml:1:25 hint index-advised /);
  expect(stdout).toContain('add { "fields": ["kind"] } to indexes.json');
  expect(stdout).toMatch(/\n0 errors, 0 warnings, 1 hint\n$/);
  const sarif = await realmc("check", "config", "--format", "sarif");
  expect([sarif.status, JSON.parse(sarif.stdout).runs[0].results[0].level]).toEqual([0, "note"]);
});

test("check --no-hints leaves them out, in every format", async () => {
  const text = await realmc("check", "config", "--no-hints");
  expect([text.status, text.stdout]).toEqual([0, "config: 1 realm, no problems\n"]);
  const json = await realmc("check", "config", "--no-hints", "--format", "json");
  expect(JSON.parse(json.stdout)).toEqual([]);
});

test("build and dev tell none, also beside errors", async () => {
  const said = async (): Promise<string> => {
    const { stdout, stderr } = await realmc("build", "config");
    const { diagnostics } = await new WarmCompiler(join(folder, "config"), join(folder, "generated")).compile(
      readInputs(join(folder, "config")),
    );
    return [stdout, stderr, ...diagnostics.map(({ code }) => code)].join("\n");
  };
  expect(await said()).not.toContain("hint");
  write("config/shop/realm.yaml", "auth: disabled\nsignupp: open\n");
  const wrong = await said();
  expect(wrong).toContain("unknown-key");
  expect(wrong).not.toContain("index-advised");
});

test("the index that a hint names mends it", async () => {
  write("config/shop/realm.yaml", "auth: disabled\n");
  write("config/shop/db/things/indexes.json", '{ "indexes": [{ "fields": ["kind"] }] }\n');
  expect(await realmc("check", "config")).toMatchObject({ stdout: "config: 1 realm, no problems\n" });
});
