/** What a change of the configuration changes in the output, by the example `helpdesk`. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../package/package.ts";
import { analyse, emitOutput, emitRealm } from "../pipeline.ts";
import type { Plan } from "./plan.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A copy of the example, in a folder of its own. */
function copy(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "realmc-plan-"));
  folders.push(folder);
  for (const name of names)
    cpSync(join(packageRoot, "examples/helpdesk"), join(folder, name), { recursive: true });
  return folder;
}

function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(path, after);
}

async function planOf(folder: string, previous?: Plan): Promise<Plan> {
  const { realms, diagnostics } = await analyse(folder);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const emitted = await Promise.all(realms.map((realm) => emitRealm(realm)));
  return emitOutput(emitted, { compiler: "1.2.3", previous, partial: false });
}

/** Paths of files that differ or are in one plan only. */
function changes(before: Plan, after: Plan): string[] {
  const texts = new Map(before.files.map(({ path, text }) => [path, text]));
  const changed = after.files.filter(({ path, text }) => texts.get(path) !== text).map(({ path }) => path);
  return [...changed, ...after.stale.map((path) => `-${path}`)];
}

let original: Plan;
beforeAll(async () => {
  original = await planOf(copy("helpdesk"));
});

test("the same configuration elsewhere: the same bytes", async () => {
  expect(await planOf(copy("helpdesk"))).toEqual(original);
});

test("a changed comment, layout and order of keys in YAML: nothing, not even the fingerprint", async () => {
  const folder = copy("helpdesk");
  edit(join(folder, "helpdesk/realm.yaml"), (text) => `${text}\n# the end\n`);
  edit(join(folder, "helpdesk/support/tickets/collection.yaml"), (text) =>
    text
      .replace(/^# .*$/m, "# something else\n# on two lines")
      .replace("  read: ", "  read:    ")
      .replace("\nfields:", " # why\nfields:"),
  );
  expect(changes(original, await planOf(folder))).toEqual([]);
});

test("a changed rule with unchanged facts: its rules.ts, what is recorded and the manifest", async () => {
  const folder = copy("helpdesk");
  edit(join(folder, "helpdesk/support/tickets/collection.yaml"), (text) =>
    text.replace("restore: hasRole('lead')", "restore: hasRole('agent')"),
  );
  const plan = await planOf(folder);
  expect(changes(original, plan)).toEqual([
    "configuration.json",
    "helpdesk/support/tickets/rules.ts",
    "manifest.json",
  ]);
  expect(plan.manifest.fingerprint).not.toBe(original.manifest.fingerprint);
});

/** Files that go. */
function filesOf(folder: string, ...names: readonly string[]): readonly string[] {
  return names.map((name) => `-helpdesk/support/${folder}/${name}`);
}

test("a collection removed: its files go, what named it changes", async () => {
  const folder = copy("helpdesk");
  // With the functions that use it.
  for (const name of ["replies", "_func/close", "_func/inbound", "_func/reopen"])
    rmSync(join(folder, "helpdesk/support", name), { recursive: true });
  expect(changes(original, await planOf(folder, original))).toEqual([
    "configuration.json",
    "helpdesk/client.ts",
    "helpdesk/effective.json",
    "helpdesk/functions.ts",
    "helpdesk/openapi.json",
    "helpdesk/realm.ts",
    "helpdesk/rule-test.schema.json",
    "manifest.json",
    ...filesOf("_func/close", "$types.ts", "function.ts"),
    ...filesOf("_func/close", "input.validate.d.ts", "input.validate.js"),
    ...filesOf("_func/close", "output.validate.d.ts", "output.validate.js", "rules.ts"),
    ...filesOf("_func/inbound", "$types.ts", "function.ts", "rules.ts"),
    ...filesOf("_func/reopen", "$types.ts", "function.ts", "rules.ts"),
    ...filesOf("replies", "fields.ts", "routes.ts", "rule-test.schema.json", "rules.ts", "types.ts"),
    ...filesOf("replies", "validate.d.ts", "validate.js"),
  ]);
});

test("another realm with the same collections: the first stays as it is", async () => {
  const plan = await planOf(copy("helpdesk", "helpline"));
  const others = changes(original, plan).filter((path) => !path.startsWith("helpline/"));
  expect(others).toEqual(["configuration.json", "server.ts", "manifest.json"]);
  const first = plan.manifest.realms["helpdesk"];
  expect(first).toEqual(original.manifest.realms["helpdesk"]);
});
