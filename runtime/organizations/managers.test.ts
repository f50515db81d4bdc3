import { afterEach, beforeEach, expect, test } from "vitest";
import { collections as accountCollections, systemCollections } from "../auth/collections.ts";
import { readUser, writeUser } from "../auth/records.ts";
import { newUser } from "../auth/users.ts";
import { idGenerator } from "../ids.ts";
import { heldClock } from "../instance/testing/servers.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { organizationCollections } from "./collections.ts";
import { findManagers, type MemberChange, type MembersChange, settleManagers } from "./managers.ts";
import type { MemberRecord, OrganizationRecord } from "./records.ts";
import { definitionOf, organizationSettings, organizationsIn } from "./testing/realm.ts";

const clock = heldClock();
const newId = idGenerator(clock);
const definition = definitionOf();

let store: Store;
let made: ReturnType<typeof organizationsIn>;

beforeEach(async () => {
  const shapes = [...systemCollections(definition), ...organizationCollections(definition)];
  store = await testStore({ clock, collections: shapes });
  made = organizationsIn({ store, clock });
});

afterEach(() => store.close());

async function account(disabled = false): Promise<{ readonly id: string }> {
  const email = `${newId()}@example.com`;
  const given = { email, email_key: email, email_verified: true, password: null, roles: [] };
  const user = { ...newUser({ clock, newId }, { ...given, locale: null, profile: null }), disabled };
  await store.collection(accountCollections.users).insert(writeUser(user, 1));
  return { id: user.id };
}

const userOf = async (id: string) => {
  const document = await store.collection(accountCollections.users).get(id, "live");
  if (document === undefined) throw new Error("no user");
  return readUser(document);
};

function settle(change: MembersChange, settings: OrganizationSettings = organizationSettings) {
  return settleManagers({ store, settings }, change);
}

function withRoles(member: MemberRecord, roles: readonly string[]): readonly MemberChange[] {
  return [{ user: member.user, before: member, after: { ...member, roles } }];
}

async function stored(org: OrganizationRecord): Promise<OrganizationRecord> {
  const found = await made.org(org);
  if (found === undefined) throw new Error("no organization");
  return found;
}

const last = { code: "last_org_manager", status: 409 };

test("Organization endpoints 2: the last manager keeps that role, unless another active account has it", async () => {
  const [one, two, three] = [await account(), await account(), await account(true)];
  const org = await made.createOrg(one);
  await made.join(org, three, { roles: ["owner"] });
  const owner = await made.join(org, one, { roles: ["owner", "keeper"] });
  const before = await stored(org);
  for (const roles of [[], ["clerk"], ["gone"]]) {
    await expect(settle({ before, after: before, members: withRoles(owner, roles) })).rejects.toMatchObject(
      last,
    );
  }
  await settle({ before, after: before, members: withRoles(owner, ["owner"]) });
  await made.join(org, two, { roles: ["owner"] });
  const { org: after } = await settle({ before, after: before, members: withRoles(owner, []) });
  expect(after).toBe(before);
});

test("Organization endpoints 2: nor is that role lost through a team: its roles, its end, its members", async () => {
  const [one, two] = [await account(), await account()];
  const org = await made.createOrg(one);
  const board = await made.createTeam(org, "Board", ["owner"]);
  const desk = await made.createTeam(org, "Desk", ["clerk"]);
  await made.join(org, one, { roles: [] });
  const member = await made.join(org, two, { teams: [board, desk] });
  const before = await stored(org);
  const without = (id: string) => ({ ...before, teams: before.teams.filter((team) => team.id !== id) });
  const renamed = before.teams.map((team) => ({
    ...team,
    roles: team.id === board ? ["clerk"] : team.roles,
  }));
  await expect(settle({ before, after: without(board) })).rejects.toMatchObject(last);
  await expect(settle({ before, after: { ...before, teams: renamed } })).rejects.toMatchObject(last);
  const left = [{ user: two.id, before: member, after: { ...member, teams: [desk] } }];
  await expect(settle({ before, after: before, members: left })).rejects.toMatchObject(last);
  await settle({ before, after: without(desk) });
  // Another team that carries the role, or the role itself, will do.
  const both = { ...before, teams: before.teams.map((team) => ({ ...team, roles: ["owner"] })) };
  await settle({
    before: both,
    after: { ...both, teams: without(board).teams.map((team) => ({ ...team, roles: ["owner"] })) },
  });
  await made.join(org, one, { roles: ["owner"] });
  await settle({ before, after: without(board) });
});

test("Organization endpoints 2: where every member can manage, by default, the last member stays", async () => {
  const settings = { ...organizationSettings, defaultRoles: ["owner"] };
  const [one, two] = [await account(), await account()];
  const org = await made.createOrg(one);
  const first = await made.join(org, one, { roles: [] });
  const before = await stored(org);
  const leaving = [{ user: one.id, before: first, after: undefined }];
  await expect(settle({ before, after: before, members: leaving }, settings)).rejects.toMatchObject(last);
  await made.join(org, two);
  await settle({ before, after: before, members: leaving }, settings);
});

test("where nobody can manage the organization anyway, its members come and go", async () => {
  const [one, two] = [await account(true), await account()];
  const org = await made.createOrg(one);
  const clerk = await made.join(org, two, { roles: ["clerk"] });
  const before = await stored(org);
  await settle({ before, after: before, members: [{ user: two.id, before: clerk, after: undefined }] });
  const owner = await made.member(org, one);
  await settle({ before, after: before, members: [{ user: one.id, before: owner, after: undefined }] });
});

test("States, Organization: an orphaned organization is active as soon as an active account can manage it", async () => {
  const [one, two, three] = [await account(true), await account(), await account(true)];
  const org = await made.createOrg(one, { status: "orphaned" });
  const clerk = await made.join(org, two, { roles: ["clerk"] });
  const off = await made.join(org, three);
  const before = await stored(org);
  const status = async (members: readonly MemberChange[], after = before) =>
    (await settle({ before, after, members })).org.status;
  expect(await status(withRoles(clerk, ["keeper"]))).toBe("orphaned");
  expect(await status(withRoles(off, ["owner"]))).toBe("orphaned");
  expect(await status(withRoles(clerk, ["owner"]))).toBe("active");
  const board = await made.createTeam(org, "Board", []);
  await made.join(org, two, { teams: [board] });
  const now = await stored(org);
  const after = { ...now, teams: now.teams.map((team) => ({ ...team, roles: ["owner"] })) };
  expect((await settle({ before: now, after })).org.status).toBe("active");
});

test("a change holds the accounts fast that it rests on: who comes, and who is left to manage", async () => {
  const [one, two, three] = [await account(), await account(), await account()];
  const org = await made.createOrg(one);
  const owner = await made.join(org, one, { roles: ["owner"] });
  const before = await stored(org);
  const written = async (change: MembersChange) => {
    const { along } = await settle(change);
    const versions = async () =>
      Promise.all([one, two, three].map(async ({ id }) => (await userOf(id)).version));
    const was = await versions();
    await store.transaction(along);
    return (await versions()).map((version, at) => version - (was[at] ?? 0));
  };
  const came = { ...owner, id: `${org.id}.${two.id}`, user: two.id, roles: [] };
  expect(
    await written({ before, after: before, members: [{ user: two.id, before: undefined, after: came }] }),
  ).toEqual([0, 1, 0]);
  expect(await written({ before, after: before, members: withRoles(owner, ["owner"]) })).toEqual([0, 0, 0]);
  await made.join(org, three, { roles: ["owner"] });
  const lost = { before, after: before, members: withRoles(owner, []) };
  expect(await written(lost)).toEqual([0, 0, 1]);

  const { along } = await settle(lost);
  const { record, version } = await userOf(three.id);
  await store
    .collection(accountCollections.users)
    .replace(version, writeUser({ ...record, disabled: true }, version + 1));
  await expect(store.transaction(along)).rejects.toMatchObject({ name: "Outdated" });
  const unknown = [{ user: "nobody", before: undefined, after: { ...came, user: "nobody" } }];
  await expect(settle({ before, after: before, members: unknown })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a manager is found behind any number of disabled ones, and no others are looked at", async () => {
  const off = await account(true);
  const org = await made.createOrg(off);
  for (let n = 0; n < 120; n += 1)
    await made.join(org, await account(n % 2 === 0), { roles: n % 2 === 0 ? ["owner"] : [] });
  const now = await stored(org);
  const realm = { store, settings: organizationSettings };
  const managers = async (orgs: readonly OrganizationRecord[], except: readonly string[] = []) =>
    [...(await findManagers(realm, orgs, except))].map(([id, { record }]) => [id, record.id]);
  expect(await managers([now])).toEqual([]);
  const on = await account();
  await made.join(org, on, { roles: ["owner"] });
  expect(await managers([now])).toEqual([[org.id, on.id]]);
  expect(await managers([now], [on.id])).toEqual([]);
  // Of several organizations each has its own.
  const [other, none] = [await made.createOrg(on), await made.createOrg(off)];
  const found = await managers([now, await stored(none), await stored(other)]);
  expect(found.sort()).toEqual(
    [
      [org.id, on.id],
      [other.id, on.id],
    ].sort(),
  );
  expect(await managers([])).toEqual([]);
});
