/**
 * Every claim of the analyser, "always", "never" and "implies", against all callers and documents of a small domain: nothing
 * that it says is proved has an exception in it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import { outcomeOf } from "../check/clauses/clauses.ts";
import { holds } from "../rules/form/evaluate.ts";
import type { Condition } from "../rules/form/form.ts";
import { compileRules } from "../rules/rules.ts";
import { noteRealm, organizations, ruleSource } from "../rules/testing/realms.ts";
import { relationOf } from "./relation.ts";
import { smallFields, smallRule, smallWorlds } from "./testing/small-domain.ts";

function conditions(): readonly Condition[] {
  const texts = fc.sample(smallRule(2), { seed: 41, numRuns: runs(300) });
  const collections = texts.map((text, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      organization: { required: false, teams: "optional", onDelete: "keep" },
      fields: smallFields,
      rules: { delete: ruleSource(text, "delete", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) return [];
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const { collections: compiled } = compileRules(realm);
  return [...compiled.values()].flatMap(({ rules }) => rules.delete?.form.condition ?? []);
}

test("what is said to be always, never or implied has no exception in a small domain", () => {
  const all = conditions();
  expect(all.length).toBeGreaterThan(runs(300) / 2);
  const outcomes = all.map((condition) => smallWorlds.map((world) => holds(condition, world)));
  const found = { constant: 0, implied: 0, related: 0 };
  for (const [at, condition] of all.entries()) {
    const own = outcomes[at] ?? [];
    const claimed = outcomeOf(condition);
    if (claimed !== undefined) {
      found.constant++;
      expect(own.every((outcome) => outcome === claimed)).toBe(true);
    }
    for (const [beside, other] of all.entries()) {
      if (beside <= at || beside > at + 8) continue;
      const others = outcomes[beside] ?? [];
      const { forward, backward } = relationOf(condition, other);
      found.related++;
      found.implied += Number(forward) + Number(backward);
      if (forward) expect(own.some((outcome, world) => outcome && others[world] === false)).toBe(false);
      if (backward) expect(others.some((outcome, world) => outcome && own[world] === false)).toBe(false);
    }
  }
  expect(found.related).toBeGreaterThan(runs(300));
  expect(found.implied).toBeGreaterThan(found.related / 50);
}, 600_000);
