/** The matrix against the meaning of random rules, which is written down independently of the compiler. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isFull } from "../../runtime/testing/random.ts";
import { collectionOf } from "../../templates/testing/models.ts";
import { holds } from "../rules/form/evaluate.ts";
import type { Condition } from "../rules/form/form.ts";
import { compileRules } from "../rules/rules.ts";
import type { World } from "../rules/testing/random-values.ts";
import { contextArbitrary, documentArbitrary } from "../rules/testing/random-worlds.ts";
import { noteFields, ofOrganizations, ruleSource } from "../rules/testing/realms.ts";
import type { Cell } from "./cells.ts";
import { randomSubjects, realmOf, type Subject } from "./testing/subjects.ts";
import { type RowWorlds, worldsOf } from "./testing/worlds.ts";

/** Random collections: each takes half a second to judge. */
const number = isFull ? 320 : 10;
/** What is tried of a number that all collections together pass. */
const share = (all: number): number => (all * number) / 320;
/** Each collection and row is asked about so many callers, documents and data of its own. */
const worldsEach = 64;
const worlds = fc.sample(
  fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
  { seed: 31, numRuns: number * worldsEach },
);

/** Whether something happens in a world. */
interface Deed {
  readonly world: World;
  readonly happens: boolean;
}

/** What happens, by the subject's columns, in each way to do it: a field is set in creates and in updates. */
const meanings: Readonly<Record<string, (subject: Subject, worlds: RowWorlds) => readonly Deed[][]>> = {
  create: (subject, { create: world }) => [[{ world, happens: isCreated(subject, world) }]],
  read: ({ rules }, { stored: world }) => [[{ world, happens: rules.read.of(world) }]],
  update: ({ rules }, { stored: world }) => [
    [{ world, happens: rules.read.of(world) && rules.update.of(world) }],
  ],
  delete: ({ rules }, { stored: world }) => [
    [{ world, happens: rules.read.of(world) && rules.delete.of(world) }],
  ],
  restore: ({ rules }, { trashed: world }) => [
    [{ world, happens: rules.read.of(world) && rules.restore.of(world) }],
  ],
  purge: ({ rules }, { stored, trashed }) => [
    [
      { world: stored, happens: rules.read.of(stored) && rules.purge.of(stored) },
      {
        world: trashed,
        happens: rules.read.of(trashed) && rules.restore.of(trashed) && rules.purge.of(trashed),
      },
    ],
  ],
  "fields.title.read": ({ rules, field }, { stored: world }) => [
    [{ world, happens: rules.read.of(world) && field.read.of(world) }],
  ],
  "fields.title.write": (subject, { create, stored }) => [
    [{ world: create, happens: isCreated(subject, create) && subject.field.write.of(create) }],
    [
      {
        world: stored,
        happens:
          subject.rules.read.of(stored) && subject.rules.update.of(stored) && subject.field.write.of(stored),
      },
    ],
  ],
};

function isCreated({ rules, belongs, required, ownId }: Subject, world: World): boolean {
  const isPlaced = JSON.stringify(world.data["_meta"] ?? {}).includes("org");
  if (belongs.organization && required && !isPlaced) return false;
  if (ownId && world.context.user === undefined) return false;
  return rules.create.of(world);
}

/** A cell with what happens in each way. */
interface Claim {
  readonly subject: Subject;
  readonly row: string;
  readonly column: string;
  readonly cell: Cell;
  readonly ways: readonly (readonly Deed[])[];
}

let subjects: readonly Subject[] = [];
let claims: readonly Claim[] = [];
/** Callers of a row with documents and rules. */
let tried = 0;

beforeAll(() => {
  subjects = randomSubjects(number);
  claims = subjects.flatMap((subject, at) =>
    Object.entries(subject.matrix).flatMap(([row, cells]) => {
      if (row === "key") return [];
      const own = worlds
        .slice(at * worldsEach, (at + 1) * worldsEach)
        .flatMap((random) => worldsOf(row, random, subject.belongs) ?? []);
      tried += own.length;
      return Object.entries(meanings).flatMap(([column, meaning]): readonly Claim[] => {
        const cell = cells[column];
        const all = own.map((each) => meaning(subject, each));
        const ways = all[0]?.map((_, way) => all.flatMap((deeds) => deeds[way] ?? [])) ?? [];
        return cell === undefined ? [] : [{ subject, row, column, cell, ways }];
      });
    }),
  );
}, 600_000);

describe("random rules, callers and documents", () => {
  it("always and never are what happens to every caller of the row", () => {
    const judged = { always: 0, never: 0 };
    for (const claim of claims) {
      const { cell } = claim.cell;
      if (cell !== "always" && cell !== "never") continue;
      judged[cell] += claim.ways.flat().length;
      if (cell === "never") agree(claim, claim.ways.flat(), () => false);
      else agreeWhereOpen(claim, () => true);
    }
    expect(tried).toBeGreaterThan(share(100_000));
    expect(judged.always).toBeGreaterThan(isFull ? 10_000 : 100);
    expect(judged.never).toBeGreaterThan(share(200_000));
  });

  it("what is left of a rule is a rule, and holds for the same callers of the row and documents", () => {
    const conditions = compiledConditions();
    const check = (text: string) => {
      const condition = conditions.get(text);
      return condition && ((world: World) => holds(condition, world));
    };
    let agreed = 0;
    for (const claim of claims) {
      if (claim.cell.condition === null) continue;
      const parts = partsOf(claim.cell.condition);
      const checks = parts.map(check);
      for (const [way, meant] of checks.entries()) {
        if (meant === undefined) continue;
        if (parts.length === 1) agreeWhereOpen(claim, meant);
        else agree(claim, claim.ways[way] ?? [], meant);
        agreed += claim.ways[way]?.length ?? 0;
      }
    }
    expect(agreed).toBeGreaterThan(share(100_000));
  });

  it("few cells are undecided", () => {
    const all = subjects.flatMap(({ matrix }) =>
      Object.values(matrix).flatMap((cells) => Object.values(cells)),
    );
    const undecided = all.filter(({ cell }) => cell === "undecided").length;
    expect(all.length).toBeGreaterThan(share(10_000));
    expect(undecided / all.length).toBeLessThan(0.03);
  });
});

/** A way that nobody of the row can go does not count; at least one is open. */
function agreeWhereOpen(claim: Claim, meant: (world: World) => boolean): void {
  const open = claim.ways.filter((deeds) => deeds.some(({ happens }) => happens));
  for (const deeds of open.length > 0 ? open : claim.ways.slice(-1)) agree(claim, deeds, meant);
}

function agree(
  { subject, row, column, cell }: Claim,
  deeds: readonly Deed[],
  meant: (world: World) => boolean,
): void {
  const wrong = deeds.find(({ world, happens }) => meant(world) !== happens);
  if (wrong === undefined) return;
  const words = cell.condition ?? cell.cell;
  expect.fail(`${row}: ${column} is not ${words}: ${JSON.stringify({ subject, ...wrong })}`);
}

/** Of creates and of updates, where they differ. */
function partsOf(condition: string): readonly string[] {
  const [, creates, updates] = /^in creates (.*); in updates (.*)$/s.exec(condition) ?? [];
  return creates === undefined || updates === undefined
    ? [condition]
    : [creates, updates].map((part) => (part === "always" ? "true" : part));
}

/** Conditions of cells, compiled as the rules that they are. */
function compiledConditions(): ReadonlyMap<string, Condition> {
  const texts = [
    ...new Set(claims.flatMap(({ cell: { condition } }) => (condition === null ? [] : partsOf(condition)))),
  ];
  const collections = texts.map((text, at) =>
    collectionOf("desk", "db", `left${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const { collections: compiled } = compileRules(realmOf(collections));
  const found = texts.flatMap((text, at): [string, Condition][] => {
    const rule = compiled.get(`db/left${at}`)?.rules.update;
    return rule === undefined ? [] : [[text, rule.form.condition]];
  });
  expect(found.length).toBeGreaterThan(texts.length * 0.8);
  return new Map(found);
}
