/** What the warm compiler makes, and why, on changes to one configuration. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyDifference, compareOutput } from "../output/write.ts";
import { packageRoot } from "../package/package.ts";
import { type Output, WarmCompiler } from "./compile.ts";
import { explain } from "./explain.ts";
import { changesBetween, type Inputs, readInputs } from "./inputs.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-compile-"));
const config = join(folder, "config");
const warm = new WarmCompiler(config, join(folder, "generated"));
let inputs: Inputs;
let output: Output;

beforeAll(async () => {
  for (const name of ["blog", "helpdesk"]) {
    cpSync(join(packageRoot, "examples", name), join(config, name), { recursive: true });
  }
  inputs = readInputs(config);
  output = outputOf(await warm.compile(inputs));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function outputOf({ output: made, diagnostics }: Awaited<ReturnType<WarmCompiler["compile"]>>): Output {
  if (made === undefined) throw new Error(JSON.stringify(diagnostics));
  return made;
}

function edit(path: string, change: (text: string) => string): void {
  const text = readFileSync(join(config, path), "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`nothing changes in ${path}`);
  writeFileSync(join(config, path), changed);
}

/** What comes of the changes so far, compared with what came before. */
async function effects() {
  const now = readInputs(config);
  const next = outputOf(await warm.compile(now));
  // Whatever is kept from before, the outcome is that of a compiler that starts anew.
  const fresh = outputOf(await new WarmCompiler(config, join(folder, "generated")).compile(now));
  expect(next.plan).toEqual(fresh.plan);
  const explained = explain(output.realms, next.realms, changesBetween(inputs, now));
  [inputs, output] = [now, next];
  return explained;
}

const tickets = "helpdesk/support/tickets/collection.yaml";

test("a rule: its file, and nothing of other realms is made again", async () => {
  const before = output.realms.get("blog");
  edit(tickets, (text) => text.replace("restore: hasRole('lead')", "restore: hasRole('agent', 'lead')"));
  expect(await effects()).toMatchObject({
    effects: ["support/tickets: collection.yaml → rules.ts"],
    changed: ["helpdesk"],
  });
  expect(output.realms.get("blog")).toBe(before);
});

test("the same rule again: what was known of it is right still", async () => {
  edit(tickets, (text) => text.replace("restore: hasRole('agent', 'lead')", "restore: hasRole('lead')"));
  expect((await effects()).effects).toEqual(["support/tickets: collection.yaml → rules.ts"]);
});

test("roles: what uses them is checked anew", async () => {
  edit("helpdesk/realm.yaml", (text) => text.replace(/^( *)lead:/m, "$1chief:"));
  const { diagnostics, output: none } = await warm.compile(readInputs(config));
  expect(none).toBeUndefined();
  expect(diagnostics.map(({ code }) => code)).toContain("rule-unknown-role");
  edit("helpdesk/realm.yaml", (text) => text.replace(/^( *)chief:/m, "$1lead:"));
  expect(await effects()).toMatchObject({ effects: [], changed: [], without: [] });
});

test("a comment: nothing", async () => {
  edit("blog/realm.yaml", (text) => `${text}# Nothing.\n`);
  expect(await effects()).toMatchObject({ effects: [], changed: [], without: ["blog/realm.yaml"] });
});

test("a read rule that goes with its field: refused, as long as the output before says that there was one", async () => {
  const out = join(folder, "hiding");
  const hiding = new WarmCompiler(config, out);
  const rule = "\n  internal: { read: hasRole('lead') }";
  edit(tickets, (text) => text.replace(/^fields:$/m, `fields:${rule}`));
  const { plan } = outputOf(await hiding.compile(readInputs(config)));
  await applyDifference(out, await compareOutput(out, plan));
  edit(tickets, (text) => text.replace(rule, ""));
  for (let time = 0; time < 2; time++) {
    const { diagnostics, output: none } = await hiding.compile(readInputs(config));
    expect(none).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(["retired-field-readable"]);
  }
});

test("a realm that goes", async () => {
  rmSync(join(config, "blog"), { recursive: true });
  expect(await effects()).toMatchObject({ effects: [], changed: [], added: [], removed: ["blog"] });
});
