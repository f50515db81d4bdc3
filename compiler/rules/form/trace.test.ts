import fc from "fast-check";
import { expect, it } from "vitest";
import { collectionOf } from "../../../templates/testing/models.ts";
import { compileRules } from "../rules.ts";
import { ruleArbitrary } from "../testing/random-rules.ts";
import type { World } from "../testing/random-values.ts";
import { contextArbitrary, documentArbitrary } from "../testing/random-worlds.ts";
import { noteFields, noteRealm, ofOrganizations, organizations, ruleSource } from "../testing/realms.ts";
import { holds } from "./evaluate.ts";
import { type Condition, isLeaf, mapTerms } from "./form.ts";
import { clausesIn, decidingIn, traceOf } from "./trace.ts";

const worlds = fc.sample(
  fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
  { seed: 13, numRuns: 60 },
);

const conditions = conditionsOf(
  fc.sample(ruleArbitrary({ data: true }), { seed: 14, numRuns: 150 }).map(({ text }) => text),
);

function conditionsOf(texts: readonly string[]): readonly Condition[] {
  const collections = texts.map((text, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) throw new Error("there are no rules");
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  return [...compileRules(realm).collections.values()].flatMap(({ rules }) => rules.update?.written ?? []);
}

/** With each clause that decides a constant, and of the others whatever `chosen` says. */
function othersChanged(
  condition: Condition,
  world: World,
  deciding: ReadonlySet<Condition>,
  chosen: () => boolean,
): Condition {
  if (isLeaf(condition) || condition.kind === "constant")
    return {
      kind: "constant",
      holds: deciding.has(condition) ? holds(condition, world) : chosen(),
      at: condition.at,
    };
  return mapTerms(condition, (term) => othersChanged(term, world, deciding, chosen));
}

it("what a trace says of a rule is what the rule comes to", () => {
  expect(conditions.length).toBeGreaterThan(75);
  const wrong = conditions.filter((condition) =>
    worlds.some((world) => traceOf(condition, world).value !== holds(condition, world)),
  );
  expect(wrong).toEqual([]);
});

it("whatever else the clauses beside those that decide came to, the outcome would be the same", () => {
  let others = 0;
  for (const condition of conditions) {
    for (const world of worlds) {
      const deciding = new Set(decidingIn(condition, world));
      others += clausesIn(condition).length - deciding.size;
      for (const first of [true, false]) {
        let next = first;
        const changed = othersChanged(condition, world, deciding, () => {
          next = !next;
          return next;
        });
        expect(holds(changed, world)).toBe(holds(condition, world));
      }
    }
  }
  expect(others).toBeGreaterThan(1000);
});

it("every clause that decides is a clause of the rule, as are those within values", () => {
  for (const condition of conditions) {
    const all = new Set(clausesIn(condition));
    const strange = worlds.flatMap((world) =>
      decidingIn(condition, world).filter((clause) => !all.has(clause)),
    );
    expect(strange).toEqual([]);
  }
});
