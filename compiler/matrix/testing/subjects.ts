/** Collections of random rules with what the rules mean, written down independently of the compiler, and their matrix. */
import fc from "fast-check";
import { collectionOf } from "../../../templates/testing/models.ts";
import { type Collection, type Realm, type RuleName, ruleNames } from "../../model/model.ts";
import type { RulesStage } from "../../rules/compiled.ts";
import { compileRules } from "../../rules/rules.ts";
import { ruleArbitrary } from "../../rules/testing/random-rules.ts";
import type { BooleanRule } from "../../rules/testing/random-values.ts";
import { noteFields, noteRealm, organizations, ruleSource } from "../../rules/testing/realms.ts";
import { type CollectionMatrix, matrixOf } from "../matrix.ts";
import type { Belongs } from "./worlds.ts";

export interface Subject extends Sketch {
  readonly matrix: CollectionMatrix;
}

interface Sketch {
  readonly name: string;
  readonly belongs: Belongs;
  /** Whether a document must belong to an organization. */
  readonly required: boolean;
  /** Whether the id of a document is that of its user. */
  readonly ownId: boolean;
  readonly rules: Readonly<Record<RuleName, BooleanRule>>;
  /** Of the field `title`. */
  readonly field: { readonly read: BooleanRule; readonly write: BooleanRule };
}

/** Fewer than asked for: rules that make no sense, or no filter, are refused. */
export function randomSubjects(number: number): readonly Subject[] {
  const sketches = randomSketches(number);
  const hasDefaults = (sketch: Sketch): boolean => sketch.belongs.defaultRoles.length > 0;
  return [
    ...withMatrix(sketches.filter((sketch) => !hasDefaults(sketch))),
    ...withMatrix(sketches.filter(hasDefaults)),
  ];
}

function randomSketches(number: number): readonly Sketch[] {
  const stored = fc.sample(ruleArbitrary({ data: false }, 2), { seed: 32, numRuns: 5 * number });
  const written = fc.sample(ruleArbitrary({ data: true }, 2), { seed: 33, numRuns: number });
  // A create knows no document.
  const created = fc
    .sample(ruleArbitrary({ data: true }, 1), { seed: 34, numRuns: 60 * number })
    .filter(({ text }) => !text.includes("document"));
  const pick = (from: readonly BooleanRule[], at: number): BooleanRule => {
    const found = from[at % from.length];
    if (found === undefined) throw new Error("no rules were made");
    return found;
  };
  return Array.from({ length: number }, (_, at) => ({
    name: `notes${at}`,
    belongs: {
      organization: at % 4 !== 3,
      teams: at % 4 < 2,
      defaultRoles: at % 3 === 0 ? ["clerk"] : [],
    },
    required: at % 2 === 0,
    ownId: at % 7 === 0,
    rules: {
      create: pick(created, 2 * at),
      read: pick(stored, 5 * at),
      update: pick(written, at),
      delete: pick(stored, 5 * at + 1),
      restore: pick(stored, 5 * at + 2),
      purge: pick(stored, 5 * at + 3),
    },
    field: { read: pick(stored, 5 * at + 4), write: pick(created, 2 * at + 1) },
  }));
}

function withMatrix(sketches: readonly Sketch[]): readonly Subject[] {
  const defaultRoles = sketches[0]?.belongs.defaultRoles ?? [];
  const collections = sketches.map(collectionFrom);
  const stage = compileRules(realmOf(collections, defaultRoles));
  const whole = collections.filter(({ name }) => isWhole(stage, name));
  const found = matrixOf([{ realm: realmOf(whole, defaultRoles), rules: stage }]).realms["desk"] ?? {};
  return sketches.flatMap((sketch) => {
    const matrix = found[`db/${sketch.name}`];
    return matrix === undefined ? [] : [{ ...sketch, matrix }];
  });
}

function collectionFrom({ name, belongs, required, ownId, rules, field }: Sketch, at: number): Collection {
  const line = 20 * at + 1;
  const [read, write] = [
    ruleSource(field.read.text, "read", line + 10),
    ruleSource(field.write.text, "write", line + 11),
  ];
  return collectionOf("desk", "db", name, {
    ...(belongs.organization && {
      organization: { required, ...(belongs.teams && { teams: "optional" }), onDelete: "keep" },
    }),
    ...(ownId && { customId: { is: "user", duplicateLimit: 60, span: read.span } }),
    fields: noteFields,
    softDelete: {},
    rules: Object.fromEntries(
      ruleNames.map((each, row) => [each, ruleSource(rules[each].text, each, line + row)]),
    ),
    fieldRules: [{ path: "title", span: read.span, read, write }],
  });
}

/** Of the collections, whose members all have these roles. */
export function realmOf(collections: readonly Collection[], defaultRoles: readonly string[] = []): Realm {
  const [first] = collections;
  if (first === undefined) throw new Error("there is no collection");
  return {
    ...noteRealm(first),
    organizations: { ...organizations, defaultRoles },
    databases: [{ name: "db", collections }],
  };
}

function isWhole({ collections }: RulesStage, name: string): boolean {
  const compiled = collections.get(`db/${name}`);
  return (
    compiled !== undefined &&
    Object.keys(compiled.rules).length === ruleNames.length &&
    compiled.fieldRules.every(({ read, write }) => read !== undefined && write !== undefined)
  );
}
