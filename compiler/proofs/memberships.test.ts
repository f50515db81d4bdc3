import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { JsonValue } from "../../runtime/json.ts";
import { type Membership, noMemberships } from "../../runtime/realm/memberships.ts";
import { runs } from "../../runtime/testing/random.ts";
import { collectionOf, declaredField } from "../../templates/testing/models.ts";
import { holds, type World } from "../rules/form/evaluate.ts";
import { type Condition, mapOperands } from "../rules/form/form.ts";
import { textType } from "../rules/form/types.ts";
import { compileRules } from "../rules/rules.ts";
import { contextArbitrary, documentArbitrary } from "../rules/testing/random-worlds.ts";
import {
  noteFields,
  noteRealm,
  ofOrganizations,
  organizations,
  ruleSource,
} from "../rules/testing/realms.ts";
import { type Relation, relationOf } from "./relation.ts";
import { anything } from "./room.ts";
import { findWitness, worldOf } from "./search.ts";

const ofOrg = (org: string): readonly string[] => [
  `inOrg(${org})`,
  `hasOrgRole(${org}, 'clerk')`,
  `hasOrgRole(${org}, 'owner')`,
  `hasOrgRole(${org}, 'clerk', 'owner')`,
  `hasOrgRole(${org}, document.needed_role)`,
  `orgClaims(${org}) != null`,
  `orgClaims(${org}).plan != null`,
  `orgClaims(${org}).plan == 'a'`,
  `orgClaims(${org}).plan == 'open'`,
  `orgClaims(${org}).plan == 3`,
  `['a', 'open'].includes(orgClaims(${org}).plan)`,
  `orgClaims(${org}).plan == document.title`,
  `orgClaims(${org}).plan == document.count`,
  `orgClaims(${org}).plan.startsWith('a')`,
  `orgClaims(${org}).limits != null`,
  `orgClaims(${org}).limits.seats != null`,
  `orgClaims(${org}).limits.seats > 0`,
  `orgClaims(${org}).limits.seats >= 3`,
  `orgClaims(${org}).beta`,
  `orgClaims(${org}).beta == null`,
  `orgClaims(${org}).until < now`,
  `orgClaims(${org}).until == 'a'`,
  `orgClaims(${org}).features.includes('a')`,
  `orgClaims(${org}).features != null`,
  `orgClaims(${org}).plan == orgClaims(${org}).role`,
];

const leaves: readonly string[] = [
  ...["document._meta.org", "'o1'"].flatMap(ofOrg),
  "inTeam(document._meta.team)",
  "inTeam('t1')",
  "hasTeamRole(document._meta.team, 'lead')",
  "hasTeamRole(document._meta.team, 'lead', 'reviewer')",
  "hasTeamRole('t1', 'lead')",
  "document._meta.org == 'o1'",
  "document._meta.org == null",
  "document._meta.team == null",
  "document.needed_role == null",
  "user.profile.org == null",
  "user.profile == null",
  "user == null",
  "hasRole('admin')",
  "document.title == null",
];

/** Leaves and combinations of several. */
const texts: readonly string[] = [
  ...leaves,
  ...leaves.map((leaf) => `!(${leaf})`),
  ...fc.sample(
    fc
      .tuple(
        ...Array.from({ length: 3 }, () => fc.constantFrom(...leaves)),
        ...Array.from({ length: 2 }, () => fc.constantFrom("&&", "||")),
        fc.boolean(),
      )
      .map(([a, b, c, op, other, not]) => `${not ? "!" : ""}((${a}) ${op} (${b})) ${other} (${c})`),
    { seed: 31, numRuns: 30 },
  ),
];

const someOrgs = fc.constantFrom("o1", "o2");
const some = (...values: readonly JsonValue[]): fc.Arbitrary<JsonValue> => fc.constantFrom(...values);

/** Of few organizations, which claim what the rules ask for, and what is no claim of theirs but JSON. */
const crowded: fc.Arbitrary<World> = fc
  .record({
    world: fc.record({ context: contextArbitrary, document: documentArbitrary, data: documentArbitrary }),
    org: fc.option(someOrgs),
    team: fc.option(fc.constantFrom("t1", "t2")),
    title: some("a", "open", "b", null),
    profile: fc.option(fc.record({ org: fc.option(someOrgs) })),
    held: fc.uniqueArray(
      fc.record({
        org: someOrgs,
        roles: fc.subarray(["clerk", "owner"]),
        inTeam: fc.boolean(),
        teamRoles: fc.subarray(["lead", "reviewer"]),
        claims: fc.record(
          {
            plan: some("a", "open", "ab", 3, 14, true, null, ["a"], {}, "2026-02-27"),
            role: some("a", "clerk", 3, null),
            limits: some(
              { seats: 3 },
              { seats: 1 },
              { seats: 0 },
              { seats: "3" },
              { seats: null },
              {},
              3,
              null,
            ),
            beta: some(true, false, "true", null),
            until: some("2026-02-27", "2026-04-01T00:00:00.000Z", "a", 3, null),
            features: some(["a"], ["b", 3], [], "a", [null], null),
          },
          { requiredKeys: [] },
        ),
      }),
      { selector: ({ org }) => org, maxLength: 2 },
    ),
  })
  .map(({ world: { context, document, data }, org, team, title, profile, held }) => {
    const user = context.user && { ...context.user, profile };
    const places = held.map(({ org: id, roles, inTeam, teamRoles, claims }): [string, Membership] => {
      const own = id === "o1" ? "t1" : "t2";
      const teams = new Set(inTeam ? [own] : []);
      const membership = { org: id, roles: new Set(roles), teams, claims };
      return [id, { ...membership, teamRoles: new Map([[own, new Set(teamRoles)]]) }];
    });
    const memberships = user === undefined ? noMemberships : new Map(places);
    return {
      context: { user, now: context.now, appConfig: context.appConfig, memberships },
      document: { ...document, title, _meta: { org, team } },
      data,
    };
  });

const worlds = fc.sample(crowded, { seed: 32, numRuns: runs(600) });

interface Tried {
  readonly text: string;
  readonly condition: Condition;
  /** In which of the worlds it holds. */
  readonly outcomes: readonly boolean[];
}

let rules: readonly Tried[] = [];

beforeAll(() => {
  rules = conditionsOf(texts).flatMap((condition, at) => {
    const outcomes = worlds.map((world) => condition !== undefined && holds(condition, world));
    return condition === undefined ? [] : [{ text: texts[at] ?? "", condition, outcomes }];
  });
}, 60_000);

/** Undefined where a rule has mistakes. */
function conditionsOf(rulesOf: readonly string[], fields = noteFields): readonly (Condition | undefined)[] {
  const collections = rulesOf.map((text, at) =>
    collectionOf("desk", "db", `notes${at}`, {
      ...ofOrganizations,
      fields,
      rules: { update: ruleSource(text, "update", at + 1) },
    }),
  );
  const { collections: compiled } = compileRules({
    ...noteRealm(collectionOf("desk", "db", "none")),
    organizations,
    databases: [{ name: "db", collections }],
  });
  return collections.map(({ name }) => compiled.get(`db/${name}`)?.rules.update?.form.condition);
}

const pairs = (): readonly (readonly [Tried, Tried])[] =>
  rules.flatMap((one, at) => rules.slice(at + 1).map((other) => [one, other] as const));

function differs(one: Tried, other: Tried): boolean {
  return one.outcomes.some((holdsHere, at) => holdsHere && other.outcomes[at] === false);
}

describe("rules that ask for organizations, teams and claims", () => {
  it("are all compiled", () => {
    expect(rules.map(({ text }) => text)).toEqual(texts);
  });

  it("what is proven of two of them holds for every caller and document", () => {
    const wrong: string[] = [];
    let proven = 0;
    for (const [one, other] of pairs()) {
      const { forward, backward } = relationOf(one.condition, other.condition);
      proven += Number(forward) + Number(backward);
      if (forward && differs(one, other)) wrong.push(`${one.text} implies ${other.text}`);
      if (backward && differs(other, one)) wrong.push(`${other.text} implies ${one.text}`);
    }
    expect(wrong).toEqual([]);
    expect(proven).toBeGreaterThan(800);
  });

  it("a witness is one, and nearly always found where there is one", () => {
    let there = 0;
    let missed = 0;
    for (const [one, other] of pairs().filter((_, at) => at % 9 === 0)) {
      const witness = findWitness(one.condition, other.condition, circumstances);
      if (witness !== undefined) {
        const world = worldOf(witness.choices, witness.unknowns);
        expect([holds(one.condition, world), holds(other.condition, world)]).toEqual([true, false]);
      }
      if (!differs(one, other)) continue;
      there++;
      if (witness === undefined) missed++;
    }
    expect(there).toBeGreaterThan(500);
    expect(missed / there).toBeLessThan(0.05);
  });

  it.each([
    ["hasOrgRole('o1', 'owner')", "inOrg('o1')"],
    ["hasOrgRole('o1', 'owner')", "hasOrgRole('o1', 'clerk', 'owner')"],
    ["inOrg('o1')", "!(user == null)"],
    ["inTeam('t1')", "!(user == null)"],
    ["hasTeamRole('t1', 'lead')", "!(user == null)"],
    ["inOrg(document._meta.org)", "!(document._meta.org == null)"],
    ["inTeam(document._meta.team)", "!(document._meta.team == null)"],
    ["hasOrgRole('o1', document.needed_role)", "!(document.needed_role == null)"],
    ["orgClaims('o1') != null", "inOrg('o1')"],
    ["inOrg('o1')", "orgClaims('o1') != null"],
    ["orgClaims('o1').plan == 'a'", "inOrg('o1')"],
    ["orgClaims('o1').plan == 'a'", "orgClaims('o1').plan != null"],
    ["orgClaims('o1').plan == 'a'", "!(orgClaims('o1').plan == 'open')"],
    ["orgClaims('o1').limits.seats >= 3", "orgClaims('o1').limits.seats > 0"],
    ["orgClaims('o1').limits.seats >= 3", "orgClaims('o1').limits != null"],
    ["!(inOrg('o1'))", "orgClaims('o1').beta == null"],
  ])("%s implies %s", (one, other) => {
    expect(relationBetween(one, other).forward).toBe(true);
  });

  it.each([
    ["inOrg('o1')", "hasOrgRole('o1', 'clerk', 'owner')"],
    ["hasTeamRole('t1', 'lead')", "inTeam('t1')"],
    ["inTeam('t1')", "hasTeamRole('t1', 'lead')"],
    ["inTeam('t1')", "inOrg('o1')"],
    ["hasTeamRole('o1', 'lead')", "inOrg('o1')"],
    ["inOrg('o1')", "inOrg(document._meta.org)"],
    ["hasRole('admin')", "hasOrgRole('o1', 'owner')"],
    ["inOrg('o1')", "orgClaims('o1').plan != null"],
    ["orgClaims('o1').plan != null", "orgClaims('o1').plan == 'a'"],
    // It may be there, of another type.
    ["!(orgClaims('o1').plan == 3)", "orgClaims('o1').plan == 'a'"],
    ["!(orgClaims('o1').limits.seats > 0)", "orgClaims('o1').limits.seats == null"],
    ["orgClaims('o1').until == 'a'", "orgClaims('o1').until < now"],
  ])("%s does not imply %s", (one, other) => {
    expect(relationBetween(one, other).forward).toBe(false);
  });

  it("a claim is another value where it is used as one of another type", () => {
    const rule = "orgClaims('o1').plan == document.title";
    const numbered = noteFields.map((field) =>
      field.path === "title" ? declaredField("title", { kinds: ["integer"] }) : field,
    );
    const [text] = conditionsOf([rule]);
    const [number] = conditionsOf([rule], numbered);
    expect(text && number && relationOf(text, number)).toEqual({ forward: false, backward: false });
  });

  it("a claim that is not there as one type may be there as another", () => {
    const [open, three] = conditionsOf(["orgClaims('o1').plan == null", "orgClaims('o1').plan != 3"]);
    if (open?.kind !== "absent" || three === undefined) throw new Error("not as expected");
    const asText: Condition = mapOperands(open, (claim) =>
      claim.kind === "claim" ? { ...claim, type: textType } : claim,
    );
    expect([relationOf(open, three).forward, relationOf(asText, three).forward]).toEqual([true, false]);
  });
});

const circumstances = { appConfig: [], room: anything };

function relationBetween(...pair: readonly [string, string]): Relation {
  const [one, other] = conditionsOf(pair);
  if (one === undefined || other === undefined) throw new Error("not compiled");
  return relationOf(one, other);
}
