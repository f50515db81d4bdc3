import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, type Received, text } from "../auth/testing/accounts.ts";
import type { JsonObject } from "../json.ts";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import type { OrganizationRecord } from "./records.ts";
import { twoInstances } from "./testing/instances.ts";
import { type Organizations, organizationSettings, outcome, startOrganizations } from "./testing/realm.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;

/** `chief` manages members and teams, but not the organization. */
const settings = {
  roles: [...organizationSettings.roles, { name: "chief", manage: ["members", "teams"] as const }],
  maxTeamsPerOrg: 4,
};

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations(settings);
});

afterAll(() => server.stop());

function create({ id }: Org, { token }: By, body: JsonObject, on = server): Promise<Received> {
  return on.send("POST", `/_orgs/${id}/teams`, { token, body });
}

function list({ id }: Org, { token }: By, query = ""): Promise<Received> {
  return server.send("GET", `/_orgs/${id}/teams${query}`, { token });
}

function patch({ id }: Org, { token }: By, team: string, body: JsonObject): Promise<Received> {
  return server.send("PATCH", `/_orgs/${id}/teams/${team}`, { token, body });
}

function remove({ id }: Org, { token }: By, team: string): Promise<Received> {
  return server.send("DELETE", `/_orgs/${id}/teams/${team}`, { token });
}

describe("Organization endpoints: teams", () => {
  test("are made with a name and roles, listed to every member, changed and deleted", async () => {
    const { ann, bob } = await server.people("ann", "bob");
    const org = await server.createOrg(ann);
    await server.join(org, bob);
    const made = await create(org, ann, { name: "  Front desk ", roles: ["clerk", "clerk"] });
    expect(made.status).toBe(201);
    const id = text(made.body, "id");
    expect(made.body).toEqual({ id, name: "Front desk", roles: ["clerk"] });
    const plain = await create(org, ann, { name: "Night" });
    expect(plain.body).toEqual({ id: expect.any(String), name: "Night", roles: [] });
    expect(await list(org, bob)).toMatchObject({
      status: 200,
      body: { items: [made.body, plain.body], has_more: false },
    });

    const renamed = await patch(org, ann, id, { name: "Desk" });
    expect(renamed).toMatchObject({ status: 200, body: { id, name: "Desk", roles: ["clerk"] } });
    expect((await patch(org, ann, id, { roles: [] })).body).toEqual({ id, name: "Desk", roles: [] });
    expect((await patch(org, ann, id, {})).body).toEqual({ id, name: "Desk", roles: [] });
    const gone = await remove(org, ann, id);
    expect([gone.status, gone.body]).toEqual([204, {}]);
    expect((await list(org, bob)).body["items"]).toEqual([plain.body]);
    for (const answer of [await patch(org, ann, id, { name: "x" }), await remove(org, ann, id)]) {
      expect(outcome(answer)).toEqual([404, "not_found"]);
    }

    const by = `user:${ann.id}`;
    expect(await server.acts(org, "org.team.create")).toEqual([
      [by, { team: id, roles: ["clerk"] }],
      [by, { team: plain.body["id"], roles: [] }],
    ]);
    expect(await server.acts(org, "org.team.update")).toEqual([
      [by, { team: id, from: ["clerk"], to: ["clerk"] }],
      [by, { team: id, from: ["clerk"], to: [] }],
    ]);
    expect(await server.acts(org, "org.team.delete")).toEqual([[by, { team: id, roles: [] }]]);
  });

  test("are changed by who manages teams, and seen by members only", async () => {
    const { cat, dan, eve } = await server.people("cat", "dan", "eve");
    const org = await server.createOrg(cat);
    await server.join(org, dan, { roles: ["clerk"] });
    const id = await server.createTeam(org, "Desk");
    for (const answer of [
      await create(org, dan, { name: "Other" }),
      await patch(org, dan, id, { name: "Other" }),
      await remove(org, dan, id),
    ]) {
      expect(outcome(answer)).toEqual([403, "forbidden"]);
    }
    for (const answer of [
      await list(org, eve),
      await create(org, eve, { name: "Other" }),
      await remove(org, eve, "no"),
    ]) {
      expect(outcome(answer)).toEqual([403, "not_org_member"]);
    }
    await server.join(org, dan, { roles: ["keeper"] });
    expect((await create(org, dan, { name: "Other" })).status).toBe(201);
    expect((await remove(org, dan, id)).status).toBe(204);
  });

  test("bad bodies are 400 with what is wrong, and change nothing", async () => {
    const { fay } = await server.people("fay");
    const org = await server.createOrg(fay);
    const id = await server.createTeam(org, "Desk");
    const bad: readonly JsonObject[] = [
      {},
      { name: "" },
      { name: "   " },
      { name: "x".repeat(201) },
      { name: "two\nlines" },
      { name: "direct" },
      { name: " default " },
      { name: 7 },
      { name: null },
      { name: "x", roles: "clerk" },
      { name: "x", roles: ["nobody"] },
      { name: "x", roles: ["__proto__"] },
      { name: "x", roles: ["constructor"] },
      { name: "x", roles: [null] },
      { name: "x", color: "red" },
    ];
    for (const body of bad) {
      expect([body, ...outcome(await create(org, fay, body))]).toEqual([body, 400, "validation_error"]);
    }
    for (const body of bad.slice(1)) {
      expect([body, ...outcome(await patch(org, fay, id, body))]).toEqual([body, 400, "validation_error"]);
    }
    expect((await server.org(org))?.teams).toEqual([{ id, name: "Desk", roles: [] }]);
    expect((await create(org, fay, { name: "😀".repeat(200) })).status).toBe(201);
  });

  test("are listed a page after the other", async () => {
    const { gus } = await server.people("gus");
    const org = await server.createOrg(gus);
    for (const name of ["c", "a", "b"]) await server.createTeam(org, name);
    const first = await list(org, gus, "?limit=2");
    expect(first.body).toMatchObject({ items: [{ name: "c" }, { name: "a" }], has_more: true });
    const cursor = encodeURIComponent(text(first.body, "next_cursor"));
    const rest = await list(org, gus, `?after=${cursor}`);
    expect(rest.body).toEqual({ items: [expect.objectContaining({ name: "b" })], has_more: false });
    const other = await server.createOrg(gus);
    for (const [of, query] of [
      [other, `?after=${cursor}`],
      [org, "?limit=101"],
      [org, "?q=a"],
    ] as const) {
      expect(outcome(await list(of, gus, query))).toEqual([400, "invalid_query"]);
    }
  });

  test("roles that the configuration no longer has are not shown, and stay out of the way", async () => {
    const { hal } = await server.people("hal");
    const org = await server.createOrg(hal);
    const id = await server.createTeam(org, "Desk", ["retired", "clerk"]);
    expect((await list(org, hal)).body["items"]).toEqual([{ id, name: "Desk", roles: ["clerk"] }]);
    expect((await patch(org, hal, id, { roles: ["member"] })).body).toMatchObject({ roles: ["member"] });
  });
});

describe("Organization endpoints 2: the last who can manage the organization, through a team", () => {
  test("neither the team's roles nor the team go: 409 last_org_manager", async () => {
    const { ida, jon } = await server.people("ida", "jon");
    const org = await server.createOrg(ida);
    const team = await server.createTeam(org, "Owners", ["owner"]);
    await server.join(org, ida, { teams: [team] });
    expect(outcome(await patch(org, ida, team, { roles: ["clerk"] }))).toEqual([409, "last_org_manager"]);
    expect(outcome(await remove(org, ida, team))).toEqual([409, "last_org_manager"]);
    expect((await server.org(org))?.teams).toEqual([{ id: team, name: "Owners", roles: ["owner"] }]);
    await server.join(org, jon, { roles: ["owner"] });
    expect((await remove(org, ida, team)).status).toBe(204);
    expect(outcome(await create(org, ida, { name: "x" }))).toEqual([403, "forbidden"]);
  });

  test("a role that manages makes an orphaned organization active, with the team that carries it", async () => {
    const { kim, lea } = await server.people("kim", "lea");
    const org = await server.createOrg(kim);
    const team = await server.createTeam(org, "Chiefs");
    await server.join(org, lea, { teams: [team] });
    await server.changeOrg(org, (before) => ({ ...before, status: "orphaned" }));
    expect((await patch(org, kim, team, { roles: ["owner"] })).status).toBe(200);
    expect((await server.org(org))?.status).toBe("active");
  });
});

describe("Organization endpoints 3: a team counts as the roles it carries", () => {
  test("nobody makes a team, gives it roles or takes them, that they could not give", async () => {
    const { max, nia, oda } = await server.people("max", "nia", "oda");
    const org = await server.createOrg(max);
    await server.join(org, nia, { roles: ["chief"] });
    await server.join(org, oda, { roles: ["keeper"] });
    const owners = await server.createTeam(org, "Owners", ["owner"]);
    const before = await server.org(org);
    for (const answer of [
      await create(org, nia, { name: "Mine", roles: ["owner"] }),
      await create(org, nia, { name: "Mine", roles: ["clerk", "owner"] }),
      await patch(org, nia, owners, { roles: [] }),
      await remove(org, nia, owners),
      // Who manages teams only gives no roles at all.
      await create(org, oda, { name: "Mine", roles: ["member"] }),
      await remove(org, oda, owners),
    ]) {
      expect(outcome(answer)).toEqual([403, "forbidden"]);
    }
    expect(await server.org(org)).toEqual(before);
    expect((await create(org, nia, { name: "Mine", roles: ["clerk", "keeper"] })).status).toBe(201);
    expect((await create(org, oda, { name: "Ours" })).status).toBe(201);
    // What stays as it is, they neither give nor take.
    const mixed = await patch(org, nia, owners, { name: "Bosses", roles: ["owner", "clerk"] });
    expect(mixed).toMatchObject({ status: 200, body: { name: "Bosses", roles: ["owner", "clerk"] } });
  });
});

describe("Organization endpoints 4: caps and names of teams", () => {
  test("names are unique in an organization, exactly: 409 team_name_taken", async () => {
    const { pam } = await server.people("pam");
    const org = await server.createOrg(pam);
    const desk = text((await create(org, pam, { name: "Desk" })).body, "id");
    expect(outcome(await create(org, pam, { name: " Desk " }))).toEqual([409, "team_name_taken"]);
    expect((await create(org, pam, { name: "desk" })).status).toBe(201);
    expect(outcome(await patch(org, pam, desk, { name: "desk" }))).toEqual([409, "team_name_taken"]);
    expect((await patch(org, pam, desk, { name: "Desk" })).status).toBe(200);
    const other = await server.createOrg(pam);
    expect((await create(other, pam, { name: "Desk" })).status).toBe(201);
    expect((await remove(org, pam, desk)).status).toBe(204);
    expect((await create(org, pam, { name: "Desk" })).status).toBe(201);
  });

  test("an organization has at most max_teams_per_org: 409 team_limit_reached", async () => {
    const { quy } = await server.people("quy");
    const org = await server.createOrg(quy);
    for (const name of ["1", "2", "3", "4"]) expect((await create(org, quy, { name })).status).toBe(201);
    expect(outcome(await create(org, quy, { name: "5" }))).toEqual([409, "team_limit_reached"]);
    const [first] = (await server.org(org))?.teams ?? [];
    expect((await remove(org, quy, first?.id ?? "")).status).toBe(204);
    expect((await create(org, quy, { name: "5" })).status).toBe(201);
  });

  /** Ten are asked for at the same moment, of five names, in an organization that may have four. */
  async function race(on: Organizations, other: Organizations, name: string): Promise<void> {
    const person = await on.signup(`${name}@example.com`);
    for (let round = 0; round < 5; round += 1) {
      const org = await on.createOrg(person);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          create(org, person, { name: `team ${at % 5}` }, at % 2 === 0 ? on : other),
        ),
      );
      const codes = answers.map(outcome).filter(([status]) => status !== 201);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(4);
      for (const [, code] of codes) expect(["team_name_taken", "team_limit_reached"]).toContain(code);
      const names = (await on.org(org))?.teams.map((team) => team.name);
      expect(new Set(names).size).toBe(4);
    }
  }

  test("both hold for teams that are made at the same moment", () => race(server, server, "racer"));

  describeMongo("of two instances on one database", () => {
    const instances = twoInstances(settings);

    test("both hold too", async () => {
      const [one, other] = instances();
      await race(one, other, "apart");
    });
  });
});
