import { afterEach, beforeEach, expect, test } from "vitest";
import { idGenerator } from "../ids.ts";
import { heldClock } from "../instance/testing/servers.ts";
import type { RuleUser } from "../realm/caller.ts";
import { type Membership, type Memberships, noMemberships } from "../realm/memberships.ts";
import { manageEntries, type OrganizationSettings } from "../realm/organizations.ts";
import type { StoreCollection } from "../store/contract/collection.ts";
import type { Store } from "../store/contract/store.ts";
import { isEmbedded, testStore } from "../store/testing/stores.ts";
import { organizationCollections } from "./collections.ts";
import { LiveMemberships } from "./memberships.ts";
import { definitionOf, inDays, organizationSettings, organizationsIn } from "./testing/realm.ts";

const clock = heldClock();
const newId = idGenerator(clock);
const definition = definitionOf();

let store: Store;
let made: ReturnType<typeof organizationsIn>;
let live: LiveMemberships;

beforeEach(async () => {
  store = await testStore({ clock, collections: organizationCollections(definition) });
  made = organizationsIn({ store, clock });
  live = new LiveMemberships({ store, clock }, organizationSettings);
});

afterEach(() => store.close());

const founder = { id: newId() };

function user(mfa = false): RuleUser {
  const id = newId();
  return {
    id,
    email: `${id}@example.com`,
    email_verified: true,
    roles: [],
    locale: null,
    mfa,
    created_at: "2026-01-01T00:00:00.000Z",
    profile: null,
  };
}

/** A membership as plain JSON. */
function plain({ org, roles, teams, teamRoles, claims }: Membership) {
  return {
    org,
    roles: [...roles],
    teams: [...teams],
    teamRoles: Object.fromEntries([...teamRoles].map(([team, held]) => [team, [...held]])),
    claims,
  };
}

function ids(memberships: Memberships): readonly string[] {
  return [...memberships.keys()].sort();
}

test("are the organizations that somebody is a member of, with what they are in each", async () => {
  const ada = user();
  const first = await made.createOrg(founder, { claims: { plan: "gold", seats: 3 } });
  const second = await made.createOrg(ada);
  await made.createOrg(founder);
  const team = await made.createTeam(first, "Desk", ["clerk"]);
  const window = { from: null, until: null };
  await made.join(first, ada, {
    teams: [team, "gone"],
    roles: ["keeper", "no-longer"],
    team_roles: [
      { team, role: "lead", ...window },
      { team, role: "no-longer", ...window },
      { team: "gone", role: "lead", ...window },
    ],
  });

  const memberships = await live.of(ada.id, "none");
  expect(ids(memberships)).toEqual([first.id, second.id].sort());
  expect([...memberships.values()].map(plain)).toEqual(
    expect.arrayContaining([
      {
        org: first.id,
        roles: ["clerk", "keeper", "member"],
        teams: [team],
        teamRoles: { [team]: ["lead"] },
        claims: { plan: "gold", seats: 3 },
      },
      { org: second.id, roles: ["member", "owner"], teams: [], teamRoles: {}, claims: {} },
    ]),
  );
});

test("are none for who is no member anywhere", async () => {
  await made.createOrg(founder);
  expect(await live.of(user().id, "none")).toBe(noMemberships);
});

test("Organization endpoints 6: an organization that requires a second factor does not count for a session without", async () => {
  const ada = user();
  const open = await made.createOrg(ada);
  const strict = await made.createOrg(ada, { require_mfa: true });
  expect(ids(await live.of(ada.id, "none"))).toEqual([open.id]);
  expect(ids(await live.of(ada.id, "factor"))).toEqual([open.id, strict.id].sort());
  await made.changeOrg(strict, (org) => ({ ...org, require_mfa: false }));
  expect(ids(await live.of(ada.id, "none"))).toEqual([open.id, strict.id].sort());
  await made.changeOrg(open, (org) => ({ ...org, require_mfa: true }));
  expect(ids(await live.of(ada.id, "none"))).toEqual([strict.id]);
});

test("a deleted organization counts for nobody from then on, an orphaned one as before", async () => {
  const ada = user();
  const org = await made.createOrg(ada);
  expect(ids(await live.of(ada.id, "none"))).toEqual([org.id]);
  await made.changeOrg(org, (before) => ({ ...before, status: "orphaned" }));
  expect(ids(await live.of(ada.id, "none"))).toEqual([org.id]);
  await made.changeOrg(org, (before) => ({ ...before, status: "deleted", slug_key: null }));
  expect(await live.of(ada.id, "none")).toBe(noMemberships);
  await made.changeOrg(org, (before) => ({ ...before, status: "active", slug_key: "again" }));
  expect(ids(await live.of(ada.id, "none"))).toEqual([org.id]);
});

test("Organization endpoints 7: every change counts at the very next request", async () => {
  const ada = user();
  const org = await made.createOrg(founder);
  const rolesNow = async () => [...((await live.of(ada.id, "none")).get(org.id)?.roles ?? ["none"])];
  expect(await rolesNow()).toEqual(["none"]);
  await made.join(org, ada);
  expect(await rolesNow()).toEqual(["member"]);
  const team = await made.createTeam(org, "Desk", ["clerk"]);
  await made.join(org, ada, { teams: [team] });
  expect(await rolesNow()).toEqual(["clerk", "member"]);
  await made.changeOrg(org, ({ teams, ...rest }) => ({
    ...rest,
    teams: teams.map((one) => ({ ...one, roles: ["keeper"] })),
  }));
  expect(await rolesNow()).toEqual(["keeper", "member"]);
  await made.changeOrg(org, (before) => ({ ...before, teams: [] }));
  expect(await rolesNow()).toEqual(["member"]);
});

test("Organization: team roles are held from the beginning of their window until its end, and not at it", async () => {
  const ada = user();
  const org = await made.createOrg(founder);
  const team = await made.createTeam(org, "Desk");
  const [opens, closes, later] = [inDays({ clock }, 1), inDays({ clock }, 2), inDays({ clock }, 3)];
  await made.join(org, ada, {
    team_roles: [
      { team, role: "lead", from: opens, until: closes },
      { team, role: "reviewer", from: closes, until: later },
    ],
  });
  const start = clock.now();
  const held = async () => [...((await live.of(ada.id, "none")).get(org.id)?.teamRoles.get(team) ?? [])];
  const at = async (instant: string, milliseconds: number) => {
    clock.set(Date.parse(instant) + milliseconds);
    return held();
  };
  try {
    expect(await held()).toEqual([]);
    expect(await at(opens, -1)).toEqual([]);
    expect(await at(opens, 0)).toEqual(["lead"]);
    expect(await at(closes, -1)).toEqual(["lead"]);
    expect(await at(closes, 0)).toEqual(["reviewer"]);
    expect(await at(later, -1)).toEqual(["reviewer"]);
    expect(await at(later, 0)).toEqual([]);
    // A clock that is set back.
    expect(await at(opens, 0)).toEqual(["lead"]);
  } finally {
    clock.set(start);
  }
});

test("a user in one organization learns nothing of another user's", async () => {
  const [ada, bea] = [user(), user()];
  const one = await made.createOrg(ada);
  const two = await made.createOrg(bea);
  await live.of(ada.id, "none");
  expect(ids(await live.of(bea.id, "none"))).toEqual([two.id]);
  expect(ids(await live.of(ada.id, "none"))).toEqual([one.id]);
});

test.runIf(isEmbedded)(
  "are the very same object, at once, until something changes or a window does",
  async () => {
    const [ada, bea] = [user(), user()];
    const org = await made.createOrg(ada);
    const team = await made.createTeam(org, "Desk");
    const opens = inDays({ clock }, 1);
    await made.join(org, bea, { team_roles: [{ team, role: "lead", from: opens, until: null }] });
    const first = await live.of(ada.id, "none");
    expect(live.of(ada.id, "none")).toBe(first);
    // Nothing requires a second factor: the same for every session.
    expect(live.of(ada.id, "factor")).toBe(first);
    const beas = await live.of(bea.id, "none");
    expect(live.of(bea.id, "none")).toBe(beas);
    const start = clock.now();
    clock.set(Date.parse(opens) - 1);
    expect(live.of(bea.id, "none")).toBe(beas);
    clock.advance(1);
    const opened = live.of(bea.id, "none");
    expect(opened).toBeInstanceOf(Promise);
    expect(await opened).not.toBe(beas);
    expect(live.of(ada.id, "none")).toBe(first);
    expect(live.of(bea.id, "none")).toBe(await opened);
    clock.set(start);

    await made.createOrg(founder);
    const changed = live.of(ada.id, "none");
    expect(changed).toBeInstanceOf(Promise);
    expect((await changed).get(org.id)).toEqual(first.get(org.id));
    expect(live.of(ada.id, "none")).toBe(await changed);
  },
);

test.runIf(isEmbedded)("what is read while something changes is not kept", async () => {
  const ada = user();
  const org = await made.createOrg(ada);
  await live.of(ada.id, "none");
  await made.createOrg(founder);
  const meanwhile = live.of(ada.id, "none");
  await made.changeOrg(org, (before) => ({ ...before, claims: { plan: "gold" } }));
  await meanwhile;
  expect((await live.of(ada.id, "none")).get(org.id)?.claims).toEqual({ plan: "gold" });
});

test("of 200 organizations are two queries, and of more than a thousand four", async () => {
  const [ada, bea] = [user(), user()];
  await made.createOrgs(ada, 200);
  await made.createOrgs(bea, 1_001);
  const counted = counting(store);
  const fresh = new LiveMemberships({ store: counted.store, clock }, organizationSettings);
  expect((await fresh.of(ada.id, "none")).size).toBe(200);
  expect(counted.calls).toEqual(["find _svc.members", "find _svc.orgs"]);
  counted.calls.length = 0;
  expect((await fresh.of(bea.id, "none")).size).toBe(1_001);
  expect(counted.calls).toHaveLength(4);
});

test.runIf(isEmbedded)("ask the store nothing while they are kept, and what is kept is bounded", async () => {
  const ada = user();
  await made.createOrgs(ada, 200);
  const counted = counting(store);
  const fresh = new LiveMemberships({ store: counted.store, clock }, organizationSettings);
  await fresh.of(ada.id, "none");
  counted.calls.length = 0;
  for (let n = 0; n < 50; n += 1) await fresh.of(ada.id, n % 2 === 0 ? "factor" : "none");
  expect(counted.calls).toEqual([]);
  for (let n = 0; n < 10_001; n += 1) await fresh.of(`nobody${n}`, "none");
  counted.calls.length = 0;
  await fresh.of(ada.id, "none");
  expect(counted.calls).toHaveLength(2);
});

test("roles that the settings no longer have are held by nobody, whatever the records say", async () => {
  const ada = user();
  const org = await made.createOrg(ada);
  const fewer: OrganizationSettings = {
    ...organizationSettings,
    roles: [{ name: "clerk", manage: [...manageEntries] }],
    teamRoles: [],
  };
  const team = await made.createTeam(org, "Desk", ["clerk", "keeper"]);
  await made.join(org, ada, {
    roles: ["owner"],
    teams: [team],
    team_roles: [{ team, role: "lead", from: null, until: null }],
  });
  const memberships = await new LiveMemberships({ store, clock }, fewer).of(ada.id, "none");
  expect([...memberships.values()].map(plain)).toEqual([
    { org: org.id, roles: ["clerk"], teams: [team], teamRoles: {}, claims: {} },
  ]);
});

/** The same store, telling which queries it was asked. */
function counting(asked: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = [];
  const collection = (name: string): StoreCollection =>
    new Proxy(asked.collection(name), {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        return (...given: readonly unknown[]) => {
          calls.push(`${String(member)} ${name}`);
          return Reflect.apply(value, target, given);
        };
      },
    });
  return {
    calls,
    store: new Proxy(asked, {
      get(target, member) {
        if (member === "collection") return collection;
        const value: unknown = Reflect.get(target, member, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
  };
}
