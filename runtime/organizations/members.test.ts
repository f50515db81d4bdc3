import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, text } from "../auth/testing/accounts.ts";
import type { JsonObject } from "../json.ts";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import type { OrganizationRecord } from "./records.ts";
import { twoInstances } from "./testing/instances.ts";
import { memberRequests } from "./testing/members.ts";
import { items, type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

const { list, patch, remove, leave } = memberRequests(() => server);

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
          kind: "user",
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
          kind: "user",
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
          kind: "user",
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
      expect(Object.keys(entry)).toEqual([
        "user",
        "kind",
        "roles",
        "effective_roles",
        "overlap",
        "teams",
        "email",
      ]);
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

describe("Organization: the member list, with members_show", () => {
  const settings = { membersShow: ["name", "toString"], keys: true };
  let shown: Organizations;
  beforeAll(async () => {
    shown = await startOrganizations(settings);
  });
  afterAll(() => shown.stop());

  const profilesIn = async (org: Pick<OrganizationRecord, "id">, by: Person, on = shown) =>
    items(await list(org, by, "?limit=100", on)).map(({ user, profile }) => [user, profile] as const);

  test("shows these members of profiles to every member, as they are now; none of service members", async () => {
    const ann = await shown.signup("ann@example.com", "shop", { profile: { name: "Ann", secret: 1 } });
    const bob = await shown.signup("bob@example.com", "shop", { profile: { secret: 2 } });
    const cat = await shown.signup("cat@example.com");
    const org = await shown.createOrg(ann);
    for (const person of [bob, cat]) await shown.join(org, person);
    const headers = await shown.proof(ann);
    const made = { token: ann.token, headers, body: { name: "import" } };
    const key = text((await shown.send("POST", `/_orgs/${org.id}/keys`, made)).body, "id");
    for (const viewer of [ann, bob]) {
      expect(Object.fromEntries(await profilesIn(org, viewer))).toEqual({
        [ann.id]: { name: "Ann" },
        [bob.id]: {},
        [cat.id]: {},
        [key]: undefined,
      });
    }
    await shown.send("PATCH", "/_auth/me", { token: cat.token, body: { profile: { name: ["C", null] } } });
    expect(Object.fromEntries(await profilesIn(org, bob))[cat.id]).toEqual({ name: ["C", null] });
    await shown.send("DELETE", "/_auth/me", { token: cat.token, headers: await shown.proof(cat) });
    expect((await profilesIn(org, bob)).map(([user]) => user)).not.toContain(cat.id);
  });

  test("without it there is no profile", async () => {
    const { zoe } = await server.people("zoe");
    const org = await server.createOrg(zoe);
    expect(Object.keys(items(await list(org, zoe))[0] ?? {})).not.toContain("profile");
  });

  test("asks the store for a page of many as often as for one of one", async () => {
    const owner = await shown.signup("page@example.com", "shop", { profile: { name: "Page" } });
    const org = await shown.createOrg(owner);
    const asked = vi.spyOn(shown.store("shop"), "collection");
    try {
      const countOf = async (query: string) => {
        asked.mockClear();
        const listed = items(await list(org, owner, query, shown)).length;
        return [listed, asked.mock.calls.length] as const;
      };
      const [one, few] = await countOf("?limit=100");
      const many = Array.from({ length: 20 }, (_, at) => shown.signup(`page-${at}@example.com`));
      for (const person of await Promise.all(many)) await shown.join(org, person);
      const [all, asMany] = await countOf("?limit=100");
      expect([one, all]).toEqual([1, 21]);
      expect(few).toBeGreaterThan(0);
      expect(asMany).toBe(few);
    } finally {
      asked.mockRestore();
    }
  });

  describeMongo("of two instances on one database", () => {
    const instances = twoInstances(settings);

    test("what one instance changed of a profile the other shows at once", async () => {
      const [one, other] = instances();
      const dan = await one.signup("dan@example.com", "shop", { profile: { name: "Dan" } });
      const org = await one.createOrg(dan);
      for (const name of ["D1", "D2", "D3"]) {
        expect(await profilesIn(org, dan, other)).toHaveLength(1);
        await one.send("PATCH", "/_auth/me", { token: dan.token, body: { profile: { name } } });
        expect(await profilesIn(org, dan, other)).toEqual([[dan.id, { name }]]);
      }
    });
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
        kind: "user",
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
    expect(await server.acts(org, "org.member.roles")).toEqual([
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

describe("Organization endpoints 7: effective roles", () => {
  test("are read at each request: of teams, direct and default", async () => {
    const { gus, hil } = await server.people("gus", "hil");
    const org = await server.createOrg(gus);
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    await server.join(org, hil);
    const effective = async () => {
      const own = await server.send("GET", "/_orgs", { token: hil.token });
      return items(own)[0]?.["effective_roles"];
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
