/** Random changes of rules against their meaning: whoever gains is told of, and nothing passes that lets anybody in. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../runtime/testing/random.ts";
import { collectionOf } from "../../../templates/testing/models.ts";
import type { FieldRules } from "../../model/model.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import { compileRules } from "../../rules/rules.ts";
import { ruleArbitrary } from "../../rules/testing/random-rules.ts";
import type { BooleanRule, World } from "../../rules/testing/random-values.ts";
import { contextArbitrary, documentArbitrary } from "../../rules/testing/random-worlds.ts";
import {
  noteFields,
  noteRealm,
  ofOrganizations,
  organizations,
  ruleSource,
} from "../../rules/testing/realms.ts";
import { gainsInCollections } from "./gains.ts";

const worlds = fc
  .sample(
    fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
    { seed: 51, numRuns: 400 },
  )
  // An update leaves a document where it is.
  .map((world) => ({
    ...world,
    data: { ...world.data, ...("_meta" in world.document ? { _meta: world.document["_meta"] } : {}) },
  }));

interface Version {
  readonly read: BooleanRule;
  readonly update: BooleanRule;
  readonly ofField: BooleanRule;
}

const meanings: Readonly<Record<string, (version: Version, world: World) => boolean>> = {
  read: ({ read }, world) => read.of(world),
  update: ({ read, update }, world) => read.of(world) && update.of(world),
  "fields.title.read": ({ read, ofField }, world) => read.of(world) && ofField.of(world),
};

function analysed(versions: readonly Version[]): AnalysedRealm {
  const collections = versions.map(({ read, update, ofField }, at) => {
    const fieldRead = ruleSource(ofField.text, "read", at + 1);
    const fieldRules: readonly FieldRules[] = [{ path: "title", span: fieldRead.span, read: fieldRead }];
    return collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: {
        read: ruleSource(read.text, "read", at + 1),
        update: ruleSource(update.text, "update", at + 1),
      },
      fieldRules,
    });
  });
  const [first] = collections;
  if (first === undefined) throw new Error("there is no collection");
  const realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  return { realm, rules: compileRules(realm) };
}

test("an access that no gain is told of is one that nobody has gained", () => {
  const number = runs(150);
  const rules = fc.sample(ruleArbitrary({ data: false }, 1), { seed: 52, numRuns: number + 3 });
  const at = (index: number): BooleanRule => {
    const rule = rules[index % rules.length];
    if (rule === undefined) throw new Error("no rules were made");
    return rule;
  };
  const or = (a: BooleanRule, b: BooleanRule): BooleanRule => ({
    text: `(${a.text}) || (${b.text})`,
    of: (world) => a.of(world) || b.of(world),
  });
  const and = (a: BooleanRule, b: BooleanRule): BooleanRule => ({
    text: `(${a.text}) && (${b.text})`,
    of: (world) => a.of(world) && b.of(world),
  });
  const before = Array.from({ length: number }, (_, index) => ({
    read: or(at(index), at(index + 1)),
    update: at(index + 2),
    ofField: at(index + 3),
  }));
  // Narrower, wider, and as it comes.
  const after = before.map(({ read, update, ofField }, index) => ({
    read: index % 3 === 0 ? and(read, at(index + 5)) : index % 3 === 1 ? or(read, at(index + 5)) : read,
    update: index % 2 === 0 ? update : at(index + 6),
    ofField: index % 4 === 0 ? or(ofField, at(index + 7)) : ofField,
  }));
  const [old, now] = [analysed(before), analysed(after)];
  const told = gainsInCollections(old, now);
  const isTold = new Set(told.map(({ where, column }) => `${where} ${column}`));
  const judged = { passed: 0, told: 0 };
  for (const [index, version] of after.entries()) {
    const place = `db/notes${index}`;
    const compiled = [old, now].map(({ rules: { collections } }) => collections.get(place));
    // What makes no sense, or no filter, is refused.
    const isWhole = compiled.every(
      (each) => each?.rules.read && each.rules.update && each.fieldRules[0]?.read !== undefined,
    );
    const former = before[index];
    if (!isWhole || former === undefined) continue;
    for (const [column, meaning] of Object.entries(meanings)) {
      if (isTold.has(`${place} ${column}`)) {
        judged.told++;
        continue;
      }
      judged.passed++;
      const gained = worlds.find((world) => meaning(version, world) && !meaning(former, world));
      expect(gained, `${place} ${column}: ${JSON.stringify([former, version])}`).toBeUndefined();
    }
  }
  expect(judged.passed).toBeGreaterThan(number / 2);
  expect(judged.told).toBeGreaterThan(number / 5);
}, 600_000);
