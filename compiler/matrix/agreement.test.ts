/** The matrix against the meaning of random rules, which is written down independently of the compiler. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import type { Collection, FieldRules, Realm } from "../model/model.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { holds } from "../rules/form/evaluate.ts";
import type { Condition } from "../rules/form/form.ts";
import { compileRules } from "../rules/rules.ts";
import { ruleArbitrary } from "../rules/testing/random-rules.ts";
import type { BooleanRule, World } from "../rules/testing/random-values.ts";
import { contextArbitrary, documentArbitrary } from "../rules/testing/random-worlds.ts";
import { noteFields, noteRealm, organizations, ruleSource } from "../rules/testing/realms.ts";
import type { Cell } from "./cells.ts";
import { type CollectionMatrix, matrixOf } from "./matrix.ts";
import { type Belongs, type RowWorlds, worldsOf } from "./testing/worlds.ts";

const worlds = fc.sample(
  fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
  { seed: 31, numRuns: 40 },
);

/** A collection of random rules, what they mean, and its matrix. */
interface Subject {
  readonly read: BooleanRule;
  readonly create: BooleanRule;
  readonly update: BooleanRule;
  readonly ofField: BooleanRule;
  readonly belongs: Belongs;
  readonly required: boolean;
  readonly matrix: CollectionMatrix;
  readonly name: string;
}

/** What happens, by the subject's columns; undefined where the column does not speak of such a world. */
const meanings: Readonly<Record<string, (subject: Subject, worlds: RowWorlds) => boolean>> = {
  create: ({ create, belongs, required }, { create: world }) => {
    const { _meta: meta } = world.data;
    const isPlaced = JSON.stringify(meta ?? {}).includes("org");
    return (!belongs.organization || !required || isPlaced) && create.of(world);
  },
  read: ({ read }, { stored }) => read.of(stored),
  update: ({ read, update }, { stored }) => read.of(stored) && update.of(stored),
  delete: ({ read, ofField }, { stored }) => read.of(stored) && ofField.of(stored),
  "fields.title.read": ({ read, ofField }, { stored }) => read.of(stored) && ofField.of(stored),
};

let subjects: readonly Subject[] = [];
let realm: Realm;

beforeAll(() => {
  const number = runs(300);
  const stored = fc.sample(ruleArbitrary({ data: false }, 2), { seed: 32, numRuns: 2 * number });
  const written = fc.sample(ruleArbitrary({ data: true }, 2), { seed: 33, numRuns: number });
  // A create rule knows no document.
  const created = fc
    .sample(ruleArbitrary({ data: true }, 1), { seed: 34, numRuns: 60 * number })
    .filter(({ text }) => !text.includes("document"));
  const pick = <T>(from: readonly T[], at: number): T => {
    const found = from[at % from.length];
    if (found === undefined) throw new Error("no rules were made");
    return found;
  };
  const sketches = Array.from({ length: number }, (_, at) => ({
    read: pick(stored, 2 * at),
    ofField: pick(stored, 2 * at + 1),
    update: pick(written, at),
    create: pick(created, at),
    belongs: { organization: at % 4 !== 3, teams: at % 4 < 2 },
    required: at % 2 === 0,
    name: `notes${at}`,
  }));
  const collections = sketches.map(({ name, read, update, create, ofField, belongs, required }, at) => {
    const fieldRead = ruleSource(ofField.text, "read", at + 1);
    const fieldRules: readonly FieldRules[] = [{ path: "title", span: fieldRead.span, read: fieldRead }];
    return collectionOf("desk", "db", name, {
      ...(belongs.organization && {
        organization: { required, ...(belongs.teams && { teams: "optional" }), onDelete: "keep" },
      }),
      fields: noteFields,
      rules: {
        read: ruleSource(read.text, "read", at + 1),
        create: ruleSource(create.text, "create", at + 1),
        update: ruleSource(update.text, "update", at + 1),
        delete: ruleSource(ofField.text, "delete", at + 1),
      },
      fieldRules,
    });
  });
  realm = realmWith(collections);
  const stage = compileRules(realm);
  const whole = collections.filter(({ name }) => isWhole(stage, name));
  const rows = matrixOf([{ realm: realmWith(whole), rules: stage }]).realms["desk"] ?? {};
  subjects = sketches.flatMap((sketch) => {
    const matrix = rows[`db/${sketch.name}`];
    return matrix === undefined ? [] : [{ ...sketch, matrix }];
  });
}, 600_000);

function realmWith(collections: readonly Collection[]): Realm {
  const [first] = collections;
  if (first === undefined) throw new Error("there is no collection");
  return { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
}

/** Rules that make no sense, or no filter, are refused. */
function isWhole({ collections }: RulesStage, name: string): boolean {
  const compiled = collections.get(`db/${name}`);
  return (
    compiled !== undefined &&
    Object.keys(compiled.rules).length === 4 &&
    compiled.fieldRules.every(({ read }) => read !== undefined)
  );
}

/** Every subject, row and column with every world of it. */
function* claims(): Generator<{
  readonly subject: Subject;
  readonly row: string;
  readonly column: string;
  readonly cell: Cell;
  readonly outcome: boolean;
  readonly worlds: RowWorlds;
}> {
  for (const subject of subjects) {
    for (const [row, cells] of Object.entries(subject.matrix)) {
      if (row === "key") continue;
      for (const random of worlds) {
        const inRow = worldsOf(row, random, subject.belongs);
        if (inRow === undefined) continue;
        for (const [column, meaning] of Object.entries(meanings)) {
          const cell = cells[column];
          if (cell === undefined) continue;
          yield { subject, row, column, cell, outcome: meaning(subject, inRow), worlds: inRow };
        }
      }
    }
  }
}

describe("random rules, callers and documents", () => {
  it("always and never are what happens to every caller of the row", () => {
    const judged = { always: 0, never: 0 };
    for (const { subject, row, column, cell, outcome, worlds: inRow } of claims()) {
      if (cell.cell !== "always" && cell.cell !== "never") continue;
      judged[cell.cell]++;
      if (outcome === (cell.cell === "always")) continue;
      expect.fail(`${row}: ${column} is not ${cell.cell}: ${JSON.stringify({ subject, inRow })}`);
    }
    expect(judged.always).toBeGreaterThan(runs(20_000) / 10);
    expect(judged.never).toBeGreaterThan(runs(100_000) / 10);
  });

  it("what is left of a rule is a rule, and holds for the same callers of the row and documents", () => {
    const conditions = compiledConditions();
    let agreed = 0;
    for (const { row, column, cell, outcome, worlds: inRow, subject } of claims()) {
      const condition = cell.condition === null ? undefined : conditions.get(cell.condition);
      if (condition === undefined) continue;
      const { context, document, data } = column === "create" ? inRow.create : inRow.stored;
      const isHeld = holds(condition, { context, document, data });
      if (isHeld !== outcome)
        expect.fail(`${row}: ${column} ${cell.condition}: ${outcome} ${JSON.stringify({ subject, inRow })}`);
      agreed++;
    }
    expect(agreed).toBeGreaterThan(runs(100_000) / 10);
  });

  it("few cells are undecided", () => {
    const all = subjects.flatMap(({ matrix }) =>
      Object.values(matrix).flatMap((cells) => Object.values(cells)),
    );
    const undecided = all.filter(({ cell }) => cell === "undecided").length;
    expect(all.length).toBeGreaterThan(1_000);
    expect(undecided / all.length).toBeLessThan(0.02);
  });
});

/** Conditions of cells, compiled as the rules that they are. */
function compiledConditions(): ReadonlyMap<string, Condition> {
  const texts = [
    ...new Set(
      subjects.flatMap(({ matrix }) =>
        Object.values(matrix).flatMap((cells) =>
          Object.values(cells).flatMap(({ condition }) => condition ?? []),
        ),
      ),
    ),
  ];
  const collections = texts.map((text, at) =>
    collectionOf("desk", "db", `left${at}`, {
      organization: { required: false, teams: "optional", onDelete: "keep" },
      fields: noteFields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const { collections: compiled } = compileRules(realmWith(collections));
  const found = texts.flatMap((text, at): [string, Condition][] => {
    const rule = compiled.get(`db/left${at}`)?.rules.update;
    return rule === undefined ? [] : [[text, rule.form.condition]];
  });
  expect(found.length).toBeGreaterThan(texts.length * 0.8);
  return new Map(found);
}
