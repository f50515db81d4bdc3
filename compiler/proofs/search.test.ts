import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import { holds, type World } from "../rules/form/evaluate.ts";
import type { Condition } from "../rules/form/form.ts";
import { compileRules } from "../rules/rules.ts";
import { ruleArbitrary } from "../rules/testing/random-rules.ts";
import { contextArbitrary, documentArbitrary } from "../rules/testing/random-worlds.ts";
import {
  noteFields,
  noteRealm,
  ofOrganizations,
  organizations,
  ruleSource,
} from "../rules/testing/realms.ts";
import { relationOf } from "./relation.ts";
import { anything } from "./room.ts";
import { findWitness, worldOf } from "./search.ts";

const worlds = fc.sample(
  fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
  { seed: 21, numRuns: 150 },
);

let pairs: readonly (readonly [Condition, Condition])[] = [];

beforeAll(() => {
  const rules = fc.sample(ruleArbitrary({ data: true }, 2), { seed: 22, numRuns: runs(300) });
  const collections = rules.map(({ text }, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) return;
  const { collections: compiled } = compileRules({
    ...noteRealm(first),
    organizations,
    databases: [{ name: "db", collections }],
  });
  const conditions = [...compiled.values()].flatMap(({ rules: own }) => own.update?.form.condition ?? []);
  pairs = conditions.slice(1).map((condition, at) => [conditions[at] ?? condition, condition] as const);
}, 60_000);

const circumstances = {
  appConfig: [{ trial_days: 14, limits: { max: 3 }, open_to: ["a", "b"], banner: "hello", frozen: false }],
  room: anything,
};

describe("pairs of random rules", () => {
  it("a witness is one: the first rule holds for it and the second does not", () => {
    let found = 0;
    for (const [wanted, unwanted] of pairs) {
      const witness = findWitness(wanted, unwanted, circumstances);
      if (witness === undefined) continue;
      found++;
      const world = worldOf(witness.choices, witness.unknowns);
      expect([holds(wanted, world), holds(unwanted, world)]).toEqual([true, false]);
    }
    expect(found).toBeGreaterThan(runs(100));
  });

  it("nearly always one is found where a random caller and document are one", () => {
    let there = 0;
    let missed = 0;
    for (const [wanted, unwanted] of pairs) {
      if (!worlds.some((world) => holds(wanted, world) && !holds(unwanted, world))) continue;
      there++;
      if (findWitness(wanted, unwanted, circumstances) === undefined) missed++;
    }
    expect(there).toBeGreaterThan(runs(80));
    expect(missed / there).toBeLessThan(0.05);
  });

  it("what the forms prove holds for every caller and document", () => {
    let proven = 0;
    for (const [one, other] of pairs) {
      for (const [a, b] of [
        [one, other],
        [one, { kind: "or", of: [other, one], at: one.at }],
        [{ kind: "and", of: [other, one], at: one.at }, other],
      ] as const) {
        const { forward, backward } = relationOf(a, b);
        if (forward || backward) proven++;
        for (const world of worlds) {
          const [left, right] = [holds(a, world), holds(b, world)];
          if (forward && left) expect(right).toBe(true);
          if (backward && right) expect(left).toBe(true);
        }
      }
    }
    expect(proven).toBeGreaterThan(runs(200));
  });
});
