import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Person, Received, Sent } from "../../auth/testing/accounts.ts";
import type { JsonObject } from "../../json.ts";
import type { OrganizationRecord } from "../records.ts";
import { type Organizations, outcome } from "../testing/realm.ts";
import { startAdministered } from "./testing/collections.ts";

let server: Organizations;
let key: string;
let owner: Person;
let org: OrganizationRecord;
let made = 0;

beforeAll(async () => {
  server = await startAdministered();
  key = await server.adminKey(["users"]);
});

afterAll(() => server.stop());

beforeEach(async () => {
  made += 1;
  owner = await server.signup(`owner-${made}@example.com`);
  org = await server.createOrg(owner);
});

const send = (method: string, path: string, sent: Sent = {}): Promise<Received> =>
  server.send(method, `/_admin/orgs/${org.id}${path}`, { token: key, ...sent });

const put = (user: Pick<Person, "id">, roles: readonly string[]) =>
  send("PUT", `/members/${user.id}`, { body: { roles } });

const remove = (user: Pick<Person, "id">) => send("DELETE", `/members/${user.id}`);

const assign = (user: Pick<Person, "id">) => send("PUT", "/manager", { body: { user: user.id } });

const disable = (user: Pick<Person, "id">, disabled: boolean) =>
  server.send("PATCH", `/_admin/users/${user.id}`, { token: key, body: { disabled } });

const status = async () => (await server.org(org))?.status;

async function audited(action: string): Promise<readonly JsonObject[]> {
  const entries = await server.auditOf(org, action);
  return entries.map(({ details }) => details);
}

const someone = (name: string) => server.signup(`${name}-${made}@example.com`);

describe("Administrator routes: PUT and DELETE /_admin/orgs/{org}/members/{user}", () => {
  test("Administrator routes: adds a member without an invitation, with any roles, and replaces their direct roles", async () => {
    const bob = await someone("bob");
    const { status: first, body } = await put(bob, ["owner"]);
    expect(first).toBe(200);
    expect(body).toEqual({
      user: bob.id,
      kind: "user",
      roles: ["owner"],
      effective_roles: [
        { role: "member", origin: ["default"] },
        { role: "owner", origin: ["direct"] },
      ],
      overlap: [],
      teams: [],
      email: bob.email,
      mfa: false,
    });
    const team = await server.createTeam(org, "Night", ["keeper"]);
    await server.join(org, bob, { roles: ["owner"], teams: [team] });
    expect((await put(bob, ["clerk", "keeper", "clerk"])).body).toMatchObject({
      roles: ["clerk", "keeper"],
      overlap: ["keeper"],
      teams: [team],
    });
    expect((await put(bob, ["keeper", "clerk"])).status).toBe(200);
    expect(await audited("org.member.add")).toEqual([{ user: bob.id, roles: ["owner"] }]);
    // The last one changed nothing.
    expect(await audited("org.member.roles")).toEqual([
      { user: bob.id, from: ["owner"], to: ["clerk", "keeper"] },
    ]);
  });

  test("Administrator routes: removes a member, of whatever roles", async () => {
    const bob = await someone("bob");
    await server.join(org, bob, { roles: ["owner"] });
    expect((await remove(bob)).status).toBe(204);
    expect(await server.member(org, bob)).toBeUndefined();
    expect(outcome(await remove(bob))).toEqual([404, "not_found"]);
    expect(await audited("org.member.remove")).toEqual([{ user: bob.id }]);
  });

  test("Administrator routes: a user whom there is not is 404; roles that there are not, 400", async () => {
    const bob = await someone("bob");
    for (const id of ["nobody", "__proto__", "not%20an%20id"]) {
      expect(outcome(await put({ id }, ["member"])), id).toEqual([404, "not_found"]);
    }
    for (const body of [{}, { roles: "owner" }, { roles: ["boss"] }, { roles: null }, { roles: [], x: 1 }]) {
      expect(outcome(await send("PUT", `/members/${bob.id}`, { body }))).toEqual([400, "validation_error"]);
    }
    expect(await server.member(org, bob)).toBeUndefined();
  });

  test("Organization endpoints 2: the last member who can manage is not lost by administrators either", async () => {
    expect(outcome(await put(owner, ["clerk"]))).toEqual([409, "last_org_manager"]);
    expect(outcome(await remove(owner))).toEqual([409, "last_org_manager"]);
    const bob = await someone("bob");
    await put(bob, ["owner"]);
    await disable(bob, true);
    expect(outcome(await remove(owner))).toEqual([409, "last_org_manager"]);
    await disable(bob, false);
    expect((await remove(owner)).status).toBe(204);
    expect(await status()).toBe("active");
  });

  test("Organization endpoints 2: of two managers removed at once one stays", async () => {
    for (let round = 0; round < 10; round += 1) {
      const bob = await someone(`bob-${round}`);
      await put(bob, ["owner"]);
      const answers = await Promise.all([remove(owner), put(bob, ["member"])]);
      expect(answers.filter((answer) => outcome(answer)[1] === "last_org_manager")).toHaveLength(1);
      await put(owner, ["owner"]);
      await remove(bob);
    }
  });
});

describe("Administrator routes: PUT /_admin/orgs/{org}/manager", () => {
  test("Administrator routes: gives creator_roles beside others; an orphaned organization is active again", async () => {
    const bob = await someone("bob");
    await server.join(org, bob, { roles: ["clerk"] });
    await disable(owner, true);
    expect(await status()).toBe("orphaned");
    const { status: answered, body } = await assign(bob);
    expect(answered).toBe(200);
    expect(body).toMatchObject({ id: org.id, status: "active", member_count: 2 });
    expect(await server.member(org, bob)).toMatchObject({ roles: ["clerk", "owner"] });
    expect(await audited("org.manager")).toEqual([{ user: bob.id, roles: ["clerk", "owner"] }]);
    // Another time changes nothing.
    expect((await assign(bob)).status).toBe(200);
    expect(await audited("org.manager")).toHaveLength(1);
  });

  test("Administrator routes: also who was no member; with a disabled account it stays orphaned", async () => {
    const [bob, cat] = [await someone("bob"), await someone("cat")];
    await disable(owner, true);
    await disable(bob, true);
    expect((await assign(bob)).body).toMatchObject({ status: "orphaned" });
    expect((await assign(cat)).body).toMatchObject({ status: "active", member_count: 3 });
    expect(await server.member(org, cat)).toMatchObject({ roles: ["owner"] });
  });

  test("Administrator routes: who is deleted at the same moment was given them before or is refused as ever", async () => {
    for (let round = 0; round < 10; round += 1) {
      const bob = await someone(`bob-${round}`);
      const [assigned] = await Promise.all([
        assign(bob),
        server.send("DELETE", `/_admin/users/${bob.id}`, { token: key }),
      ]);
      if (assigned.status !== 200) expect(outcome(assigned)).toEqual([400, "validation_error"]);
      expect(await server.member(org, bob)).toBeUndefined();
    }
  });

  test("Administrator routes: a body that names no user is 400 before the organization is looked for", async () => {
    await server.changeOrg(org, (before) => ({ ...before, status: "deleted", slug_key: null }));
    const answers = async (user: Pick<Person, "id">) =>
      Promise.all(
        [org.id, "unknown"].map(async (id) => {
          const sent = { token: key, body: { user: user.id } };
          return outcome(await server.send("PUT", `/_admin/orgs/${id}/manager`, sent));
        }),
      );
    const refused = [400, "validation_error"];
    expect(await answers({ id: "nobody" })).toEqual([refused, refused]);
    expect(await answers(owner)).toEqual([
      [409, "conflict"],
      [404, "not_found"],
    ]);
  });

  test("Administrator routes: bad bodies are refused", async () => {
    for (const body of [{}, { user: null }, { user: "nobody" }, { user: owner.id, roles: [] }]) {
      expect(outcome(await send("PUT", "/manager", { body }))).toEqual([400, "validation_error"]);
    }
  });
});

describe("Administrator routes: POST /_admin/orgs/{org}/invitations", () => {
  test("Administrator routes: invites with any role, also one that manages; the bounds of open links hold", async () => {
    const bob = await someone("bob");
    const body = { user: bob.id, roles: ["owner"] };
    const { status: invited, body: invitation } = await send("POST", "/invitations", { body });
    expect(invited).toBe(201);
    expect(invitation).toMatchObject({
      binding: "user",
      roles: ["owner"],
      status: "pending",
      created_by: expect.stringMatching(/^key:/),
      link: expect.stringContaining("join?token=svi_"),
    });
    const token = String(invitation["token"]);
    const accepted = await server.send("POST", "/_orgs/invitations/accept", {
      token: bob.token,
      body: { token },
    });
    expect(accepted.status).toBe(200);
    expect(await server.member(org, bob)).toMatchObject({ roles: ["owner"] });
    expect(await audited("org.invitation.create")).toMatchObject([{ binding: "user", roles: ["owner"] }]);
    for (const bad of [
      { roles: ["owner"] },
      { roles: ["nothing"] },
      { roles: [], teams: ["nothing"] },
      { expires_in: "31d" },
    ]) {
      expect(outcome(await send("POST", "/invitations", { body: bad }))).toEqual([400, "validation_error"]);
    }
  });
});

describe("Administrator routes: PUT /_admin/orgs/{org}/claims", () => {
  test("Administrator routes: replaces the claims, which members read", async () => {
    const { token } = owner;
    const text = '{"plan":"pro","seats":5,"nested":{"__proto__":{"polluted":true},"deep":[1]}}';
    const { status: answered, body } = await send("PUT", "/claims", { text });
    expect([answered, JSON.stringify(body)]).toEqual([200, text]);
    const seen = await server.send("GET", `/_orgs/${org.id}`, { token });
    expect(JSON.stringify(seen.body["claims"])).toBe(text);
    await send("PUT", "/claims", { body: { seats: 1 } });
    expect((await server.org(org))?.claims).toEqual({ seats: 1 });
    expect(await audited("org.claims")).toEqual([{}, {}]);
  });

  test("Administrator routes: claims are a JSON object of at most 16,384 characters", async () => {
    expect((await send("PUT", "/claims", { body: { text: "x".repeat(16_384 - 11) } })).status).toBe(200);
    expect(outcome(await send("PUT", "/claims", { body: { text: "x".repeat(16_384 - 10) } }))).toEqual([
      400,
      "validation_error",
    ]);
    expect(outcome(await send("PUT", "/claims", { body: { $where: 1 } }))).toEqual([400, "validation_error"]);
    for (const text of ["[]", '"x"', "null", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`]) {
      expect(outcome(await send("PUT", "/claims", { text }))).toEqual([400, "invalid_json"]);
    }
  });
});
