import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Person, Received } from "../auth/testing/accounts.ts";
import type { JsonObject } from "../json.ts";
import type { OrganizationRecord } from "./records.ts";
import { inDays, type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

type By = Pick<Person, "token">;

let server: Organizations;
let owner: Person;
let holder: Person;
let other: Person;
let org: OrganizationRecord;
let desk: string;
let night: string;

beforeAll(async () => {
  server = await startOrganizations();
  ({ owner, holder, other } = await server.people("owner", "holder", "other"));
});

afterAll(() => server.stop());

beforeEach(async () => {
  org = await server.createOrg(owner);
  desk = await server.createTeam(org, "Desk");
  night = await server.createTeam(org, "Night");
  await server.join(org, holder);
  await server.join(org, other);
});

function send(method: string, { token }: By, body: JsonObject, team = desk): Promise<Received> {
  return server.send(method, `/_orgs/${org.id}/teams/${team}/roles`, { token, body });
}

const give = (by: By, body: JsonObject, team = desk) => send("POST", by, body, team);
const change = (by: By, body: JsonObject, team = desk) => send("PATCH", by, body, team);
const take = (by: By, body: JsonObject, team = desk) => send("DELETE", by, body, team);

const rolesOf = async (person: Person) => (await server.member(org, person))?.team_roles;

const always = { from: null, until: null };

describe("Organization endpoints: team roles", () => {
  test("are given, with a window or without, get another window, and are taken", async () => {
    const asked = { user: holder.id, role: "reviewer" };
    const given = await give(owner, {
      ...asked,
      from: "2031-01-01T00:00:00+01:00",
      until: "2031-02-01T00:00:00.5Z",
    });
    const window = { from: "2030-12-31T23:00:00.000Z", until: "2031-02-01T00:00:00.500Z" };
    expect(given).toMatchObject({ status: 201, body: { ...asked, ...window } });
    expect(Object.keys(given.body)).toEqual(["user", "role", "from", "until"]);
    expect(await rolesOf(holder)).toEqual([{ team: desk, role: "reviewer", ...window }]);
    expect((await give(owner, asked, night)).body).toEqual({ ...asked, ...always });
    expect(outcome(await give(owner, asked))).toEqual([409, "conflict"]);

    const until = inDays(server, 1);
    expect(await change(owner, { ...asked, until: null })).toMatchObject({
      status: 200,
      body: { ...asked, from: window.from, until: null },
    });
    expect((await change(owner, { ...asked, from: null, until })).body).toEqual({
      ...asked,
      from: null,
      until,
    });
    expect((await change(owner, asked)).body).toEqual({ ...asked, from: null, until });
    const taken = await take(owner, asked);
    expect([taken.status, taken.body]).toEqual([204, {}]);
    expect(await rolesOf(holder)).toEqual([{ team: night, role: "reviewer", ...always }]);
    expect(outcome(await take(owner, asked))).toEqual([404, "not_found"]);
    expect(outcome(await change(owner, asked))).toEqual([404, "not_found"]);

    const told = await server.auditOf(org);
    const about = { user: holder.id, team: desk, role: "reviewer" };
    expect(told.map(({ action, details }) => [action, details])).toEqual([
      ["org.team.role.give", { ...about, ...window }],
      ["org.team.role.give", { ...about, team: night, ...always }],
      ["org.team.role.change", { ...about, from: window.from, until: null }],
      ["org.team.role.change", { ...about, from: null, until }],
      ["org.team.role.change", { ...about, from: null, until }],
      ["org.team.role.take", about],
    ]);
  });

  test("are held by members of the organization only; unknown teams are 404", async () => {
    const outsider = await server.signup(`${org.id}@example.com`);
    const asked = { user: outsider.id, role: "lead" };
    for (const user of [outsider.id, "unknown", "", "../x", `${owner.id}.x`, "x".repeat(1000)]) {
      expect([user, ...outcome(await give(owner, { user, role: "lead" }))]).toEqual([user, 404, "not_found"]);
    }
    expect(outcome(await give(owner, { ...asked, user: holder.id }, "unknown"))).toEqual([404, "not_found"]);
    expect(outcome(await take(owner, asked))).toEqual([404, "not_found"]);
    expect(outcome(await give(outsider, asked))).toEqual([403, "not_org_member"]);
    expect(outcome(await take(outsider, {}))).toEqual([403, "not_org_member"]);
  });

  test("bad bodies are 400 with what is wrong, and change nothing", async () => {
    const asked = { user: holder.id, role: "lead" };
    const bad: readonly JsonObject[] = [
      {},
      { user: holder.id },
      { role: "lead" },
      { user: 1, role: "lead" },
      { ...asked, role: "owner" },
      { ...asked, role: "__proto__" },
      { ...asked, from: "tomorrow" },
      { ...asked, from: "2030-01-01" },
      { ...asked, from: 1 },
      { ...asked, from: "2031-01-01T00:00:00Z", until: "2031-01-01T00:00:00Z" },
      { ...asked, from: "2031-01-01T00:00:00+01:00", until: "2030-12-31T22:59:59Z" },
      { ...asked, extra: true },
    ];
    for (const body of bad) {
      expect([body, ...outcome(await give(owner, body))]).toEqual([body, 400, "validation_error"]);
    }
    expect(await rolesOf(holder)).toEqual([]);
    const until = inDays(server, 1);
    await give(owner, { ...asked, until });
    for (const body of [...bad, { ...asked, from: until }]) {
      expect([body, ...outcome(await change(owner, body))]).toEqual([body, 400, "validation_error"]);
    }
    for (const body of [{}, { user: holder.id }, { ...asked, until }]) {
      expect([body, ...outcome(await take(owner, body))]).toEqual([body, 400, "validation_error"]);
    }
    const bodiless = { token: owner.token };
    const path = `/_orgs/${org.id}/teams/${desk}/roles`;
    expect(outcome(await server.send("DELETE", path, bodiless))).toEqual([400, "invalid_json"]);
    expect(await rolesOf(holder)).toEqual([{ team: desk, role: "lead", from: null, until }]);
  });

  test("who holds a role that grants another gives, changes and takes that one, in this team alone", async () => {
    await give(owner, { user: holder.id, role: "lead" });
    const asked = { user: other.id, role: "reviewer" };
    expect((await give(holder, asked)).status).toBe(201);
    expect((await change(holder, { ...asked, until: inDays(server, 1) })).status).toBe(200);
    expect((await take(holder, asked)).status).toBe(204);
    expect(outcome(await give(holder, { ...asked, role: "lead" }))).toEqual([403, "forbidden"]);
    expect(outcome(await take(holder, { user: holder.id, role: "lead" }))).toEqual([403, "forbidden"]);
    expect(outcome(await give(holder, asked, night))).toEqual([403, "forbidden"]);
    expect(outcome(await give(holder, asked, "unknown"))).toEqual([403, "forbidden"]);
    // A reviewer grants nothing; being in the team is no role in it.
    await give(owner, asked);
    await server.join(org, other, { teams: [desk], team_roles: (await rolesOf(other)) ?? [] });
    expect(outcome(await give(other, { user: holder.id, role: "reviewer" }))).toEqual([403, "forbidden"]);
    // Nor does managing members reach into teams.
    await server.join(org, other, { roles: ["clerk"] });
    expect(outcome(await give(other, { user: holder.id, role: "reviewer" }))).toEqual([403, "forbidden"]);
    await server.join(org, other, { roles: ["keeper"] });
    expect((await give(other, { user: holder.id, role: "reviewer" })).status).toBe(201);
  });

  test("a role that grants does so only while its window is open: from its beginning, until before its end", async () => {
    const begin = server.clock.now();
    const [from, until] = [inDays(server, 1), inDays(server, 2)];
    await give(owner, { user: holder.id, role: "lead", from, until });
    const asked = { user: other.id, role: "reviewer" };
    const attempt = async (at: number) => {
      server.clock.set(at);
      const answer = await give(holder, asked);
      if (answer.status === 201) await take(owner, asked);
      return answer.status;
    };
    try {
      const statuses = [];
      for (const at of [Date.parse(from) - 1, Date.parse(from), Date.parse(until) - 1, Date.parse(until)]) {
        statuses.push(await attempt(at));
      }
      expect(statuses).toEqual([403, 201, 201, 403]);
    } finally {
      server.clock.set(begin);
    }
  });

  test("one member has a role in a team once, also when it is given several times at the same moment", async () => {
    for (let round = 0; round < 5; round += 1) {
      const asked = { user: holder.id, role: "lead" };
      const answers = await Promise.all(Array.from({ length: 4 }, () => give(owner, asked)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      expect(await rolesOf(holder)).toHaveLength(1);
      expect((await take(owner, asked)).status).toBe(204);
    }
  });

  test("roles in a team that the configuration no longer has are nobody's to grant by, and can be taken", async () => {
    const role = { team: desk, role: "retired", ...always };
    await server.join(org, holder, { team_roles: [role] });
    expect(outcome(await give(holder, { user: other.id, role: "reviewer" }))).toEqual([403, "forbidden"]);
    expect(outcome(await change(owner, { user: holder.id, role: "retired" }))).toEqual([
      400,
      "validation_error",
    ]);
    expect((await take(owner, { user: holder.id, role: "retired" })).status).toBe(204);
    expect(await rolesOf(holder)).toEqual([]);
  });
});
