import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person, Received } from "../auth/testing.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import type { OrganizationRecord } from "./records.ts";
import { type Organizations, outcome, startOrganizations } from "./testing.ts";

const rounds = 20;

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

type Org = Pick<OrganizationRecord, "id">;

function list({ id }: Org, { token }: Pick<Person, "token">, query = "", on = server): Promise<Received> {
  return on.send("GET", `/_orgs/${id}/members${query}`, { token });
}

function items({ body }: Received): readonly JsonObject[] {
  const { items: listed } = body;
  return Array.isArray(listed) ? listed.filter(isJsonObject) : [];
}

function patch(
  { id }: Org,
  by: Pick<Person, "token">,
  user: Pick<Person, "id">,
  roles: readonly string[],
  on = server,
): Promise<Received> {
  return on.send("PATCH", `/_orgs/${id}/members/${user.id}`, { token: by.token, body: { roles } });
}

function remove(
  { id }: Org,
  by: Pick<Person, "token">,
  user: Pick<Person, "id">,
  on = server,
): Promise<Received> {
  return on.send("DELETE", `/_orgs/${id}/members/${user.id}`, { token: by.token });
}

function leave({ id }: Org, { token }: Pick<Person, "token">, on = server): Promise<Received> {
  return on.send("POST", `/_orgs/${id}/leave`, { token });
}

async function auditOf(org: Org, action: string): Promise<readonly unknown[]> {
  const records = (await server.audit(action)).filter(({ target }) => target === `org:${org.id}`);
  return records.map(({ actor, details }) => [actor, details]);
}

describe("Organization: the member list", () => {
  test("is sorted by user id, and shows direct and effective roles, overlap, teams, address and, to managers, mfa", async () => {
    const { ann, bob, cat } = await server.people("ann", "bob", "cat");
    const org = await server.createOrg(ann);
    const desk = await server.createTeam(org, "Desk", ["clerk", "member"]);
    // Called as an origin is: what is direct is told by the records.
    const direct = await server.createTeam(org, "direct", ["keeper"]);
    await server.join(org, cat, { roles: ["clerk", "keeper", "retired"], teams: [desk, "retired"] });
    await server.join(org, bob, { teams: [direct] });
    await server.strengthen(bob);
    const seen = await list(org, ann);
    expect(seen.status).toBe(200);
    expect(seen.body).toEqual({
      items: [
        {
          user: ann.id,
          roles: ["owner"],
          effective_roles: [
            { role: "member", origin: ["default"] },
            { role: "owner", origin: ["direct"] },
          ],
          overlap: [],
          teams: [],
          email: ann.email,
          mfa: false,
        },
        {
          user: bob.id,
          roles: [],
          effective_roles: [
            { role: "keeper", origin: ["direct"] },
            { role: "member", origin: ["default"] },
          ],
          overlap: [],
          teams: [direct],
          email: bob.email,
          mfa: true,
        },
        {
          user: cat.id,
          roles: ["clerk", "keeper"],
          effective_roles: [
            { role: "clerk", origin: ["direct", "Desk"] },
            { role: "keeper", origin: ["direct"] },
            { role: "member", origin: ["default", "Desk"] },
          ],
          overlap: ["clerk"],
          teams: [desk],
          email: cat.email,
          mfa: false,
        },
      ].sort((one, other) => (one.user < other.user ? -1 : 1)),
      has_more: false,
    });
    const dan = await server.signup("dan@example.com");
    await server.join(org, dan);
    for (const entry of items(await list(org, dan))) {
      expect(Object.keys(entry)).toEqual(["user", "roles", "effective_roles", "overlap", "teams", "email"]);
    }
  });

  test("pages by limit and after; one who joins or leaves meanwhile neither hides nor repeats others", async () => {
    const { eve } = await server.people("eve");
    const org = await server.createOrg(eve);
    const others = Object.values(await server.people("m1", "m2", "m3", "m4", "m5"));
    for (const person of others) await server.join(org, person);
    const all = [eve, ...others].map(({ id }) => id).sort();
    expect(items(await list(org, eve)).map(({ user }) => user)).toEqual(all);
    const first = await list(org, eve, "?limit=2");
    expect(items(first).map(({ user }) => user)).toEqual(all.slice(0, 2));
    const leaver = others.find(({ id }) => id === all[1]);
    if (leaver !== undefined) await leave(org, leaver);
    const cursor = encodeURIComponent(String(first.body["next_cursor"]));
    const rest = await list(org, eve, `?limit=100&after=${cursor}`);
    expect(items(rest).map(({ user }) => user)).toEqual(all.slice(2));
    expect(rest.body["has_more"]).toBe(false);
    for (const bad of ["?limit=0", "?limit=1e1", "?after=x", "?role=owner", "?after="]) {
      expect([bad, ...outcome(await list(org, eve, bad))]).toEqual([bad, 400, "invalid_query"]);
    }
  });

  test("addresses are shown as members_visible_to says", async () => {
    for (const membersVisibleTo of ["managers", "nobody"] as const) {
      const strict = await startOrganizations({ membersVisibleTo });
      try {
        const { fay, gil, hal } = await strict.people("fay", "gil", "hal");
        const org = await strict.createOrg(fay);
        await strict.join(org, gil, { roles: ["keeper"] });
        await strict.join(org, hal);
        const emails = async (person: Person) =>
          items(await list(org, person, "", strict)).map(({ email }) => email);
        const shown = membersVisibleTo === "managers" ? [fay, gil, hal] : [];
        const expected = shown.length === 0 ? Array(3).fill(undefined) : shown.map(({ email }) => email);
        expect((await emails(fay)).sort()).toEqual(expected);
        expect((await emails(gil)).sort()).toEqual(expected);
        expect(await emails(hal)).toEqual([undefined, undefined, undefined]);
      } finally {
        await strict.stop();
      }
    }
  });
});

describe("Organization endpoints 3: roles of members", () => {
  test("are replaced, answered with the member, and audited; what stays is not written", async () => {
    const { ida, jon } = await server.people("ida", "jon");
    const org = await server.createOrg(ida);
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    await server.join(org, jon, { roles: ["keeper", "retired"], teams: [team] });
    const { status, body } = await patch(org, ida, jon, ["clerk", "member", "clerk"]);
    expect([status, body]).toEqual([
      200,
      {
        user: jon.id,
        roles: ["clerk", "member"],
        effective_roles: [
          { role: "clerk", origin: ["direct", "Desk"] },
          { role: "member", origin: ["direct", "default"] },
        ],
        overlap: ["clerk"],
        teams: [team],
        email: jon.email,
        mfa: false,
      },
    ]);
    expect(await server.member(org, jon)).toMatchObject({ roles: ["clerk", "member"], teams: [team] });
    expect((await patch(org, ida, jon, ["member", "clerk"])).status).toBe(200);
    expect(await auditOf(org, "org.member.roles")).toEqual([
      [`user:${ida.id}`, { user: jon.id, from: ["keeper", "retired"], to: ["clerk", "member"] }],
    ]);
    expect((await patch(org, ida, jon, [])).body).toMatchObject({ roles: [] });
  });

  test("nobody gives, or takes, a role that manages more than they do; giving needs manage: members or roles", async () => {
    const { kim, lea, max, ned, oda } = await server.people("kim", "lea", "max", "ned", "oda");
    const org = await server.createOrg(kim);
    await server.join(org, lea, { roles: ["clerk"] });
    await server.join(org, max, { roles: ["keeper"] });
    await server.join(org, ned);
    await server.join(org, oda, { roles: ["clerk", "owner"] });
    const refused = [
      [lea, ned, ["owner"]],
      [lea, ned, ["keeper"]],
      [lea, ned, ["clerk", "keeper"]],
      [lea, lea, ["clerk", "owner"]],
      [lea, max, []],
      [lea, oda, ["clerk"]],
      [max, ned, ["member"]],
      [max, ned, []],
      [ned, ned, ["owner"]],
    ] as const;
    for (const [by, user, roles] of refused) {
      expect(outcome(await patch(org, by, user, roles))).toEqual([403, "forbidden"]);
    }
    const allowed = [
      [lea, ned, ["clerk", "member"]],
      [lea, ned, []],
      // What stays is neither given nor taken.
      [lea, max, ["keeper", "clerk"]],
      [lea, oda, ["owner"]],
      [lea, lea, []],
      [kim, max, []],
      [oda, kim, ["owner", "keeper"]],
    ] as const;
    for (const [by, user, roles] of allowed) {
      const { status, body } = await patch(org, by, user, roles);
      expect([status, body["roles"]]).toEqual([200, roles]);
    }
    // One who has taken it from themselves has it no more.
    expect(outcome(await patch(org, lea, ned, ["member"]))).toEqual([403, "forbidden"]);
  });

  test("unknown roles, other members and other bodies are 400; who is no member is 404", async () => {
    const { pia, quin } = await server.people("pia", "quin");
    const org = await server.createOrg(pia);
    const path = `/_orgs/${org.id}/members/${pia.id}`;
    const bodies: readonly JsonObject[] = [
      {},
      { roles: null },
      { roles: "owner" },
      { roles: ["owner", 1] },
      { roles: ["owner", "boss"] },
      { roles: ["__proto__"] },
      { roles: ["owner"], teams: [] },
    ];
    for (const body of bodies) {
      const answer = await server.send("PATCH", path, { token: pia.token, body });
      expect([body, ...outcome(answer)]).toEqual([body, 400, "validation_error"]);
    }
    expect(await server.member(org, pia)).toMatchObject({ roles: ["owner"] });
    expect(outcome(await patch(org, pia, quin, []))).toEqual([404, "not_found"]);
    expect(outcome(await patch(org, pia, { id: "bad%20id" }, []))).toEqual([404, "not_found"]);
    expect(outcome(await remove(org, pia, quin))).toEqual([404, "not_found"]);
    const query = await server.send("PATCH", `${path}?x=1`, { token: pia.token, body: { roles: [] } });
    expect(outcome(query)).toEqual([400, "invalid_query"]);
    // A member of another organization is none of this one.
    await server.createOrg(quin);
    expect(outcome(await patch(org, pia, quin, []))).toEqual([404, "not_found"]);
  });
});

describe("Organization: removing members, and leaving", () => {
  test("who is removed is out at once, teams and team roles too, and audited", async () => {
    const { rob, sue } = await server.people("rob", "sue");
    const org = await server.createOrg(rob);
    const team = await server.createTeam(org, "Desk");
    const team_roles = [{ team, role: "lead", from: null, until: null }];
    await server.join(org, sue, { roles: ["clerk"], teams: [team], team_roles });
    expect((await list(org, sue)).status).toBe(200);
    const { status, body } = await remove(org, rob, sue);
    expect([status, body]).toEqual([204, {}]);
    expect(await server.member(org, sue)).toBeUndefined();
    expect(outcome(await list(org, sue))).toEqual([403, "not_org_member"]);
    expect((await server.send("GET", "/_orgs", { token: sue.token })).body).toEqual({
      items: [],
      has_more: false,
    });
    expect(outcome(await remove(org, rob, sue))).toEqual([404, "not_found"]);
    expect(await auditOf(org, "org.member.remove")).toEqual([[`user:${rob.id}`, { user: sue.id }]]);
    // Who comes back begins anew.
    await server.join(org, sue);
    expect(await server.member(org, sue)).toMatchObject({ roles: [], teams: [], team_roles: [] });
  });

  test("Organization endpoints 3: nobody removes members who manage more than they do", async () => {
    const { tom, una, vic, wil, xan } = await server.people("tom", "una", "vic", "wil", "xan");
    const org = await server.createOrg(tom);
    const board = await server.createTeam(org, "Board", ["owner"]);
    await server.join(org, una, { roles: ["clerk"] });
    await server.join(org, vic, { roles: ["keeper"] });
    await server.join(org, wil, { teams: [board] });
    await server.join(org, xan, { roles: ["clerk", "retired"] });
    for (const user of [tom, vic, wil]) {
      expect(outcome(await remove(org, una, user))).toEqual([403, "forbidden"]);
    }
    // To remove members takes manage: members.
    expect(outcome(await remove(org, vic, xan))).toEqual([403, "forbidden"]);
    expect((await remove(org, una, xan)).status).toBe(204);
    expect((await remove(org, una, una)).status).toBe(204);
    expect((await remove(org, tom, vic)).status).toBe(204);
    expect((await remove(org, wil, tom)).status).toBe(204);
  });

  test("a member leaves, whatever they manage, and is audited", async () => {
    const { yan, zoe } = await server.people("yan", "zoe");
    const org = await server.createOrg(yan);
    const team = await server.createTeam(org, "Desk", ["owner"]);
    await server.join(org, zoe, { teams: [team] });
    expect(outcome(await leave(org, yan))).toEqual([204]);
    expect(await server.member(org, yan)).toBeUndefined();
    expect(outcome(await leave(org, yan))).toEqual([403, "not_org_member"]);
    expect(await auditOf(org, "org.member.leave")).toEqual([[`user:${yan.id}`, { user: yan.id }]]);
    const text = await server.send("POST", `/_orgs/${org.id}/leave`, { token: zoe.token, text: "{" });
    expect(outcome(text)).toEqual([400, "invalid_json"]);
    expect(outcome(await server.send("POST", `/_orgs/${org.id}/leave?x=1`, { token: zoe.token }))).toEqual([
      400,
      "invalid_query",
    ]);
  });

  test("Organization endpoints 6: leaving stays possible without the second factor that is required, nothing else does", async () => {
    const { abe, bea } = await server.people("abe", "bea");
    const org = await server.createOrg(abe, { require_mfa: true });
    await server.join(org, bea, { roles: ["owner"] });
    for (const answer of [
      await list(org, bea),
      await patch(org, bea, abe, []),
      await remove(org, bea, abe),
      await remove(org, bea, bea),
    ]) {
      expect(outcome(answer)).toEqual([403, "org_requires_mfa"]);
    }
    expect((await leave(org, bea)).status).toBe(204);
    expect(outcome(await leave(org, abe))).toEqual([409, "last_org_manager"]);
  });
});

test("Organization endpoints 1: members of one are learnt of by members alone, unknown or not the same answer", async () => {
  const { cal, dot } = await server.people("cal", "dot");
  const org = await server.createOrg(cal);
  const answers = new Set<string>();
  for (const id of [org.id, "unknown", "bad%20id"]) {
    for (const [method, path] of [
      ["GET", "/members"],
      ["GET", "/members?limit=x"],
      ["PATCH", `/members/${cal.id}`],
      ["PATCH", "/members/unknown"],
      ["DELETE", `/members/${cal.id}`],
      ["POST", "/leave"],
    ] as const) {
      const { status, body } = await server.send(method, `/_orgs/${id}${path}`, { token: dot.token });
      answers.add(`${status} ${JSON.stringify(body).replace(/"request_id":"[^"]*"/, "")}`);
    }
  }
  expect([...answers]).toHaveLength(1);
  expect([...answers][0]).toMatch(/^403 .*"not_org_member"/);
});

describe("Organization endpoints 2: the last member who can manage the organization", () => {
  test("cannot leave, be removed or lose the role: 409 last_org_manager, whoever else there is", async () => {
    const { edd, flo } = await server.people("edd", "flo");
    const org = await server.createOrg(edd);
    await server.join(org, flo, { roles: ["clerk", "keeper"] });
    const refused = async () => {
      for (const answer of [
        await leave(org, edd),
        await remove(org, edd, edd),
        await patch(org, edd, edd, []),
        await patch(org, edd, edd, ["clerk", "keeper"]),
      ]) {
        expect(outcome(answer)).toEqual([409, "last_org_manager"]);
      }
    };
    await refused();
    expect(await server.member(org, edd)).toMatchObject({ roles: ["owner"] });
    // Other roles of theirs come and go.
    expect((await patch(org, edd, edd, ["owner", "clerk"])).status).toBe(200);
    // One whose account is disabled cannot manage it.
    const admin = await server.adminKey();
    await server.join(org, flo, { roles: ["owner"] });
    const disable = (disabled: boolean) =>
      server.send("PATCH", `/_admin/users/${flo.id}`, { token: admin, body: { disabled } });
    await disable(true);
    await refused();
    await disable(false);
    expect(outcome(await leave(org, edd))).toEqual([204]);
    const again = await server.login(flo.email);
    expect(outcome(await leave(org, again))).toEqual([409, "last_org_manager"]);
  });

  /** Two managers and a member of a new organization, round after round. */
  async function eachRound(
    on: Organizations,
    name: string,
    work: (org: OrganizationRecord, one: Person, two: Person, member: Person) => Promise<void>,
  ): Promise<void> {
    const { one, two, third } = {
      one: await on.signup(`${name}-1@example.com`),
      two: await on.signup(`${name}-2@example.com`),
      third: await on.signup(`${name}-3@example.com`),
    };
    for (let round = 0; round < rounds; round += 1) {
      const org = await on.createOrg(one);
      await on.join(org, two, { roles: ["owner"] });
      await on.join(org, third);
      await work(org, one, two, third);
      const managers = [await on.member(org, one), await on.member(org, two), await on.member(org, third)];
      expect(managers.filter((member) => member?.roles.includes("owner"))).not.toHaveLength(0);
      expect((await on.org(org))?.status).toBe("active");
    }
  }

  test("of two who leave at the same moment exactly one does", async () => {
    await eachRound(server, "leaving", async (org, one, two) => {
      const answers = await Promise.all([leave(org, one), leave(org, two)]);
      expect(answers.map(outcome).sort()).toEqual([[204], [409, "last_org_manager"]]);
    });
  });

  test("of two who remove each other, or take the role from each other, exactly one does", async () => {
    await eachRound(server, "feud", async (org, one, two) => {
      const answers = await Promise.all([remove(org, one, two), patch(org, two, one, [])]);
      const outcomes = answers.map(outcome);
      // Who was removed, or manages nothing any more, was looked at again.
      expect(outcomes.filter(([status]) => status < 300)).toHaveLength(1);
      expect(outcomes.filter(([status]) => status >= 300)).toEqual([
        [403, expect.stringMatching(/^(not_org_member|forbidden)$/)],
      ]);
    });
  });

  test("one leaves while the other gives the role away: somebody has it afterwards", async () => {
    await eachRound(server, "handing", async (org, one, two, third) => {
      const answers = await Promise.all([
        leave(org, one),
        patch(org, two, two, ["clerk"]),
        patch(org, two, third, ["clerk"]),
      ]);
      const [left, took] = answers.map(({ status }) => status);
      expect([left, took].filter((status) => status === 409)).toHaveLength(1);
    });
  });

  describeMongo("of two instances on one database", () => {
    const store = testLocation();
    let first: Organizations;
    let second: Organizations;
    beforeAll(async () => {
      first = await startOrganizations({}, { settings: { store } });
      second = await startOrganizations({}, { settings: { store } });
    });
    afterAll(async () => {
      await Promise.all([first.stop(), second.stop()]);
      await dropTestDatabases(store);
    });

    test("two leave at the same moment, one at each: exactly one does", async () => {
      await eachRound(first, "apart", async (org, one, two) => {
        const answers = await Promise.all([leave(org, one, first), leave(org, two, second)]);
        expect(answers.map(outcome).sort()).toEqual([[204], [409, "last_org_manager"]]);
        expect(outcome(await list(org, one, "", second))).toEqual(outcome(await list(org, one, "", first)));
      });
    });

    test("a role that is taken at one counts no more at the other with the next request", async () => {
      await eachRound(first, "taken", async (org, one, two, third) => {
        expect((await patch(org, two, third, ["clerk"], second)).status).toBe(200);
        expect((await patch(org, one, two, [], first)).status).toBe(200);
        expect(outcome(await patch(org, two, third, [], second))).toEqual([403, "forbidden"]);
        expect((await patch(org, third, third, [], second)).status).toBe(200);
      });
    });
  });
});

describe("Organization endpoints 7: effective roles", () => {
  test("are read at each request: of teams, direct and default", async () => {
    const { gus, hil } = await server.people("gus", "hil");
    const org = await server.createOrg(gus);
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    await server.join(org, hil);
    const effective = async () => {
      const { body } = await server.send("GET", "/_orgs", { token: hil.token });
      return items({ status: 200, body, headers: new Headers() })[0]?.["effective_roles"];
    };
    expect(await effective()).toEqual([{ role: "member", origin: ["default"] }]);
    expect(outcome(await patch(org, hil, hil, ["member"]))).toEqual([403, "forbidden"]);
    await server.join(org, hil, { teams: [team] });
    expect(await effective()).toEqual([
      { role: "clerk", origin: ["Desk"] },
      { role: "member", origin: ["default"] },
    ]);
    expect((await patch(org, hil, hil, ["member"])).status).toBe(200);
    expect(await effective()).toEqual([
      { role: "clerk", origin: ["Desk"] },
      { role: "member", origin: ["direct", "default"] },
    ]);
    await server.changeOrg(org, (before) => ({
      ...before,
      teams: before.teams.map((other) => ({ ...other, roles: [] })),
    }));
    expect(await effective()).toEqual([{ role: "member", origin: ["direct", "default"] }]);
    expect(outcome(await patch(org, hil, hil, []))).toEqual([403, "forbidden"]);
  });
});
