/** Random documents, data and callers of any shape, to judge rules by. */
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import type { RuleUser } from "../../../runtime/realm/caller.ts";
import { type Membership, type Memberships, noMemberships } from "../../../runtime/realm/memberships.ts";
import type { RuleContext } from "../../../runtime/realm/rule.ts";

const someTexts = fc.constantFrom(
  "a",
  "open",
  "closed",
  "admin",
  "editor",
  "u1",
  "a@b.c",
  "",
  "b.c",
  "hello",
  "\u{1f600}",
  "\ufb01",
  "ab",
);
const someDates = fc.constantFrom(
  "2026-03-01T00:00:00.000Z",
  "2026-03-01",
  "2026-02-27T00:00:00.000Z",
  "2026-02-27",
  "2026-03-01T12:00:00.000Z",
  "2026-02-28T23:59:59.999Z",
);
const someNumbers = fc.constantFrom(0, -0, 1, 3, 14, -1.5);
const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constant(null),
  someTexts,
  someDates,
  someNumbers,
  fc.boolean(),
  fc.array(fc.oneof(someTexts, someNumbers, fc.constant(null)), { maxLength: 3 }),
  fc.array(fc.array(someTexts, { maxLength: 2 }), { maxLength: 2 }),
  fc.record({ city: someTexts, length: someNumbers, name: someTexts }, { requiredKeys: [] }),
  fc.record({ city: fc.array(someTexts), length: fc.constant({}) }, { requiredKeys: [] }),
);

/** Mostly what is declared, sometimes missing, sometimes anything. */
function mostly(declared: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: declared },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: anything },
  );
}

function members(shape: Readonly<Record<string, fc.Arbitrary<JsonValue>>>): fc.Arbitrary<JsonObject> {
  const entries = Object.entries(shape).map(([name, declared]) =>
    mostly(declared).map((value) => [name, value] as const),
  );
  return fc
    .tuple(...entries)
    .map((pairs) => Object.fromEntries(pairs.filter(([, value]) => value !== undefined)));
}

const someOrgs = fc.constantFrom("o1", "o2", "o3", "o9");
const someTeams = fc.constantFrom("t1", "t2", "t3", "t9");
const address = members({ city: someTexts, length: someNumbers });
const documentShape = {
  title: someTexts,
  status: fc.constantFrom("open", "closed"),
  needed_role: fc.constantFrom("admin", "editor", "clerk", "lead"),
  constructor: someTexts,
  count: someNumbers,
  public: fc.boolean(),
  shared: fc.boolean(),
  tags: fc.array(someTexts, { maxLength: 3 }),
  due_at: someDates,
  "due-at": someDates,
  day: someDates,
  address,
  org_id: someOrgs,
  team_id: someTeams,
  _meta: members({
    owner: fc.constantFrom("u1", "u2"),
    created_at: someDates,
    version: someNumbers,
    org: someOrgs,
    team: someTeams,
  }),
};

export const documentArbitrary: fc.Arbitrary<JsonObject> = members(documentShape);

const userArbitrary: fc.Arbitrary<RuleUser> = fc.record({
  id: fc.constantFrom("u1", "u2"),
  email: fc.constantFrom("a@b.c", "open"),
  email_verified: fc.boolean(),
  roles: fc.subarray(["admin", "editor"]),
  locale: fc.constantFrom(null, "a"),
  mfa: fc.boolean(),
  created_at: fc.constantFrom("2026-03-01T00:00:00.000Z", "2026-02-27T10:00:00.000Z"),
  profile: fc.oneof(
    fc.constant(null),
    members({
      team: someTexts,
      level: someNumbers,
      vip: fc.boolean(),
      skills: fc.array(someTexts, { maxLength: 2 }),
      address,
      org: someOrgs,
      unit: someTeams,
    }),
  ),
});

const someTeamRoles = fc
  .uniqueArray(fc.tuple(someTeams, fc.subarray(["lead", "reviewer", "clerk"])), {
    selector: ([team]) => team,
    maxLength: 2,
  })
  .map((held) => held.map(([team, roles]) => [team, new Set(roles)] as const));

/** Each team belongs to one organization. */
const membershipsArbitrary: fc.Arbitrary<Memberships> = fc
  .uniqueArray(
    fc.record({
      org: someOrgs,
      roles: fc.subarray(["clerk", "owner", "lead"]),
      teams: fc.subarray(["t1", "t2", "t3"]),
      teamRoles: someTeamRoles,
      claims: members({
        plan: fc.constantFrom("a", "open", "hello"),
        limits: members({ seats: someNumbers }),
        beta: fc.boolean(),
        features: fc.array(someTexts, { maxLength: 3 }),
        until: someDates,
        role: fc.constantFrom("clerk", "lead", "admin"),
      }),
    }),
    { selector: ({ org }) => org, maxLength: 3 },
  )
  .map((all) => {
    const taken = new Set<string>();
    const free = (team: string): boolean => !taken.has(team) && taken.add(team) !== undefined;
    return new Map(
      all.map(({ org, roles, teams, teamRoles, claims: claimed }): [string, Membership] => {
        const own = new Set([...new Set([...teams, ...teamRoles.map(([team]) => team)])].filter(free));
        return [
          org,
          {
            org,
            roles: new Set(roles),
            teams: new Set(teams.filter((team) => own.has(team))),
            teamRoles: new Map(teamRoles.filter(([team]) => own.has(team))),
            claims: claimed,
          },
        ];
      }),
    );
  });

/** Nobody is in nothing. */
export const contextArbitrary: fc.Arbitrary<RuleContext> = fc
  .record({
    user: fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: userArbitrary }),
    now: fc.constantFrom("2026-03-01T00:00:00.000Z", "2026-03-01T12:00:00.000Z", "2026-02-27T08:30:00.000Z"),
    appConfig: members({
      banner: someTexts,
      trial_days: someNumbers,
      limits: members({ max: someNumbers }),
      frozen: fc.boolean(),
      open_to: fc.array(someTexts, { maxLength: 2 }),
    }),
    memberships: membershipsArbitrary,
  })
  .map((context) => (context.user === undefined ? { ...context, memberships: noMemberships } : context));
