import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, type Received, text } from "../auth/testing/accounts.ts";
import type { OrganizationRecord } from "./records.ts";
import {
  inDays,
  items,
  type Organizations,
  organizationSettings,
  outcome,
  startOrganizations,
} from "./testing/realm.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;
type User = Pick<Person, "id">;

/** `chief` manages members and teams, but not the organization. */
const settings = {
  roles: [...organizationSettings.roles, { name: "chief", manage: ["members", "teams"] as const }],
  maxTeamsPerMember: 2,
};

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations(settings);
});

afterAll(() => server.stop());

function put({ id }: Org, { token }: By, team: string, user: User): Promise<Received> {
  return server.send("PUT", `/_orgs/${id}/teams/${team}/members/${user.id}`, { token });
}

function remove({ id }: Org, { token }: By, team: string, user: User): Promise<Received> {
  return server.send("DELETE", `/_orgs/${id}/teams/${team}/members/${user.id}`, { token });
}

function list({ id }: Org, { token }: By, team: string, query = ""): Promise<Received> {
  return server.send("GET", `/_orgs/${id}/teams/${team}/members${query}`, { token });
}

function usersIn(answer: Received): readonly unknown[] {
  return items(answer).map(({ user }) => user);
}

const always = { from: null, until: null };

describe("Organization endpoints: members of teams", () => {
  test("a member is put into a team, has its roles with the next request, and is taken out again", async () => {
    const { ann, bob } = await server.people("ann", "bob");
    const org = await server.createOrg(ann);
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    await server.join(org, bob);
    const added = await put(org, ann, team, bob);
    expect(added.status).toBe(200);
    const entry = {
      user: bob.id,
      kind: "user",
      roles: [],
      effective_roles: [
        { role: "clerk", origin: ["Desk"] },
        { role: "member", origin: ["default"] },
      ],
      overlap: [],
      teams: [team],
      email: bob.email,
      mfa: false,
    };
    expect(added.body).toEqual(entry);
    expect(await put(org, ann, team, bob)).toMatchObject({ status: 200, body: entry });
    const listed = await list(org, bob, team);
    expect(listed.body).toEqual({ items: [{ ...entry, team_roles: [] }], has_more: false });

    const taken = await remove(org, ann, team, bob);
    const effective_roles = [{ role: "member", origin: ["default"] }];
    expect(taken).toMatchObject({ status: 200, body: { ...entry, effective_roles, teams: [] } });
    expect(outcome(await remove(org, ann, team, bob))).toEqual([404, "not_found"]);
    expect(usersIn(await list(org, bob, team))).toEqual([]);

    const told = (await server.audit()).filter(({ action }) => action.startsWith("org.team.member."));
    expect(told.map(({ action, actor, target, details }) => [action, actor, target, details])).toEqual([
      ["org.team.member.add", `user:${ann.id}`, `org:${org.id}`, { user: bob.id, team }],
      ["org.team.member.remove", `user:${ann.id}`, `org:${org.id}`, { user: bob.id, team }],
    ]);
  });

  test("404 for an unknown team and for who is no member; 403 for who does not manage teams", async () => {
    const { cat, dan, eve } = await server.people("cat", "dan", "eve");
    const org = await server.createOrg(cat);
    const other = await server.createOrg(cat);
    const elsewhere = await server.createTeam(other, "Elsewhere");
    const team = await server.createTeam(org, "Desk");
    await server.join(org, dan, { roles: ["clerk"] });
    for (const answer of [
      await put(org, cat, elsewhere, dan),
      await put(org, cat, "unknown", dan),
      await put(org, cat, team, eve),
      await put(org, cat, team, { id: "unknown" }),
      await remove(org, cat, team, eve),
      await remove(org, cat, elsewhere, dan),
      await list(org, cat, elsewhere),
    ]) {
      expect(outcome(answer)).toEqual([404, "not_found"]);
    }
    expect(outcome(await put(org, dan, team, dan))).toEqual([403, "forbidden"]);
    expect(outcome(await remove(org, dan, team, dan))).toEqual([403, "forbidden"]);
    expect(outcome(await list(org, eve, team))).toEqual([403, "not_org_member"]);
    expect(outcome(await put(org, eve, team, eve))).toEqual([403, "not_org_member"]);
    expect((await server.member(org, dan))?.teams).toEqual([]);
  });

  test("the list has members and holders of roles, by user; role picks those who have that one in this team", async () => {
    const { fay, gus, hal, ida } = await server.people("fay", "gus", "hal", "ida");
    const org = await server.createOrg(fay);
    const desk = await server.createTeam(org, "Desk");
    const night = await server.createTeam(org, "Night");
    const later = { from: inDays(server, 1), until: inDays(server, 2) };
    await server.join(org, gus, {
      teams: [desk],
      team_roles: [
        { team: desk, role: "reviewer", ...later },
        { team: night, role: "lead", ...always },
      ],
    });
    await server.join(org, hal, {
      team_roles: [
        { team: desk, role: "lead", ...always },
        { team: desk, role: "retired", ...always },
      ],
    });
    await server.join(org, ida, { teams: [night], team_roles: [{ team: desk, role: "retired", ...always }] });
    const answer = await list(org, fay, desk);
    expect(usersIn(answer)).toEqual([gus.id, hal.id].sort());
    const roles = new Map(items(answer).map(({ user, team_roles }) => [user, team_roles]));
    expect(roles.get(gus.id)).toEqual([{ role: "reviewer", ...later }]);
    expect(roles.get(hal.id)).toEqual([{ role: "lead", ...always }]);
    expect(usersIn(await list(org, gus, desk, "?role=lead"))).toEqual([hal.id]);
    expect(usersIn(await list(org, gus, desk, "?role=reviewer"))).toEqual([gus.id]);
    expect(usersIn(await list(org, gus, night, "?role=lead"))).toEqual([gus.id]);
    expect(usersIn(await list(org, gus, night, "?role=reviewer"))).toEqual([]);
    for (const bad of ["?role=retired", "?role=", "?role=owner", "?role=lead&role=lead", "?limit=0"]) {
      expect([bad, ...outcome(await list(org, fay, desk, bad))]).toEqual([bad, 400, "invalid_query"]);
    }
    const first = await list(org, fay, desk, "?limit=1");
    expect(usersIn(first)).toEqual([gus.id, hal.id].sort().slice(0, 1));
    expect(first.body["has_more"]).toBe(true);
    const cursor = encodeURIComponent(text(first.body, "next_cursor"));
    const rest = await list(org, fay, desk, `?limit=1&after=${cursor}`);
    expect(usersIn(rest)).toEqual([gus.id, hal.id].sort().slice(1));
    expect(rest.body["has_more"]).toBe(false);
  });

  test("who is taken out of a team has no role in it any more; in others they keep theirs", async () => {
    const { jon, kim, lea } = await server.people("jon", "kim", "lea");
    const org = await server.createOrg(jon);
    const desk = await server.createTeam(org, "Desk");
    const night = await server.createTeam(org, "Night");
    const lead = (team: string) => ({ team, role: "lead", ...always });
    await server.join(org, kim, { teams: [desk, night], team_roles: [lead(desk), lead(night)] });
    await server.join(org, lea, { team_roles: [lead(desk)] });
    expect((await remove(org, jon, desk, kim)).status).toBe(200);
    expect(await server.member(org, kim)).toMatchObject({ teams: [night], team_roles: [lead(night)] });
    // Who was never in it, but holds a role, leaves the list too.
    expect((await remove(org, jon, desk, lea)).status).toBe(200);
    expect(usersIn(await list(org, jon, desk))).toEqual([]);
    expect(outcome(await remove(org, jon, desk, lea))).toEqual([404, "not_found"]);
  });

  test("a deleted team is gone from every membership", async () => {
    const { max, nia } = await server.people("max", "nia");
    const org = await server.createOrg(max);
    const desk = await server.createTeam(org, "Desk", ["clerk"]);
    const night = await server.createTeam(org, "Night");
    await server.join(org, nia, {
      teams: [desk, night],
      team_roles: [{ team: desk, role: "lead", ...always }],
    });
    const answer = await server.send("DELETE", `/_orgs/${org.id}/teams/${desk}`, { token: max.token });
    expect(answer.status).toBe(204);
    const members = await server.send("GET", `/_orgs/${org.id}/members`, { token: max.token });
    const entry = items(members).find(({ user }) => user === nia.id);
    const effective_roles = [{ role: "member", origin: ["default"] }];
    expect(entry).toMatchObject({ teams: [night], effective_roles });
    expect(outcome(await list(org, nia, desk))).toEqual([404, "not_found"]);
    // What is left of it in the record goes with the next change.
    expect((await remove(org, max, night, nia)).status).toBe(200);
    expect(await server.member(org, nia)).toMatchObject({ teams: [], team_roles: [] });
  });
});

describe("Organization endpoints 2: the last who can manage the organization, through a team", () => {
  test("is not taken out of it: 409 last_org_manager", async () => {
    const { oda, pam } = await server.people("oda", "pam");
    const org = await server.createOrg(oda);
    const owners = await server.createTeam(org, "Owners", ["owner"]);
    await server.join(org, oda, { teams: [owners] });
    await server.join(org, pam);
    expect(outcome(await remove(org, oda, owners, oda))).toEqual([409, "last_org_manager"]);
    expect((await put(org, oda, owners, pam)).status).toBe(200);
    expect((await remove(org, oda, owners, oda)).status).toBe(200);
    expect(outcome(await remove(org, pam, owners, pam))).toEqual([409, "last_org_manager"]);
  });

  test("of two who take each other out of it at the same moment exactly one does", async () => {
    const { rex, sue } = await server.people("rex", "sue");
    for (let round = 0; round < 20; round += 1) {
      const org = await server.createOrg(rex);
      const owners = await server.createTeam(org, "Owners", ["owner"]);
      await server.join(org, rex, { teams: [owners] });
      await server.join(org, sue, { teams: [owners] });
      const answers = await Promise.all([remove(org, rex, owners, sue), remove(org, sue, owners, rex)]);
      expect(answers.map(outcome).sort()).toEqual([[200], [403, "forbidden"]]);
    }
  });
});

describe("Organization endpoints 3: a team counts as the roles it carries", () => {
  test("an administrator cannot put themselves, or anybody, in the owners' team, nor take owners out", async () => {
    const { tom, una, vic } = await server.people("tom", "una", "vic");
    const org = await server.createOrg(tom);
    const owners = await server.createTeam(org, "Owners", ["owner"]);
    const clerks = await server.createTeam(org, "Clerks", ["clerk"]);
    const plain = await server.createTeam(org, "Plain");
    await server.join(org, tom, { roles: ["owner"], teams: [owners] });
    await server.join(org, una, { roles: ["chief"] });
    await server.join(org, vic, { roles: ["keeper"] });
    for (const answer of [
      await put(org, una, owners, una),
      await put(org, una, owners, vic),
      await remove(org, una, owners, tom),
      await put(org, vic, owners, vic),
      // Who manages teams only gives no roles at all.
      await put(org, vic, clerks, vic),
    ]) {
      expect(outcome(answer)).toEqual([403, "forbidden"]);
    }
    expect((await put(org, una, clerks, vic)).status).toBe(200);
    expect((await put(org, vic, plain, una)).status).toBe(200);
    expect((await server.member(org, tom))?.teams).toEqual([owners]);
  });
});

describe("Organization endpoints 4: teams of one member", () => {
  test("are at most max_teams_per_member: 409 team_limit_reached; teams that are gone do not count", async () => {
    const { wes } = await server.people("wes");
    const org = await server.createOrg(wes);
    const teams = [
      await server.createTeam(org, "1"),
      await server.createTeam(org, "2"),
      await server.createTeam(org, "3"),
    ] as const;
    await server.join(org, wes, { roles: ["owner"], teams: ["gone", teams[0]] });
    expect((await put(org, wes, teams[1], wes)).status).toBe(200);
    expect(outcome(await put(org, wes, teams[2], wes))).toEqual([409, "team_limit_reached"]);
    expect((await put(org, wes, teams[1], wes)).status).toBe(200);
    expect((await server.member(org, wes))?.teams).toEqual([teams[0], teams[1]]);
  });

  test("also when they are put into several at the same moment", async () => {
    const { xia } = await server.people("xia");
    for (let round = 0; round < 5; round += 1) {
      const org = await server.createOrg(xia);
      const teams: string[] = [];
      for (const name of ["1", "2", "3", "4"]) teams.push(await server.createTeam(org, name));
      const answers = await Promise.all(teams.map((team) => put(org, xia, team, xia)));
      const limit = [409, "team_limit_reached"];
      expect(answers.map(outcome).sort()).toEqual([[200], [200], limit, limit]);
      expect((await server.member(org, xia))?.teams).toHaveLength(2);
    }
  });
});
