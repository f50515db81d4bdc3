/** Functions in two versions: what goes one way is judged for that way alone, and rules by what they mean. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn } from "../cli/testing/commands.ts";
import { diffRealms } from "./diff.ts";
import { analyseSides } from "./sides.ts";
import { writeRealm } from "./testing/case.ts";
import { functioning } from "./testing/function-cases.ts";

async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "realmc-diff-functions-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function changesOf(old: string, now: string): Promise<readonly string[]> {
  return inFolder(async (folder) => {
    writeRealm(join(folder, "old/desk"), functioning(old));
    writeRealm(join(folder, "now/desk"), functioning(now));
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const errors = [sides.old, sides.now].flatMap(({ diagnostics }) =>
      diagnostics.filter(({ severity }) => severity === "error"),
    );
    expect(errors).toEqual([]);
    return diffRealms(sides.old.realms, sides.now.realms).map(
      ({ kind, where, message, check }) =>
        `${kind} ${where.replace("db/_func/fn ", "")}: ${message} (${check})`,
    );
  });
}

const call = (invoke: string, more = ""): string => `mode: call\ninvoke: "${invoke}"\n${more}`;
const input = (properties: object, required: readonly string[] = []): string =>
  `input: ${JSON.stringify({ type: "object", additionalProperties: false, properties, required })}\n`;
const output = (properties: object, required: readonly string[] = []): string =>
  `output: ${JSON.stringify({ type: "object", properties, required })}\n`;
const text = { type: "string" };

test.each<readonly [what: string, old: string, now: string, ...changes: string[]]>([
  [
    "a role more may call",
    call("hasRole('lead')"),
    call("hasRole('lead', 'agent')"),
    "additive invoke: `hasRole('agent')` is enough now; a user with the role agent may now call it with anything (rule-widened)",
  ],
  [
    "what is called with must fit",
    call("user != null", input({ kind: { enum: ["a", "b"] } }, ["kind"])),
    call("user != null && data.kind == 'a'", input({ kind: { enum: ["a", "b"] } }, ["kind"])),
    'breaking invoke: `data.kind == \'a\'` is required now; a signed-in user may no longer call it with {"kind":"b"} (rule-narrowed)',
  ],
  [
    "a rule that its input makes the same is the same",
    call("user != null", input({ count: { type: "integer", minimum: 1 } }, ["count"])),
    call("user != null && data.count > 0", input({ count: { type: "integer", minimum: 1 } }, ["count"])),
    "internal invoke: written otherwise, means the same (rule-rewritten)",
  ],
  [
    "a rule that may be narrower is taken for one",
    call("data.name.length > 500", input({ name: text }, ["name"])),
    call("hasRole('lead')", input({ name: text }, ["name"])),
    'breaking invoke: was `data.name.length > 500`, is `hasRole(\'lead\')`; a user with the role lead may now call it with {"name":"a"}; nobody was found who loses anything, but that is not proven (rule-unproven)',
  ],
  [
    "webhooks are called with nothing that rules see",
    "mode: webhook\ninvoke: true\n",
    "mode: webhook\ninvoke: user == null\n",
    "breaking invoke: was allowed to everybody, is `user == null`; a signed-in user may no longer call it (rule-narrowed)",
  ],
  [
    "a member that callers must send now",
    call("true", input({ a: text })),
    call("true", input({ a: text, b: text }, ["b"])),
    "breaking input.b: the field is new and required (input-narrowed)",
  ],
  [
    "a member that may be left out now, of input and of output",
    call("true", input({ a: text }, ["a"]) + output({ a: text }, ["a"])),
    call("true", input({ a: text }) + output({ a: text })),
    "breaking output.a: the field is optional (output-widened)",
    "additive input.a: the field is optional (input-widened)",
  ],
  [
    "a schema for what took nothing",
    call("true"),
    call("true", input({ a: text })),
    "additive input.a: the field is new and optional (input-widened)",
  ],
  [
    "of another mode nothing but that is told of what callers send",
    call("true", `idempotency: required\n${input({ a: text })}`),
    "mode: webhook\ninvoke: true\n",
    "breaking mode: was a function of mode call, is one of mode webhook (function-mode-changed)",
  ],
])("%s", async (_, old, now, ...changes) => {
  expect(await changesOf(old, now)).toEqual(changes);
});

test("outputs are compared by what they were built from, code included", async () => {
  await inFolder(async (folder) => {
    writeRealm(join(folder, "old/desk"), functioning("mode: call\ninvoke: true\n"));
    cpSync(join(folder, "old"), join(folder, "now"), { recursive: true });
    const handler = "// Otherwise.\nexport default async () => null;\n";
    writeFileSync(join(folder, "now/desk/db/_func/fn/handler.ts"), handler);
    const realmc = commandsIn(folder);
    for (const side of ["old", "now"]) {
      const built = await realmc("build", side, "--out", `${side}-generated`);
      expect(built).toMatchObject({ status: 0 });
    }
    const line =
      "internal desk db/_func/fn: the code changed (handler.ts): what it does may differ (handler-changed)\n";
    for (const [old, now] of [
      ["old-generated", "now-generated"],
      ["old-generated", "now"],
      ["old", "now-generated"],
    ] as const)
      expect((await realmc("diff", old, now)).stdout).toBe(line);
    expect((await realmc("diff", "old", "old-generated")).stdout).toBe("");
  });
});

test("a value of app_config is told with the rules of functions that read it", async () => {
  await inFolder(async (folder) => {
    for (const [side, open] of [
      ["old", true],
      ["now", false],
    ] as const) {
      const sketch = functioning("mode: call\ninvoke: appConfig.open\n", {
        "db/_func/told/function.yaml":
          "mode: event\ntriggers: [{ collection: notes, on: [create], when: appConfig.open }]\n",
        "db/_func/told/handler.ts": "export default async () => null;\n",
      });
      writeRealm(join(folder, side, "desk"), {
        ...sketch,
        realm: `${sketch.realm}app_config: { open: ${open} }\n`,
      });
    }
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const told = diffRealms(sides.old.realms, sides.now.realms).find(
      ({ check }) => check === "app-config-changed",
    );
    expect(told?.message).toBe(
      "was true and is false; rules that read it: db/_func/fn invoke, db/_func/told triggers[0].when",
    );
  });
});
