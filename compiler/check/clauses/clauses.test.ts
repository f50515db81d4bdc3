/** What is told of clauses is true: without them a rule is the same for every caller and document that is tried. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../runtime/testing/random.ts";
import { collectionOf } from "../../../templates/testing/models.ts";
import { anything } from "../../proofs/room.ts";
import { holds, type World } from "../../rules/form/evaluate.ts";
import { type At, type Condition, mapTerms } from "../../rules/form/form.ts";
import { constant } from "../../rules/form/simplify.ts";
import { compileRules } from "../../rules/rules.ts";
import { ruleArbitrary } from "../../rules/testing/random-rules.ts";
import { contextArbitrary, documentArbitrary } from "../../rules/testing/random-worlds.ts";
import {
  noteFields,
  noteRealm,
  ofOrganizations,
  organizations,
  ruleSource,
} from "../../rules/testing/realms.ts";
import { clauseFaults, outcomeOf } from "./clauses.ts";

const worlds = fc.sample(
  fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
  { seed: 41, numRuns: 150 },
);

/** Rules in which something is said again, or never asked. */
const shapes: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `(${a}) || (${b})`,
  (a, b) => `(${a}) && ((${b}) || (${a}))`,
  (a, b) => `(${a}) || ((${a}) && (${b}))`,
  (a, b) => `(${a}) ? (${b}) : ((${a}) || (${b}))`,
  (a, b) => `!((${a}) && ((${b}) && !(${a})))`,
];

test("no clause that is told of changes an outcome", () => {
  const texts = fc.sample(ruleArbitrary({ data: true }, 1), { seed: 42, numRuns: runs(600) });
  const rules = texts.map(({ text }, at) => {
    const shape = shapes[at % shapes.length];
    return shape === undefined ? text : shape(text, texts[(at + 1) % texts.length]?.text ?? text);
  });
  const collections = rules.map((text, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const [first] = collections;
  if (first === undefined) throw new Error("no rule");
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const compiled = compileRules(realm).collections;
  let told = 0;
  for (const [at, text] of rules.entries()) {
    const written = compiled.get(`db/notes${at}`)?.rules.update?.written;
    if (written === undefined || outcomeOf(written) !== undefined) continue;
    for (const fault of clauseFaults(written, { text, room: anything, said: () => undefined })) {
      const same = [true, false].some((outcome) => {
        const without = replaced(written, fault.at, outcome);
        return (
          without !== undefined && worlds.every((world) => holds(without, world) === holds(written, world))
        );
      });
      // Those within values are not looked at.
      if (replaced(written, fault.at, true) !== undefined) {
        told++;
        expect(same, `${text}: ${fault.problem}`).toBe(true);
      }
    }
  }
  expect(told).toBeGreaterThan(runs(100));
}, 60_000);

/** Undefined where nothing stands at that place. */
function replaced(condition: Condition, at: At, outcome: boolean): Condition | undefined {
  let found = false;
  const change = (part: Condition): Condition => {
    if (part.at.start === at.start && part.at.end === at.end) {
      found = true;
      return constant(outcome, part.at);
    }
    return mapTerms(part, change);
  };
  const changed = mapTerms(condition, change);
  return found ? changed : undefined;
}
