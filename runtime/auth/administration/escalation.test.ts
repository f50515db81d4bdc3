import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { type Accounts, type Person, password, startAccounts } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

/** Attempts to gain, or to reach by detour, administration that one does not hold. */

let server: Accounts;
let root: string;
let keymaster: Person;
let boss: Person;
beforeAll(async () => {
  server = await startAccounts();
  root = await server.adminKey();
  keymaster = await server.person("keymaster@example.com", ["keymaster"]);
  boss = await server.person("boss@example.com", ["boss"]);
});
afterAll(() => server.stop());

const send = (method: string, path: string, token: string, body?: JsonObject, proof?: string) =>
  server.send(method, `/_admin${path}`, {
    token,
    ...(body && { body }),
    ...(proof !== undefined && { headers: { "x-svc-reauth": proof } }),
  });

const user = async (id: string) => (await send("GET", `/users/${id}`, root)).body;

const forbidden = { status: 403, body: { error: { code: "forbidden" } } };

describe("Authentication 10: nobody grants rights that they lack", () => {
  it.each([["boss"], ["reader"], ["host"], ["agent", "librarian"]])(
    "not to themselves: %s",
    async (...roles) => {
      const before = await user(keymaster.id);
      expect(
        await send("PATCH", `/users/${keymaster.id}`, keymaster.token, { roles: ["keymaster", ...roles] }),
      ).toMatchObject(forbidden);
      expect(await user(keymaster.id)).toEqual(before);
    },
  );

  it("not to others; what they hold, and roles without administration, they may give", async () => {
    const { id } = await server.signup("ada@example.com");
    expect(await send("PATCH", `/users/${id}`, keymaster.token, { roles: ["boss"] })).toMatchObject(
      forbidden,
    );
    expect(await user(id)).toMatchObject({ roles: [] });
    const roles = ["agent", "keymaster"];
    expect(await send("PATCH", `/users/${id}`, keymaster.token, { roles })).toMatchObject({
      status: 200,
      body: { roles },
    });
  });

  it("not to a user whom they make, by name or by default", async () => {
    const body = { email: "bea@example.com", password, roles: ["boss"] };
    expect(await send("POST", "/users", keymaster.token, body)).toMatchObject(forbidden);
    expect((await send("GET", "/users?q=bea@", root)).body).toMatchObject({ items: [] });

    const generous = await startAccounts({ defaultRoles: ["boss"] });
    try {
      const token = await generous.adminKey(["users"]);
      const sent = { token, body: { email: "bea@example.com" } };
      expect(await generous.send("POST", "/_admin/users", sent)).toMatchObject(forbidden);
    } finally {
      await generous.stop();
    }
  });

  it("not by invitation", async () => {
    const host = await server.person("host@example.com", ["host"]);
    for (const roles of [["boss"], ["keymaster"], ["reader"], ["agent", "boss"]]) {
      expect(await send("POST", "/invitations", host.token, { roles })).toMatchObject(forbidden);
    }
    expect((await send("GET", "/invitations", root)).body).toMatchObject({ items: [] });
    const roles = ["agent", "host"];
    expect((await send("POST", "/invitations", host.token, { roles })).status).toBe(201);
  });

  it("an area of a key is no more than that of a session", async () => {
    const key = await server.adminKey(["users", "invitations"]);
    const { id } = await server.signup("cleo@example.com");
    expect(await send("PATCH", `/users/${id}`, key, { roles: ["boss"] })).toMatchObject(forbidden);
    expect(await send("POST", "/invitations", key, { roles: ["keymaster"] })).toMatchObject(forbidden);
    expect((await send("PATCH", `/users/${id}`, key, { roles: ["host"] })).status).toBe(200);
  });

  it("a key with scopes gives no role that would free somebody of them, whatever it administers", async () => {
    const scopes = { read: "*", write: "*" } as const;
    const key = await server.adminKey(true, "shop", { scopes });
    const { id } = await server.signup("scoped@example.com");
    for (const roles of [["boss"], ["librarian"], ["keymaster"]]) {
      const body = { email: "freed@example.com", password, roles };
      expect(await send("POST", "/users", key, body)).toMatchObject(forbidden);
      expect(await send("PATCH", `/users/${id}`, key, { roles })).toMatchObject(forbidden);
      expect(await send("POST", "/invitations", key, { roles })).toMatchObject(forbidden);
    }
    const roles = ["agent", "host", "auditor", "reader"];
    expect((await send("PATCH", `/users/${id}`, key, { roles })).status).toBe(200);
  });

  it("a full administrator gives every role, as a key and in a session", async () => {
    const { id } = await server.signup("dan@example.com");
    for (const token of [root, boss.token]) {
      expect((await send("PATCH", `/users/${id}`, token, { roles: ["boss", "reader"] })).status).toBe(200);
      expect((await send("PATCH", `/users/${id}`, token, { roles: [] })).status).toBe(200);
    }
  });
});

describe("Authentication 10: nobody rules over an account that administers more than they do", () => {
  it.each<[string, JsonObject]>([
    ["address", { email: "mine@example.com" }],
    ["address beside what they may change", { locale: "fr", email: "mine@example.com" }],
    ["roles, to none", { roles: [] }],
    ["roles, to their own", { roles: ["keymaster"] }],
    ["status", { disabled: true }],
  ])("not its %s", async (_, body) => {
    const before = await user(boss.id);
    expect(await send("PATCH", `/users/${boss.id}`, keymaster.token, body)).toMatchObject(forbidden);
    expect(await user(boss.id)).toEqual(before);
    expect(await auditOf(server, `user:${boss.id}`)).toEqual([]);
  });

  it("so that a reset mail does not reach them", async () => {
    await send("PATCH", `/users/${boss.id}`, keymaster.token, { email: "mine@example.com" });
    const forgot = { body: { email: "mine@example.com" } };
    expect((await server.send("POST", "/_auth/password/forgot", forgot)).status).toBe(202);
    await server.send("POST", "/_auth/password/forgot", { body: { email: boss.email } });
    await server.mailTo(boss.email);
    expect(server.mails.filter(({ to }) => to === "mine@example.com")).toEqual([]);
  });

  it("nor enable, delete or sign out such an account", async () => {
    const other = await server.person("other-boss@example.com", ["boss"]);
    const proof = await server.reauth(keymaster);
    expect(await send("DELETE", `/users/${other.id}`, keymaster.token, undefined, proof)).toMatchObject(
      forbidden,
    );
    expect(await send("DELETE", `/users/${other.id}/sessions`, keymaster.token)).toMatchObject(forbidden);
    expect((await server.send("GET", "/whoami", { token: other.token })).status).toBe(200);
    await send("PATCH", `/users/${other.id}`, root, { disabled: true });
    expect(await send("PATCH", `/users/${other.id}`, keymaster.token, { disabled: false })).toMatchObject(
      forbidden,
    );
    expect(await user(other.id)).toMatchObject({ status: "disabled", roles: ["boss"] });
  });

  it("nor one that may only look at more than they do", async () => {
    const reader = await server.person("reader@example.com", ["reader"]);
    expect(
      await send("PATCH", `/users/${reader.id}`, keymaster.token, { email: "mine@example.com" }),
    ).toMatchObject(forbidden);
  });

  it("a key with an area neither", async () => {
    const key = await server.adminKey(["users"]);
    for (const id of [boss.id, keymaster.id]) {
      expect(await send("PATCH", `/users/${id}`, key, { disabled: true })).toMatchObject(forbidden);
      expect(await send("DELETE", `/users/${id}`, key)).toMatchObject(forbidden);
      expect(await send("DELETE", `/users/${id}/sessions`, key)).toMatchObject(forbidden);
    }
  });

  it("nor does a key whose scopes such an account has not", async () => {
    const key = await server.adminKey(true, "shop", { scopes: { read: "*" } });
    for (const { id } of [boss, keymaster]) {
      const body = { email: "mine@example.com" };
      expect(await send("PATCH", `/users/${id}`, key, body)).toMatchObject(forbidden);
      expect(await send("DELETE", `/users/${id}`, key)).toMatchObject(forbidden);
    }
  });

  it("what such an account says of itself they may change", async () => {
    const body = { locale: "de-CH", profile: { team: "a" } };
    expect(await send("PATCH", `/users/${boss.id}`, keymaster.token, body)).toMatchObject({
      status: 200,
      body,
    });
  });

  it("equals they may change in every way", async () => {
    const equal = await server.person("equal@example.com", ["keymaster"]);
    const body = { email: "equal-2@example.com", roles: ["agent"], disabled: true };
    expect((await send("PATCH", `/users/${equal.id}`, keymaster.token, body)).status).toBe(200);
    const other = await server.person("equal-3@example.com", ["keymaster"]);
    expect((await send("DELETE", `/users/${other.id}/sessions`, keymaster.token)).status).toBe(204);
    const proof = await server.reauth(keymaster);
    const answer = await send("DELETE", `/users/${other.id}`, keymaster.token, undefined, proof);
    expect(answer.status).toBe(204);
  });
});

describe("Authentication 10: what counts is what is held at the moment of the change", () => {
  it("administrators who lower themselves are lower from the next request on", async () => {
    const falling = await server.person("falling@example.com", ["boss"]);
    const lower = (roles: readonly string[]) =>
      send("PATCH", `/users/${falling.id}`, falling.token, { roles: [...roles] });
    expect((await lower(["keymaster"])).status).toBe(200);
    expect(await lower(["boss"])).toMatchObject(forbidden);
    expect((await lower([])).status).toBe(200);
    expect(await lower(["keymaster"])).toMatchObject(forbidden);
  });

  it("a role given while the account is changed protects it from then on", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await server.signup(`rising-${round}@example.com`);
      const [given, disabled] = await Promise.all([
        send("PATCH", `/users/${id}`, root, { roles: ["boss"] }),
        send("PATCH", `/users/${id}`, keymaster.token, { disabled: true }),
      ]);
      expect(given.status).toBe(200);
      const actions = (await auditOf(server, `user:${id}`)).map(({ action }) => action);
      expect(actions).toEqual(disabled.status === 200 ? ["user.disable", "user.roles"] : ["user.roles"]);
      if (disabled.status !== 200) expect(disabled).toMatchObject(forbidden);
    }
  });
});
