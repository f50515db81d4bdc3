/** `realmc diff`: exit codes, what goes where, configurations and outputs. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeRealm } from "../diff/testing/case.ts";
import { ruled } from "../diff/testing/rule-cases.ts";
import { commandsIn, entry, ran, realmcIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-cli-diff-"));
const realmc = commandsIn(folder);

beforeAll(async () => {
  writeRealm(join(folder, "old/desk"), ruled("rules: { read: \"hasRole('lead')\" }\n"));
  writeRealm(join(folder, "now/desk"), ruled("rules: { read: true }\n"));
  writeRealm(join(folder, "broken/desk"), ruled("rules: { read: \"hasRole('laed')\" }\n"));
  expect((await realmc("build", "old", "--out", "old-output")).status).toBe(0);
  expect((await realmc("build", "now", "--out", "now-output")).status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the matrix, that gain. */
const rows = [
  ...["anonymous", "signed in", "owner", "role agent", "member", "org role clerk", "org role owner"],
  ...["team", "team role lead"],
];

const widened = {
  kind: "additive",
  realm: "desk",
  where: "db/notes rules.read",
  message: "was `hasRole('lead')`, is allowed to everybody; an anonymous caller may now read any document",
  cells: rows.map((row) => ({ row, column: "read", was: "never", is: "always" })),
};

describe("realmc diff", () => {
  test("nothing that breaks: exit 0, a line a change on stdout, how many on stderr", async () => {
    const { status, stdout, stderr } = await realmc("diff", "old", "now");
    expect([status, stdout]).toEqual([
      0,
      `additive desk db/notes rules.read: ${widened.message} (rule-widened)\n` +
        `  read of ${rows.join(", ")}: never -> always\n`,
    ]);
    expect(stderr).toMatch(/^1 additive$/m);
  });

  test("something that breaks: exit 1, or 0 with --allow-breaking", async () => {
    const { status, stdout } = await realmc("diff", "now", "old");
    expect([status, stdout.split(" ", 1)]).toEqual([1, ["breaking"]]);
    expect(await realmc("diff", "now", "old", "--allow-breaking")).toMatchObject({ status: 0, stdout });
  });

  test("no changes: exit 0, nothing on stdout", async () => {
    const { status, stdout, stderr } = await realmc("diff", "old", "old");
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^no changes$/m);
  });

  test("--format json", async () => {
    const { status, stdout } = await realmc("diff", "old", "now", "--format", "json");
    expect([status, JSON.parse(stdout)]).toEqual([0, { changes: [widened] }]);
    expect(JSON.parse((await realmc("diff", "old", "old", "--format", "json")).stdout)).toEqual({
      changes: [],
    });
  });

  test("outputs are compared as the configurations that they were built from, and with configurations", async () => {
    for (const [old, now] of [
      ["old-output", "now-output"],
      ["old", "now-output"],
      ["old-output", "now"],
    ] as const) {
      const { status, stdout } = await realmc("diff", old, now, "--format", "json");
      expect([status, JSON.parse(stdout)]).toEqual([0, { changes: [widened] }]);
    }
    expect(await realmc("diff", "old", "old-output")).toMatchObject({ status: 0, stdout: "" });
  });

  test("output that does not hold what was built, or was changed: exit 2", async () => {
    cpSync(join(folder, "old-output"), join(folder, "changed"), { recursive: true });
    const path = join(folder, "changed/configuration.json");
    writeFileSync(path, readFileSync(path, "utf8").replace("hasRole('lead')", "hasRole('agent')"));
    const { status, stdout, stderr } = await realmc("diff", "changed", "now");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("the output in changed does not hold the configuration that it was built from");
  });

  test("mistakes in one of the two: exit 1 with its diagnostics on stderr, nothing on stdout", async () => {
    for (const words of [
      ["old", "broken"],
      ["broken", "old"],
    ]) {
      const { status, stdout, stderr } = await realmc("diff", ...words);
      expect([status, stdout]).toEqual([1, ""]);
      expect(await realmc("diff", ...words, "--allow-breaking")).toMatchObject({ status: 1, stdout: "" });
      expect(stderr).toContain("desk/db/notes/collection.yaml:3:25 error rule-unknown-role");
      expect(stderr).toMatch(/^error: broken cannot be compared/m);
    }
    expect(await realmc("diff", "old", "nowhere")).toMatchObject({ status: 2, stdout: "" });
    expect((await realmc("diff", "old")).status).toBe(2);
  });

  test("as a process: the same exit codes and streams", () => {
    const process = realmcIn(folder);
    const breaking = process("diff", "now", "old");
    expect([breaking.status, breaking.stdout.split(" ", 1)]).toEqual([1, ["breaking"]]);
    expect(breaking.stderr).toMatch(/^1 breaking$/m);
    expect(process("diff", "old", "nowhere")).toMatchObject({ status: 2, stdout: "" });
  });

  test("who reads may stop reading: no stack", () => {
    const command = '"$0" "$1" diff now old | true';
    const { stderr } = ran("sh", ["-c", command, process.execPath, entry], folder);
    expect(stderr).toMatch(/^1 breaking$/m);
    expect(stderr).not.toContain("EPIPE");
  });

  test("a read rule that goes with its field is a leak: exit 1, also with --allow-breaking", async () => {
    const hidden = "rules: { read: true }\nfields: { salary: { read: hasRole('lead') } }\n";
    writeRealm(join(folder, "hiding/desk"), ruled(hidden));
    for (const words of [[], ["--allow-breaking"]]) {
      const { status, stdout, stderr } = await realmc("diff", "hiding", "now", ...words);
      expect([status, stdout]).toEqual([
        1,
        "leak desk db/notes fields.salary.read: was hidden by `hasRole('lead')`; the schema does not declare it any longer, and nothing hides what is stored there; an anonymous caller may now see the field salary of any document (retired-field-readable)\n",
      ]);
      expect(stderr).toMatch(/^1 leak$/m);
    }
  });
});
