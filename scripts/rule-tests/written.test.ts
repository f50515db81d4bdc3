/**
 * What `realmc test --write` makes of the examples, their own tests taken away, tests them: it passes, covers what it says, and kills
 * the mutants of every clause but those that nobody could kill, and those that its own comments name.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import { root } from "../workspace.ts";
import { mutantsOf } from "./mutants.ts";
import survivors from "./survivors.json" with { type: "json" };

/** Outcomes that need another `app_config` than the realm's, of which a file has one. */
const missing = ["appConfig.accepting_tickets -> true"];

test("first tests of the examples pass, and kill every mutant that can be killed", {
  timeout: 240_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-written-"));
  try {
    const alive: string[] = [];
    let all = 0;
    for (const [name, config] of [
      ["examples", join(root, "examples")],
      ["init", join(root, "compiler/init/template/config")],
    ] as const) {
      cpSync(config, join(folder, name), { recursive: true, filter: (path) => basename(path) !== "_tests" });
      const realmc = commandsIn(folder);
      const said = await realmc("test", name, "--write");
      expect([said.status, said.stderr]).toEqual([0, expect.anything()]);
      const ran = await realmc("test", name);
      expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining(" 0 failed")]);
      const mutants = (await mutantsOf(join(folder, name))).filter(({ name: mutant }) =>
        isOfCollection(mutant),
      );
      all += mutants.length;
      alive.push(...mutants.filter(({ killed }) => !killed).map((mutant) => mutant.name));
    }
    expect(all).toBeGreaterThan(140);
    const unexplained = alive.filter(
      (name) => !Object.hasOwn(survivors, name) && !missing.some((each) => name.endsWith(each)),
    );
    expect(unexplained).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** First tests are those of collections; rules of functions and of making organizations have none. */
function isOfCollection(name: string): boolean {
  return / (?:rules|fields)\./.test(name);
}
