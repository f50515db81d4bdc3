/**
 * What coverage calls tested is tested: of the rules of the examples, and of what `realmc init` writes, all clauses are covered, and
 * every rule with one clause negated or constant fails a rule test. Those that do not are in `survivors.json`, with the reason why
 * nobody could tell them from the rule.
 */
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../workspace.ts";
import { mutantsOf } from "./mutants.ts";
import survivors from "./survivors.json" with { type: "json" };

/** Milliseconds: some hundred runs of rule tests. */
const timeout = 240_000;

test("every mutant of a clause is killed by a rule test, but for those that are explained", {
  timeout,
}, async () => {
  const mutants = [
    ...(await mutantsOf(join(root, "examples"))),
    ...(await mutantsOf(join(root, "compiler/init/template/config"))),
  ];
  expect(mutants.length).toBeGreaterThan(150);
  const alive = mutants.filter(({ killed }) => !killed).map(({ name }) => name);
  expect(alive.sort()).toEqual(Object.keys(survivors).sort());
  for (const [name, reason] of Object.entries(survivors)) expect(reason, name).toMatch(/^\S.{30,}\.$/);
});
