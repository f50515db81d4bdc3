import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collection } from "../../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { auditOf } from "../administration/testing/audit.ts";
import { type Accounts, day, hour, minute, type Person, startAccounts, text } from "../testing/accounts.ts";
import { makeToken, proved } from "../testing/own-tokens.ts";

const year = 365 * day;
const definition = { collections: [collection("orders"), collection("notes")] };

let server: Accounts;
/** The same, where tokens may not do everything. */
let capped: Accounts;
let people = 0;
beforeAll(async () => {
  server = await startAccounts({ tokens: { personal: true, maxLifetime: year } }, { definition });
  const scopes = { read: "*", write: ["main/orders"], admin: ["audit"] } as const;
  capped = await startAccounts({ tokens: { personal: true, maxLifetime: 30 * day, scopes } }, { definition });
});
afterAll(async () => {
  await server.stop();
  await capped.stop();
});

function somebody(at: Accounts = server, roles: readonly string[] = []): Promise<Person> {
  people += 1;
  return at.person(`p${people}@example.com`, roles);
}

const make = (who: Person, body: JsonObject, at: Accounts = server) =>
  proved(at, who, "POST", "/_auth/tokens", { name: "script", ...body });
const whoami = (token: string, at: Accounts = server) => at.send("GET", "/whoami", { token });
const list = async ({ token }: Person) => {
  const { items } = (await server.send("GET", "/_auth/tokens", { token })).body;
  return Array.isArray(items) ? items.filter(isJsonObject) : [];
};
const at = (milliseconds: number) => new Date(server.clock.now() + milliseconds).toISOString();

function pathsOf({ body }: { readonly body: JsonObject }): readonly unknown[] {
  const { details } = isJsonObject(body["error"]) ? body["error"] : {};
  return Array.isArray(details) ? details.map((detail) => isJsonObject(detail) && detail["path"]) : [];
}

describe("POST /tokens", () => {
  it("201 with the key this once, which acts as its user; the list shows it without", async () => {
    const ann = await somebody();
    const asked = { scopes: { read: ["main/orders"] }, networks: ["127.0.0.0/8"], expires_in: "30d" };
    const { status, body } = await make(ann, asked);
    const { key, ...shown } = body;
    expect([status, String(key)]).toEqual([201, expect.stringMatching(/^svk_/)]);
    expect(shown).toEqual({
      id: expect.any(String),
      name: "script",
      scopes: { read: ["main/orders"] },
      networks: ["127.0.0.0/8"],
      start: String(key).slice(0, 8),
      created_at: at(0),
      created_by: `user:${ann.id}`,
      expires_at: at(30 * day),
      last_used_at: null,
      last_used_address: null,
    });
    expect(await list(ann)).toEqual([shown]);
    expect((await whoami(String(key))).body).toMatchObject({
      actor: `user:${ann.id}`,
      user: { id: ann.id, mfa: false },
      credential: { kind: "bound", key: { scopes: { read: ["main/orders"] } } },
    });
  });

  it("lives as long as the realm allows unless it says so; 400 for less than an hour and for more", async () => {
    const ann = await somebody();
    expect((await make(ann, {})).body).toMatchObject({ expires_at: at(year), scopes: null });
    for (const expires_in of ["59m", "366d", "soon", "-1d", ""]) {
      const refused = await make(ann, { name: "other", expires_in });
      expect([refused.status, pathsOf(refused)], expires_in).toEqual([400, ["expires_in"]]);
    }
    const { key } = await makeToken(server, ann, { name: "short", expires_in: "1h" });
    server.clock.advance(hour - 1);
    expect((await whoami(key)).status).toBe(200);
    server.clock.advance(1);
    expect((await whoami(key)).status).toBe(401);
  });

  it("400 with the paths of all that is wrong with it", async () => {
    const refused = await make(await somebody(), {
      name: " x",
      scopes: { read: ["main/nothing"], rule: "*", admin: ["users", "kitchen"] },
      networks: ["here"],
      expires_in: "1s",
      admin: true,
    });
    expect(refused.status).toBe(400);
    expect([...pathsOf(refused)].sort()).toEqual(
      ["admin", "expires_in", "name", "networks.0", "scopes.admin.1", "scopes.read.0", "scopes.rule"].sort(),
    );
  });

  it("409 conflict for a name that another token of the user has; those of others are free", async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    await makeToken(server, ann);
    const again = await make(ann, {});
    expect([again.status, again.body]).toMatchObject([409, { error: { code: "conflict" } }]);
    expect(pathsOf(again)).toEqual(["name"]);
    await makeToken(server, bob);
    await server.key({ name: "script" });
  });

  it("401 reauth_required without a fresh proof, also to rotate; 403 for keys, also tokens", async () => {
    const ann = await somebody();
    const { key, id } = await makeToken(server, ann);
    for (const path of ["/_auth/tokens", `/_auth/tokens/${id}/rotate`]) {
      const unproved = await server.send("POST", path, { token: ann.token, body: { name: "x" } });
      expect([unproved.status, text(unproved.body, "error", "code")]).toEqual([401, "reauth_required"]);
    }
    const routes = ["GET /tokens", "POST /tokens", `DELETE /tokens/${id}`, `POST /tokens/${id}/rotate`];
    for (const route of [...routes, "GET /me", "GET /sessions"]) {
      const [method = "", path = ""] = route.split(" ");
      for (const token of [key, await server.adminKey()]) {
        expect((await server.send(method, `/_auth${path}`, { token })).status, route).toBe(403);
      }
      expect((await server.send(method, `/_auth${path}`)).status, route).toBe(401);
    }
  });

  it("400 at its path for what is beyond the ceiling; without scopes it is the ceiling", async () => {
    const boss = await somebody(capped, ["boss"]);
    const scopes = { read: ["main"], write: ["main/orders", "main"], call: "*", admin: ["audit", "users"] };
    const refused = await make(boss, { scopes, expires_in: "31d" }, capped);
    expect(refused.status).toBe(400);
    expect(pathsOf(refused)).toEqual(["expires_in", "scopes.admin.1", "scopes.write.1", "scopes.call"]);
    const { key } = await makeToken(capped, boss);
    expect((await whoami(key, capped)).body).toMatchObject({
      credential: { key: { scopes: { read: "*", write: ["main/orders"] } } },
    });
    const { key: narrow } = await makeToken(capped, boss, { name: "n", scopes: { read: ["main/notes"] } });
    expect((await whoami(narrow, capped)).body).toMatchObject({
      credential: { key: { scopes: { read: ["main/notes"], write: [] } } },
    });
  });

  it("at most 50, however many are asked for at once; expired ones make room and are forgotten", async () => {
    const ann = await somebody();
    for (let n = 0; n < 45; n += 1) await makeToken(server, ann, { name: `t${n}`, expires_in: "1h" });
    const headers = { "x-svc-reauth": await server.reauth(ann) };
    const asked = Array.from({ length: 9 }, (_, n) =>
      server.send("POST", "/_auth/tokens", { token: ann.token, headers, body: { name: `more${n}` } }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
    expect(statuses.filter((status) => status === 409)).toHaveLength(4);
    expect(await list(ann)).toHaveLength(20);
    server.clock.advance(hour);
    await makeToken(server, ann, { name: "t0" });
    expect((await list(ann)).map(({ name }) => name)).toHaveLength(6);
  });
});

describe("The administration of a token", () => {
  it("does nothing that a session has to prove itself for", async () => {
    const [boss, ann] = [await somebody(server, ["boss"]), await somebody(server)];
    const { key } = await makeToken(server, boss, { scopes: { admin: ["users"] } });
    const refused = await server.send("DELETE", `/_admin/users/${ann.id}`, { token: key });
    expect([refused.status, text(refused.body, "error", "code")]).toEqual([403, "forbidden"]);
    expect((await server.send("GET", `/_admin/users/${ann.id}`, { token: key })).status).toBe(200);
  });

  it("403 for areas that its user does not hold; it has those that they hold at each request", async () => {
    const reader = await somebody(server, ["auditor"]);
    const refused = await make(reader, { scopes: { admin: ["users"] } });
    expect([refused.status, text(refused.body, "error", "code")]).toEqual([403, "forbidden"]);
    const { key } = await makeToken(server, reader, { scopes: { admin: ["audit", "secrets"] } });
    const audit = () => server.send("GET", "/_admin/audit", { token: key });
    expect((await audit()).status).toBe(200);
    expect((await server.send("GET", "/_admin/config", { token: key })).status).toBe(403);
    await server.giveRoles(reader.id, []);
    expect((await audit()).status).toBe(403);
    await server.giveRoles(reader.id, ["boss"]);
    expect((await audit()).status).toBe(200);
    expect((await server.send("GET", "/_admin/users", { token: key })).status).toBe(403);
  });

  it("is none without areas in its scopes, and none beyond the ceiling", async () => {
    const boss = await somebody(server, ["boss"]);
    const { key } = await makeToken(server, boss);
    expect((await server.send("GET", "/_admin/users", { token: key })).status).toBe(403);
    const elsewhere = await somebody(capped, ["boss"]);
    expect((await make(elsewhere, { scopes: { admin: ["data"] } }, capped)).status).toBe(400);
  });

  it("makes no key beyond the token", async () => {
    const boss = await somebody(server, ["boss"]);
    const { key: token } = await makeToken(server, boss, {
      scopes: { read: ["main/orders"], admin: ["apikeys", "data"] },
    });
    const ask = async (body: JsonObject) =>
      (await server.send("POST", "/_admin/keys", { token, body })).status;
    expect(await ask({ name: "of token 1", scopes: { read: ["main/orders"] } })).toBe(201);
    expect(await ask({ name: "of token 2", scopes: { read: ["main/notes"] } })).toBe(403);
    expect(await ask({ name: "of token 3" })).toBe(403);
    expect(await ask({ name: "of token 4", scopes: {}, admin: true })).toBe(403);
    expect(await ask({ name: "of token 5", scopes: {}, admin: ["audit"] })).toBe(403);
    expect(await ask({ name: "of token 6", scopes: {}, on_behalf_of: true })).toBe(403);
  });
});

describe("POST /tokens/{id}/rotate", () => {
  it("200 with a new key of the same id and end; the former one lives on for the overlap, then ends", async () => {
    const ann = await somebody();
    const { key: old, id } = await makeToken(server, ann, { expires_in: "10d" });
    const end = at(10 * day);
    const rotated = await proved(server, ann, "POST", `/_auth/tokens/${id}/rotate`, { overlap: "10m" });
    const key = text(rotated.body, "key");
    expect([rotated.status, rotated.body]).toMatchObject([
      200,
      { id, expires_at: end, start: key.slice(0, 8) },
    ]);
    expect(await list(ann)).toMatchObject([{ id, start: key.slice(0, 8) }]);
    expect([(await whoami(old)).status, (await whoami(key)).status]).toEqual([200, 200]);
    server.clock.advance(10 * minute);
    expect([(await whoami(old)).status, (await whoami(key)).status]).toEqual([401, 200]);
    await proved(server, ann, "POST", `/_auth/tokens/${id}/rotate`, { overlap: "0s" });
    expect((await whoami(key)).status).toBe(401);
  });

  it("400 for an overlap of more than a week; 404 for another's; 409 when ten former ones live", async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const { id } = await makeToken(server, ann);
    const rotate = (who: Person, body: JsonObject = {}) =>
      proved(server, who, "POST", `/_auth/tokens/${id}/rotate`, body);
    for (const overlap of ["8d", "never"]) {
      const refused = await rotate(ann, { overlap });
      expect([refused.status, pathsOf(refused)]).toEqual([400, ["overlap"]]);
    }
    expect((await rotate(bob)).status).toBe(404);
    for (let n = 0; n < 10; n += 1) expect((await rotate(ann)).status).toBe(200);
    const refused = await rotate(ann);
    expect([refused.status, text(refused.body, "error", "code")]).toEqual([409, "conflict"]);
  });

  it("of rotations at once each makes a key that is good, and revoking ends them all", async () => {
    const ann = await somebody();
    const { key: first, id } = await makeToken(server, ann);
    const headers = { "x-svc-reauth": await server.reauth(ann) };
    const rotations = await Promise.all(
      [1, 2, 3, 4].map(() =>
        server.send("POST", `/_auth/tokens/${id}/rotate`, { token: ann.token, headers, body: {} }),
      ),
    );
    const keys = [first, ...rotations.map(({ body }) => text(body, "key"))];
    const statuses = async () => Promise.all(keys.map(async (key) => (await whoami(key)).status));
    expect(await statuses()).toEqual([200, 200, 200, 200, 200]);
    expect((await server.send("DELETE", `/_auth/tokens/${id}`, { token: ann.token })).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 401, 401, 401]);
  });
});

describe("DELETE /tokens/{id}", () => {
  it("204, and 401 from the next request on; 404 for another's, and for one that is no more", async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const { key, id } = await makeToken(server, ann);
    const revoke = async ({ token }: Person) =>
      (await server.send("DELETE", `/_auth/tokens/${id}`, { token })).status;
    expect([await revoke(bob), (await whoami(key)).status]).toEqual([404, 200]);
    expect([await revoke(ann), (await whoami(key)).status]).toEqual([204, 401]);
    expect([await revoke(ann), await list(ann)]).toEqual([404, []]);
  });
});

it("The audit trail tells of tokens that are made, rotated and revoked, and by which something was done", async () => {
  const boss = await somebody(server, ["boss"]);
  const { key, id } = await makeToken(server, boss, { scopes: { admin: ["config"] } });
  await proved(server, boss, "POST", `/_auth/tokens/${id}/rotate`);
  await server.send("PUT", "/_admin/config/app", { token: key, body: { open: true } });
  await server.send("DELETE", `/_auth/tokens/${id}`, { token: boss.token });
  const actor = `user:${boss.id}`;
  expect(await auditOf(server, `token:${id}`)).toMatchObject([
    { action: "token.create", actor, details: { name: "script", scopes: { admin: ["config"] } } },
    { action: "token.rotate", actor },
    { action: "token.revoke", actor },
  ]);
  const [change] = (await auditOf(server, "config:app")).slice(-1);
  expect(change).toMatchObject({ action: "config.app", actor, details: { key: "key:script" } });
});

it("Where personal tokens are not configured nobody has them: 404", async () => {
  const plain = await startAccounts();
  try {
    const { token } = await plain.signup("ann@example.com");
    expect((await plain.send("GET", "/_auth/tokens", { token })).status).toBe(404);
  } finally {
    await plain.stop();
  }
});
