import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Filter } from "../../runtime/filter/algebra.ts";
import { matches } from "../../runtime/filter/predicate.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { noMemberships } from "../../runtime/realm/memberships.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import { allowed } from "../../runtime/rules/index.ts";
import { runs } from "../../runtime/testing/random.ts";

import { collectionOf } from "../../templates/testing/models.ts";
import type { Collection, FieldRules, Realm } from "../model/model.ts";
import { filterOf } from "../plans/filters.ts";
import { missingIndexesOf } from "../plans/missing.ts";
import { isServed } from "../plans/planning.ts";
import { fieldTable, shapeOf } from "../plans/shapes.ts";

import type { CompiledRule, RuleFacts } from "./compiled.ts";
import { holds, truth } from "./form/evaluate.ts";
import type { Condition } from "./form/form.ts";
import { compileRules } from "./rules.ts";
import { type EmittedRules, emittedRules } from "./testing/emitted.ts";
import { ruleArbitrary } from "./testing/random-rules.ts";
import type { BooleanRule, World } from "./testing/random-values.ts";
import { contextArbitrary, documentArbitrary } from "./testing/random-worlds.ts";
import { noteFields, noteRealm, ofOrganizations, organizations, ruleSource } from "./testing/realms.ts";

/** A random rule, its meaning and what was made of it. */
interface Subject {
  readonly rule: BooleanRule;
  readonly compiled: CompiledRule;
  readonly facts: RuleFacts;
  readonly filter:
    | ((context: RuleContext) => ReturnType<NonNullable<EmittedRules["rules"]["read"]>["filter"]>)
    | undefined;
  /** What the check is printed from. */
  readonly condition: Condition;
  /** What the filter is printed from. */
  readonly lowered: Condition | undefined;
  readonly possible: ((context: RuleContext) => boolean) | undefined;
  /** Of the same rule as the read rule of a field. */
  readonly certain: ((context: RuleContext) => boolean) | undefined;
  readonly check: (world: World) => boolean;
}

const worlds = fc.sample(
  fc.record<World>({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
  { seed: 11, numRuns: 100 },
);

let subjects: readonly Subject[] = [];
let refusals: readonly string[] = [];
let generated = 0;
let collection: Collection;
let realm: Realm;

beforeAll(async () => {
  const reads = fc.sample(ruleArbitrary({ data: false }), { seed: 5, numRuns: runs(300) });
  const updates = fc.sample(ruleArbitrary({ data: true }), { seed: 6, numRuns: runs(200) });
  const sketches = [
    ...reads.map((rule) => ({ rule, name: "read" as const })),
    ...updates.map((rule) => ({ rule, name: "update" as const })),
  ];
  generated = sketches.length;
  const collections = sketches.map(({ rule, name }, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields: noteFields,
      rules: { [name]: ruleSource(rule.text, name, at + 1) },
      fieldRules: name === "read" ? [titleRule(rule.text, at + 1)] : [],
    }),
  );
  const [first] = collections;
  if (first === undefined) return;
  collection = first;
  realm = { ...noteRealm(first), organizations, databases: [{ name: "db", collections }] };
  const stage = compileRules(realm);
  refusals = stage.diagnostics
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code} ${message}`);
  const modules = await emittedRules(collections, stage);
  subjects = sketches.flatMap(({ rule, name }, at) => {
    const compiled = stage.collections.get(`db/notes${at}`)?.rules[name];
    const emitted = modules[at]?.rules;
    if (compiled === undefined || emitted === undefined) return [];
    const { facts } = compiled;
    const { read, update } = emitted;
    const { possible } = emitted[name] ?? {};
    // A rule that is constantly true is left out.
    const ofField = modules[at]?.fieldRules?.[0]?.read ?? allowed;
    return [
      {
        rule,
        compiled,
        facts,
        filter:
          name === "read"
            ? (context: RuleContext) => read?.filter(context) ?? { op: "false" as const }
            : undefined,
        condition: compiled.form.condition,
        lowered: compiled.form.filter,
        possible: possible && ((context: RuleContext) => possible(context)),
        certain: name === "read" ? (context: RuleContext) => ofField.certain?.(context) ?? false : undefined,
        check: ({ context, document, data }: World) =>
          (name === "read" ? read?.check(context, document) : update?.check(context, document, data)) ??
          false,
      },
    ];
  });
}, 60_000);

function titleRule(text: string, line: number): FieldRules {
  const read = ruleSource(text, "read", line);
  return { path: "title", span: read.span, read };
}

/** The first subject and world that break a law, readably. */
function counterexample(law: (subject: Subject, world: World) => boolean): unknown {
  for (const subject of subjects) {
    for (const world of worlds) {
      if (!law(subject, world))
        return {
          rule: subject.rule.text,
          world,
          facts: subject.facts,
          filter: subject.filter?.(world.context),
        };
    }
  }
  return undefined;
}

describe("random rules over documents and callers of any shape", () => {
  it("are compiled, but for comparisons that make no sense or no filter", () => {
    expect(subjects.length).toBeGreaterThan(generated / 2);
    expect(
      refusals.filter((refusal) => !/^rule-(comparison|not-filterable|unknown-role) /.test(refusal)),
    ).toEqual([]);
  });

  it("Rule expressions: the check says what the rule means", () => {
    expect(counterexample(({ rule, check }, world) => check(world) === rule.of(world))).toBeUndefined();
  });

  it("Rule expressions: check and filter agree on every document and caller", () => {
    const law = ({ filter, check }: Subject, world: World): boolean =>
      filter === undefined || matches(filter(world.context), world.document) === check(world);
    expect(counterexample(law)).toBeUndefined();
  });

  it("Rule expressions: the form evaluated as it stands agrees with the emitted check", () => {
    expect(
      counterexample(({ condition, check }, world) => holds(condition, world) === check(world)),
    ).toBeUndefined();
  });

  it("what is told of a rule while some of the values it reads are unknown holds whatever they are", () => {
    let told = 0;
    const law = ({ condition }: Subject, world: World): boolean =>
      ["user", "document", "data", "appConfig", "memberships", "claims"].every((hidden) => {
        const outcome = truth(condition, world, ({ root }) => root !== hidden);
        if (outcome === undefined) return true;
        told++;
        return outcome === holds(condition, world);
      });
    expect(counterexample(law)).toBeUndefined();
    expect(told).toBeGreaterThan(runs(1_000));
  });

  it("a filter that is constantly false, or a rule that is not possible, allows no document", () => {
    const impossible = ({ filter, possible }: Subject, { context }: World): boolean =>
      filter?.(context).op === "false" || possible?.(context) === false;
    let seen = 0;
    const law = (subject: Subject, world: World): boolean => {
      if (!impossible(subject, world)) return true;
      seen++;
      return worlds
        .slice(0, 40)
        .every(({ document, data }) => !subject.check({ context: world.context, document, data }));
    };
    expect(counterexample(law)).toBeUndefined();
    expect(seen).toBeGreaterThan(runs(100));
  });

  it("whether a rule is possible does not depend on what the caller is in organizations", () => {
    let refused = 0;
    const law = ({ facts, possible, check }: Subject, { context }: World): boolean => {
      if (!facts.memberships || possible === undefined || context.user === undefined) return true;
      const judged = possible(context);
      if (!judged) refused++;
      return worlds.slice(0, 40).every(({ context: { memberships }, document, data }) => {
        const other = { ...context, memberships };
        return possible(other) === judged && (judged || !check({ context: other, document, data }));
      });
    };
    expect(counterexample(law)).toBeUndefined();
    expect(refused).toBeGreaterThan(runs(20));
  });

  it("a rule that needs a membership is possible for no anonymous caller", () => {
    const needing = subjects.filter(
      ({ facts, rule }) => facts.memberships && !facts.anonymous && !rule.text.includes("?"),
    );
    const nobody = worlds.filter(({ context }) => context.user === undefined);
    expect(needing.length).toBeGreaterThan(runs(20));
    for (const { rule, possible } of needing)
      for (const { context } of nobody) expect([rule.text, possible?.(context)]).toEqual([rule.text, false]);
  });

  it("filters made without a module are those that the emitted functions make", () => {
    const table = fieldTable(realm, collection);
    const found = subjects.flatMap(({ rule, filter, lowered }) =>
      filter === undefined || lowered === undefined ? [] : [{ rule, filter, made: filterOf(lowered, table) }],
    );
    expect(found.length).toBeGreaterThan(runs(100));
    const text = (filter: Filter) =>
      JSON.stringify(filter, (name, value) => (name === "field" ? value.path : value));
    for (const { rule, filter, made } of found)
      for (const { context } of worlds)
        expect([rule.text, text(made(context))]).toEqual([rule.text, text(filter(context))]);
  });

  it("served by indexes: with those that are named, every caller whom an index could serve is", () => {
    const over = (paths: readonly string[]) =>
      paths.map((path) => ({
        name: path,
        fields: [{ path, descending: false }],
        unique: false,
        span: realm.span,
      }));
    const paths = noteFields
      .filter(({ kinds }) => kinds.some((kind) => kind !== "object"))
      .map(({ path }) => path);
    const indexes = over(paths.filter((_, at) => at % 3 === 0));
    const spoilt: unknown[] = [];
    let warned = 0;
    for (const { compiled, filter } of subjects.slice(0, runs(60))) {
      if (filter === undefined) continue;
      const missing = missingIndexesOf(realm, { ...collection, indexes }, compiled).map(({ path }) => path);
      if (missing.length === 0) continue;
      warned++;
      const named = shapeOf(realm, collection, [...indexes, ...over(missing)]);
      const every = shapeOf(realm, collection, over(paths));
      const filters = worlds.slice(0, 15).map(({ context }) => filter(context));
      const unserved = filters.filter(({ op }) => op !== "true" && op !== "false");
      for (const each of unserved)
        if (isServed(every, each) && !isServed(named, each))
          spoilt.push({ rule: compiled.text, missing, each });
    }
    expect(spoilt).toEqual([]);
    expect(warned).toBeGreaterThan(runs(5));
  });

  it("a field's read rule that is certain for a caller holds for every document", () => {
    let seen = 0;
    const law = ({ certain, check }: Subject, { context }: World): boolean => {
      if (certain?.(context) !== true) return true;
      seen++;
      return worlds.slice(0, 40).every(({ document, data }) => check({ context, document, data }));
    };
    expect(counterexample(law)).toBeUndefined();
    expect(seen).toBeGreaterThan(runs(100));
  });

  it("a rule that looks at no document is certain for exactly the callers that satisfy it", () => {
    const looks = ({ rule, facts }: Subject): boolean =>
      facts.documentFields.length > 0 || /\bdocument\b/.test(rule.text);
    const law = (subject: Subject, world: World): boolean =>
      looks(subject) || subject.certain?.(world.context) !== !subject.check(world);
    expect(counterexample(law)).toBeUndefined();
    expect(
      subjects.filter((subject) => !looks(subject) && subject.certain !== undefined).length,
    ).toBeGreaterThan(runs(5) - 1);
  });

  it("facts: what no anonymous caller can satisfy, none does", () => {
    const law = ({ facts, check }: Subject, world: World): boolean =>
      facts.anonymous ||
      !check({ ...world, context: { ...world.context, user: undefined, memberships: noMemberships } });
    expect(counterexample(law)).toBeUndefined();
    expect(subjects.some(({ facts }) => !facts.anonymous)).toBe(true);
  });

  it("facts: constants are constant", () => {
    expect(
      counterexample(
        ({ facts, check }, world) => facts.constant === undefined || check(world) === facts.constant,
      ),
    ).toBeUndefined();
  });

  it("facts: what does not read the clock, appConfig or memberships does not depend on them", () => {
    const law = ({ facts, check }: Subject, world: World): boolean => {
      const now = facts.readsClock ? world.context.now : "2031-01-01T00:00:00.000Z";
      const appConfig = facts.readsAppConfig ? world.context.appConfig : {};
      const memberships = facts.memberships ? world.context.memberships : noMemberships;
      const context = { ...world.context, now, appConfig, memberships };
      return check({ ...world, context }) === check(world);
    };
    expect(counterexample(law)).toBeUndefined();
  });

  it("facts: documentFields are all that is read of the document", () => {
    const law = ({ facts, check }: Subject, world: World): boolean =>
      check({ ...world, document: restricted(world.document, facts.documentFields) }) === check(world);
    expect(counterexample(law)).toBeUndefined();
  });
});

/** The document with nothing but the fields at these paths. */
function restricted(document: JsonObject, paths: readonly string[]): JsonObject {
  const kept = Object.entries(document).flatMap(([name, value]) => {
    if (paths.includes(name)) return [[name, value] as const];
    const inner = paths
      .filter((path) => path.startsWith(`${name}.`))
      .map((path) => path.slice(name.length + 1));
    return inner.length > 0 && isJsonObject(value) ? [[name, restricted(value, inner)] as const] : [];
  });
  return Object.fromEntries(kept);
}
