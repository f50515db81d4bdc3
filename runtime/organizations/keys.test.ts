import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collections as accountCollections, keyFields } from "../auth/collections.ts";
import { writeKey } from "../auth/key-records.ts";
import { makeKey } from "../auth/keys.ts";
import { eq, or } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import { organizationAdministrationRoutes } from "./administration/routes.ts";
import { keyRequests } from "./testing/keys.ts";
import { memberRequests } from "./testing/members.ts";
import { items, type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations(
    { keys: true },
    { routes: (realm) => (realm === "plain" ? {} : organizationAdministrationRoutes(realm)) },
  );
});

afterAll(() => server.stop());

const { list, create, make, rotate, revoke, isGood } = keyRequests(() => server);
const members = memberRequests(() => server);

const day = 86_400_000;

/** Everything that is stored of a key. */
const stored = (id: string) =>
  server
    .store("shop")
    .collection(accountCollections.keys)
    .count(or(eq(keyFields.key, id), eq(keyFields.former, id)), "live");

describe("Organization keys", () => {
  test("are made by who manages members, with a fresh proof; shown once, and each is a service member", async () => {
    const { ann, bob, cat } = await server.people("ann", "bob", "cat");
    const org = await server.createOrg(ann);
    const team = await server.createTeam(org, "Desk", ["member"]);
    await server.join(org, bob, { roles: ["clerk"] });
    await server.join(org, cat, { roles: ["keeper"] });
    const path = `/_orgs/${org.id}/keys`;
    const unproved = await server.send("POST", path, { token: ann.token, body: { name: "import" } });
    expect(outcome(unproved)).toEqual([401, "reauth_required"]);
    expect(outcome(await create(org, cat))).toEqual([403, "forbidden"]);
    expect(outcome(await list(org, cat))).toEqual([403, "forbidden"]);
    const now = server.clock.now();
    const { id, key, body } = await make(org, bob, {
      name: "import",
      roles: ["member"],
      teams: [team, team],
      scopes: { read: "*" },
      expires_in: "30d",
      networks: ["127.0.0.0/8"],
    });
    const shown = {
      id,
      name: "import",
      roles: ["member"],
      teams: [team],
      scopes: { read: "*" },
      networks: ["127.0.0.0/8"],
      start: key.slice(0, 8),
      created_at: new Date(now).toISOString(),
      created_by: `user:${bob.id}`,
      expires_at: new Date(now + 30 * day).toISOString(),
      last_used_at: null,
      last_used_address: null,
    };
    expect(body).toEqual({ ...shown, key });
    expect((await list(org, bob)).body).toEqual({ items: [shown], has_more: false });
    const entry = items(await members.list(org, ann)).find(({ user }) => user === id);
    expect(entry).toEqual({
      user: id,
      kind: "service",
      name: "import",
      roles: ["member"],
      effective_roles: [{ role: "member", origin: ["direct", "default", "Desk"] }],
      overlap: ["member"],
      teams: [team],
    });
    expect(await server.acts(org, "org.key.create")).toEqual([
      [
        `user:${bob.id}`,
        {
          user: id,
          name: "import",
          roles: ["member"],
          teams: [team],
          scopes: { read: "*" },
          networks: ["127.0.0.0/8"],
          expires_at: shown.expires_at,
        },
      ],
    ]);
    expect(JSON.stringify(await server.audit())).not.toContain(key);
  });

  test("live as long as the realm allows where nothing is said; longer is invalid, as whatever else is wrong", async () => {
    const { dan } = await server.people("dan");
    const org = await server.createOrg(dan);
    const year = new Date(server.clock.now() + 365 * day).toISOString();
    expect((await make(org, dan)).body).toMatchObject({
      expires_at: year,
      roles: [],
      teams: [],
      scopes: null,
    });
    const bodies: readonly (readonly [path: string, body: JsonObject])[] = [
      ["name", { name: "" }],
      ["name", { name: null }],
      ["name", { name: " x" }],
      ["roles", { roles: null }],
      ["roles.0", { roles: ["boss"] }],
      ["teams", { teams: "x" }],
      ["teams.0", { teams: ["unknown"] }],
      ["scopes.admin", { scopes: { admin: ["users"] } }],
      ["scopes.read.0", { scopes: { read: ["nowhere"] } }],
      ["expires_in", { expires_in: "366d" }],
      ["expires_in", { expires_in: "59m" }],
      ["expires_in", { expires_in: "soon" }],
      ["expires_in", { expires_in: 30 }],
      ["networks", { networks: [] }],
      ["networks.0", { networks: ["home"] }],
      ["admin", { admin: true }],
      ["on_behalf_of", { on_behalf_of: true }],
      ["org", { org: org.id }],
    ];
    for (const [path, body] of bodies) {
      const answer = await create(org, dan, body);
      expect([body, ...outcome(answer)]).toEqual([body, 400, "validation_error"]);
      expect(answer.body).toMatchObject({ error: { details: [{ path }] } });
    }
    expect(items(await list(org, dan))).toHaveLength(1);
  });

  test("have names of their own in their organization, and another's do not take them", async () => {
    const { eve } = await server.people("eve");
    const org = await server.createOrg(eve);
    await make(org, eve, { name: "import" });
    expect(outcome(await create(org, eve, { name: "import" }))).toEqual([409, "conflict"]);
    await make(await server.createOrg(eve), eve, { name: "import" });
    await server.key({ name: "import" });
  });

  test("are at most 50; those that are over make room, and their service members go", async () => {
    const { fay } = await server.people("fay");
    const org = await server.createOrg(fay);
    const [first] = [await make(org, fay, { name: "short", expires_in: "1h" })];
    for (let n = 1; n < 50; n += 1) await make(org, fay);
    expect(outcome(await create(org, fay))).toEqual([409, "conflict"]);
    server.clock.advance(3_600_000);
    expect(await isGood(first.key)).toBe(false);
    await make(org, fay, { name: "short" });
    expect(await server.member(org, first)).toBe(undefined);
    expect(outcome(await create(org, fay))).toEqual([409, "conflict"]);
    expect(items(await list(org, fay, "?limit=100"))).toHaveLength(50);
    expect(items(await members.list(org, fay, "?limit=100"))).toHaveLength(51);
  });

  test("are unknown where the realm has none; those that operators pin to an organization are not", async () => {
    const without = await startOrganizations();
    try {
      const { gus } = await without.people("gus");
      const org = await without.createOrg(gus);
      expect((await without.send("GET", `/_orgs/${org.id}/keys`, { token: gus.token })).status).toBe(404);
      const good = [];
      for (const kind of ["organization", "org"] as const) {
        const key = { name: kind, admin: false, binding: { kind, org: org.id } };
        const { token, record } = makeKey(key, "test", without.clock.now(), () => kind);
        await without.store("shop").collection(accountCollections.keys).insert(writeKey(record, 1));
        good.push(await isGood(token, without));
      }
      expect(good).toEqual([false, true]);
    } finally {
      await without.stop();
    }
  });
});

describe("Organization endpoints 3: nobody gives a key what they could not give a member", () => {
  test("to make one", async () => {
    const { hal, ida } = await server.people("hal", "ida");
    const org = await server.createOrg(hal);
    const [desk, bosses] = [
      await server.createTeam(org, "Desk", ["clerk"]),
      await server.createTeam(org, "Bosses", ["owner"]),
    ];
    await server.join(org, ida, { roles: ["clerk"] });
    for (const body of [{ roles: ["owner"] }, { roles: ["clerk", "keeper"] }, { teams: [desk, bosses] }]) {
      expect(outcome(await create(org, ida, body))).toEqual([403, "forbidden"]);
    }
    await make(org, ida, { roles: ["clerk", "member"], teams: [desk] });
    const { id } = await make(org, hal, { roles: ["owner"], teams: [bosses] });
    // What it manages is nothing, whatever its roles.
    expect(await server.member(org, { id })).toMatchObject({ roles: ["owner"], teams: [bosses] });
  });

  test("to rotate one, by what its service member has now", async () => {
    const { jon, kim, lea } = await server.people("jon", "kim", "lea");
    const org = await server.createOrg(jon);
    const team = await server.createTeam(org, "Desk");
    await server.join(org, kim, { roles: ["clerk"] });
    const { id } = await make(org, kim, { roles: ["member"], teams: [team] });
    expect((await rotate(org, kim, id)).status).toBe(200);
    expect((await members.patch(org, jon, { id }, ["owner"])).status).toBe(200);
    expect(outcome(await rotate(org, kim, id))).toEqual([403, "forbidden"]);
    expect((await rotate(org, jon, id)).status).toBe(200);
    expect((await members.patch(org, jon, { id }, [])).status).toBe(200);
    expect((await rotate(org, kim, id)).status).toBe(200);
    const roles = `/_orgs/${org.id}/teams/${team}/roles`;
    const given = await server.send("POST", roles, {
      token: jon.token,
      body: { user: id, role: "lead", until: new Date(server.clock.now() + 60_000).toISOString() },
    });
    expect(given.status).toBe(201);
    expect(outcome(await rotate(org, kim, id))).toEqual([403, "forbidden"]);
    server.clock.advance(60_000);
    expect((await rotate(org, kim, id)).status).toBe(200);
    // A team that the organization changes counts as it is now.
    await server.changeOrg(org, (before) => ({
      ...before,
      teams: before.teams.map((each) => ({ ...each, roles: ["owner"] })),
    }));
    expect(outcome(await rotate(org, kim, id))).toEqual([403, "forbidden"]);
    await server.join(org, lea);
    expect(outcome(await rotate(org, lea, id))).toEqual([403, "forbidden"]);
  });

  test("nor may they change its roles as they could not change a member's", async () => {
    const { max, ned } = await server.people("max", "ned");
    const org = await server.createOrg(max);
    await server.join(org, ned, { roles: ["clerk"] });
    const { id } = await make(org, ned);
    expect(outcome(await members.patch(org, ned, { id }, ["owner"]))).toEqual([403, "forbidden"]);
    const changed = await members.patch(org, ned, { id }, ["clerk"]);
    expect([changed.status, changed.body]).toMatchObject([200, { kind: "service", roles: ["clerk"] }]);
    expect(items(await list(org, ned))).toMatchObject([{ roles: ["clerk"] }]);
  });

  test("a key is in no more teams than a member", async () => {
    const { oda } = await server.people("oda");
    const org = await server.createOrg(oda);
    const teams = [];
    for (let n = 0; n <= 20; n += 1) teams.push(await server.createTeam(org, `Team ${n}`));
    expect(outcome(await create(org, oda, { teams }))).toEqual([409, "team_limit_reached"]);
    await make(org, oda, { teams: teams.slice(1) });
  });
});

describe("An organization key that is rotated", () => {
  test("keeps its id, its end and what it may do; the former one lives on for the overlap, never beyond that end", async () => {
    const { pia } = await server.people("pia");
    const org = await server.createOrg(pia);
    const first = await make(org, pia, { roles: ["clerk"], expires_in: "30h" });
    const answer = await rotate(org, pia, first.id);
    expect(answer.status).toBe(200);
    const { key, ...rest } = answer.body;
    const { key: old, ...before } = first.body;
    expect(rest).toEqual({ ...before, start: String(key).slice(0, 8) });
    expect(key).not.toBe(old);
    const latest = String(key);
    server.clock.advance(day - 1);
    expect(await Promise.all([first.key, latest].map((each) => isGood(each)))).toEqual([true, true]);
    server.clock.advance(1);
    expect(await Promise.all([first.key, latest].map((each) => isGood(each)))).toEqual([false, true]);
    const last = String((await rotate(org, pia, first.id, { overlap: "7d" })).body["key"]);
    server.clock.advance(6 * 3_600_000);
    expect(await Promise.all([latest, last].map((each) => isGood(each)))).toEqual([false, false]);
    expect(await server.acts(org, "org.key.rotate")).toEqual(
      Array(2).fill([`user:${pia.id}`, { user: first.id, name: first.body["name"] }]),
    );
  });

  test("ends at once with overlap 0s; more than 7d is invalid; ten former ones at most", async () => {
    const { quin } = await server.people("quin");
    const org = await server.createOrg(quin);
    const first = await make(org, quin);
    for (const overlap of ["8d", "-1s", "x", 5]) {
      expect(outcome(await rotate(org, quin, first.id, { overlap }))).toEqual([400, "validation_error"]);
    }
    expect((await rotate(org, quin, first.id, { overlap: "0s" })).status).toBe(200);
    expect(await isGood(first.key)).toBe(false);
    for (let n = 0; n < 10; n += 1) expect((await rotate(org, quin, first.id)).status).toBe(200);
    expect(outcome(await rotate(org, quin, first.id))).toEqual([409, "conflict"]);
  });

  test("takes a fresh proof; one of another organization, an operator's and none are the same 404", async () => {
    const { rob, sam } = await server.people("rob", "sam");
    const org = await server.createOrg(rob);
    const { id } = await make(org, rob);
    const path = `/_orgs/${org.id}/keys/${id}/rotate`;
    expect(outcome(await server.send("POST", path, { token: rob.token, body: {} }))).toEqual([
      401,
      "reauth_required",
    ]);
    const { id: others } = await make(await server.createOrg(sam), sam);
    for (const none of [others, "unknown", "bad%20id", rob.id]) {
      expect(outcome(await rotate(org, rob, none))).toEqual([404, "not_found"]);
      expect(outcome(await revoke(org, rob, none))).toEqual([404, "not_found"]);
    }
  });
});

describe("An organization key ends, with what rotations left of it and with its service member,", () => {
  let teas = 0;

  async function rotated() {
    teas += 1;
    const tea = await server.signup(`tea-${teas}@example.com`);
    const org = await server.createOrg(tea);
    const first = await make(org, tea, { roles: ["owner"] });
    const last = String((await rotate(org, tea, first.id)).body["key"]);
    expect(await Promise.all([first.key, last].map((each) => isGood(each)))).toEqual([true, true]);
    return {
      tea,
      org,
      id: first.id,
      async ended() {
        expect(await Promise.all([first.key, last].map((each) => isGood(each)))).toEqual([false, false]);
        expect([await server.member(org, first), await stored(first.id)]).toEqual([undefined, 0]);
      },
    };
  }

  test("when it is revoked", async () => {
    const { tea, org, id, ended } = await rotated();
    expect((await revoke(org, tea, id)).status).toBe(204);
    await ended();
    expect(outcome(await revoke(org, tea, id))).toEqual([404, "not_found"]);
    expect(await server.acts(org, "org.key.revoke")).toMatchObject([[`user:${tea.id}`, { user: id }]]);
  });

  test("when the member is removed", async () => {
    const { tea, org, id, ended } = await rotated();
    expect((await members.remove(org, tea, { id })).status).toBe(204);
    await ended();
  });

  test("when an administrator removes the member", async () => {
    const { org, id, ended } = await rotated();
    const token = await server.adminKey(["users"]);
    expect((await server.send("DELETE", `/_admin/orgs/${org.id}/members/${id}`, { token })).status).toBe(204);
    await ended();
  });

  test("when the organization is deleted; reactivated, it has none", async () => {
    const { tea, org, ended } = await rotated();
    const headers = await server.proof(tea);
    const path = `/_orgs/${org.id}`;
    expect((await server.send("DELETE", path, { token: tea.token, headers })).status).toBe(204);
    await ended();
    const token = await server.adminKey(["users"]);
    const again = await server.send("POST", `/_admin/orgs/${org.id}/reactivate`, { token, body: {} });
    expect(again.status).toBe(200);
    await ended();
  });
});

describe("A service member", () => {
  test("manages nothing: every route about organizations, sessions and administration is 403 to its key", async () => {
    const { una } = await server.people("una");
    const org = await server.createOrg(una);
    const other = await server.createOrg(una);
    const { id, key } = await make(org, una, { roles: ["owner"] });
    const asks = [
      ["GET", "/_orgs"],
      ["POST", "/_orgs"],
      ["POST", "/_orgs/invitations/accept"],
      ["POST", "/_orgs/invitations/preview"],
      ["GET", "/_auth/me"],
      ["POST", "/_auth/logout"],
      ["POST", "/_auth/reauth"],
      ["GET", "/_auth/sessions"],
      ["GET", "/_admin/orgs"],
      ["GET", "/_admin/keys"],
      ...[org.id, other.id, "unknown"].flatMap((of) => [
        ["GET", `/_orgs/${of}`],
        ["PATCH", `/_orgs/${of}`],
        ["DELETE", `/_orgs/${of}`],
        ["POST", `/_orgs/${of}/leave`],
        ["GET", `/_orgs/${of}/members`],
        ["PATCH", `/_orgs/${of}/members/${una.id}`],
        ["GET", `/_orgs/${of}/keys`],
        ["POST", `/_orgs/${of}/keys`],
        ["POST", `/_orgs/${of}/keys/${id}/rotate`],
        ["DELETE", `/_orgs/${of}/keys/${id}`],
        ["GET", `/_orgs/${of}/teams`],
        ["GET", `/_orgs/${of}/invitations`],
      ]),
    ] as const;
    for (const [method = "", path = ""] of asks) {
      const sent = { token: key, ...(method !== "GET" && method !== "DELETE" && { body: {} }) };
      expect([method, path, ...outcome(await server.send(method, path, sent))]).toEqual([
        ...[method, path, 403, "forbidden"],
      ]);
    }
    const acting = { "x-svc-on-behalf-of": una.id };
    expect(outcome(await server.send("GET", "/_orgs", { token: key, headers: acting }))).toEqual([
      400,
      "invalid_header",
    ]);
  });

  test("counts for no last manager, whatever its roles", async () => {
    const { val, wim } = await server.people("val", "wim");
    const org = await server.createOrg(val);
    const { id } = await make(org, val, { roles: ["owner"] });
    expect(outcome(await members.leave(org, val))).toEqual([409, "last_org_manager"]);
    expect(outcome(await members.patch(org, val, val, []))).toEqual([409, "last_org_manager"]);
    expect((await members.patch(org, val, { id }, [])).status).toBe(200);
    await members.patch(org, val, { id }, ["owner"]);
    const token = await server.adminKey(["users"]);
    await server.send("PATCH", `/_admin/users/${val.id}`, { token, body: { disabled: true } });
    expect((await server.org(org))?.status).toBe("orphaned");
    await server.join(org, wim);
    await server.send("PUT", `/_admin/orgs/${org.id}/members/${id}`, { token, body: { roles: ["clerk"] } });
    expect((await server.org(org))?.status).toBe("orphaned");
  });

  test("is no one's account, and in no other organization", async () => {
    const { xia } = await server.people("xia");
    const [org, other] = [await server.createOrg(xia), await server.createOrg(xia)];
    const { id } = await make(org, xia);
    const token = await server.adminKey(["users", "data"], "shop", { onBehalfOf: true });
    const at = `/_admin/orgs/${other.id}`;
    const asks = [
      ["GET", `/_admin/users/${id}`, undefined, 404],
      ["PUT", `${at}/members/${id}`, { roles: [] }, 404],
      ["PUT", `${at}/manager`, { user: id }, 400],
      ["PUT", `/_admin/orgs/${org.id}/manager`, { user: id }, 400],
      ["POST", "/_admin/orgs", { name: "Mine", owner: id }, 400],
    ] as const;
    for (const [method, path, body, status] of asks) {
      const answer = await server.send(method, path, { token, ...(body && { body }) });
      expect([path, answer.status]).toEqual([path, status]);
    }
    expect(await server.member(other, { id })).toBe(undefined);
    const headers = { "x-svc-on-behalf-of": id };
    expect(outcome(await server.send("GET", "/_orgs", { token, headers }))).toEqual([400, "invalid_header"]);
  });

  test("is put into teams, gets roles in them, and is listed there, as members are", async () => {
    const { yan } = await server.people("yan");
    const org = await server.createOrg(yan);
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    const { id } = await make(org, yan);
    const path = `/_orgs/${org.id}/teams/${team}/members/${id}`;
    const added = await server.send("PUT", path, { token: yan.token });
    expect([added.status, added.body]).toMatchObject([200, { user: id, kind: "service", teams: [team] }]);
    const listed = await server.send("GET", `/_orgs/${org.id}/teams/${team}/members`, { token: yan.token });
    expect(items(listed)).toMatchObject([{ user: id, kind: "service" }]);
    expect(items(listed)[0]).not.toHaveProperty("email");
    expect((await server.send("DELETE", path, { token: yan.token })).status).toBe(200);
  });
});
