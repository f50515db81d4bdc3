import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRUE } from "../../filter/algebra.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { type Accounts, password, startAccounts } from "../testing.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts();
  admin = await server.key({ name: "boss", admin: true });
});
afterAll(() => server.stop());

const get = (path: string, token: string | undefined = admin) =>
  server.send("GET", path, token ? { token } : {});
const patch = (id: string, body: JsonObject, token = admin) =>
  server.send("PATCH", `/_admin/users/${id}`, { token, body });

function emails({ items }: JsonObject): unknown[] {
  return Array.isArray(items) ? items.map((item) => (isJsonObject(item) ? item["email"] : undefined)) : [];
}

async function audit(id: string): Promise<JsonObject[]> {
  const found = await server
    .store("shop")
    .collection("_svc.audit")
    .find({ filter: TRUE, visibility: "live", limit: 1_000, skip: 0 });
  const all: JsonObject[] = found.map(({ text }) => JSON.parse(text));
  return all.filter(({ target }) => target === `user:${id}`);
}

describe("Who administers", () => {
  it("401 without a credential; 403 for users and for keys without admin, also those with all scopes", async () => {
    const { id, token } = await server.signup("ada@example.com");
    await patch(id, { roles: ["boss"] });
    const key = await server.key({ name: "data" });
    for (const [method, path] of [
      ["GET", "/_admin/users"],
      ["GET", `/_admin/users/${id}`],
      ["PATCH", `/_admin/users/${id}`],
    ] as const) {
      expect(await server.send(method, path)).toMatchObject({
        status: 401,
        body: { error: { code: "unauthenticated" } },
      });
      for (const credential of [token, key]) {
        const answer = await server.send(method, path, { token: credential });
        expect(answer).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
        expect(answer.headers.get("cache-control")).toBe("no-store");
      }
    }
  });

  it("a key of another realm is 401", async () => {
    const foreign = await server.key({ name: "boss", admin: true }, "other");
    expect((await get("/_admin/users", foreign)).status).toBe(401);
  });

  it("404 where the instance has no administrator API", async () => {
    const off = await startAccounts({}, { settings: { adminApi: false } });
    try {
      const token = await off.key({ admin: true });
      expect(await off.send("GET", "/_admin/users", { token })).toMatchObject({
        status: 404,
        body: { error: { code: "not_found" } },
      });
      expect((await off.send("PATCH", "/_admin/users/x", { token, body: {} })).status).toBe(404);
    } finally {
      await off.stop();
    }
  });
});

describe("GET /_admin/users", () => {
  it("pages through everyone, oldest first", async () => {
    const paged = await startAccounts();
    try {
      const token = await paged.key({ admin: true });
      const people: string[] = [];
      for (let n = 0; n < 5; n += 1) people.push((await paged.signup(`p${n}@example.com`)).email);
      const seen: unknown[] = [];
      let path = "/_admin/users?limit=2";
      for (const more of [true, true, false]) {
        const { status, body } = await paged.send("GET", path, { token });
        expect(status).toBe(200);
        expect(body["has_more"]).toBe(more);
        expect("next_cursor" in body).toBe(more);
        seen.push(...emails(body));
        path = `/_admin/users?limit=2&after=${String(body["next_cursor"])}`;
      }
      expect(seen).toEqual(people);
    } finally {
      await paged.stop();
    }
  });

  it("shows users with their status, and nothing secret", async () => {
    const { id } = await server.signup("bea@example.com");
    const { body } = await get("/_admin/users?q=bea@");
    expect(body).toEqual({
      items: [
        {
          id,
          email: "bea@example.com",
          email_verified: false,
          locale: null,
          roles: [],
          profile: null,
          mfa: false,
          created_at: expect.any(String),
          status: "active",
        },
      ],
      has_more: false,
    });
  });

  it("finds by part of the address in any case, by role and by status, together", async () => {
    const cleo = await server.signup("Cleo.Find@example.com");
    const dan = await server.signup("dan.find@example.com");
    await patch(cleo.id, { roles: ["agent"] });
    await patch(dan.id, { roles: ["agent", "boss"], disabled: true });
    expect(emails((await get("/_admin/users?q=.FIND")).body)).toEqual([
      "Cleo.Find@example.com",
      "dan.find@example.com",
    ]);
    expect(emails((await get("/_admin/users?q=.find&role=boss")).body)).toEqual(["dan.find@example.com"]);
    expect(emails((await get("/_admin/users?q=.find&status=active")).body)).toEqual([
      "Cleo.Find@example.com",
    ]);
    expect(emails((await get("/_admin/users?q=.find&status=disabled&role=agent")).body)).toEqual([
      "dan.find@example.com",
    ]);
    expect(emails((await get("/_admin/users?q=%25")).body)).toEqual([]);
  });

  it.each(["role=nobody", "status=gone", "limit=0", "after=1", "sort=email"])(
    "400 invalid_query: %s",
    async (query) => {
      const { status, body } = await get(`/_admin/users?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: { code: "invalid_query", details: [{ path: query.split("=")[0] }] },
      });
    },
  );
});

describe("GET /_admin/users/{id}", () => {
  it("200 one user, 404 for none", async () => {
    const { id } = await server.signup("eve@example.com");
    expect((await get(`/_admin/users/${id}`)).body).toMatchObject({
      id,
      email: "eve@example.com",
      status: "active",
    });
    for (const none of ["unknown", `${id}%00`, "x".repeat(129), "_x"]) {
      expect(await get(`/_admin/users/${none}`), none).toMatchObject({
        status: 404,
        body: { error: { code: "not_found" } },
      });
    }
  });
});

describe("PATCH /_admin/users/{id}", () => {
  it("roles count at the very next request, given or taken", async () => {
    const { id, token } = await server.signup("fay@example.com");
    const roles = async () => (await get("/whoami", token)).body["user"];
    expect(await roles()).toMatchObject({ roles: [] });
    expect(await patch(id, { roles: ["agent", "agent"] })).toMatchObject({
      status: 200,
      body: { id, roles: ["agent"] },
    });
    expect(await roles()).toMatchObject({ roles: ["agent"] });
    expect((await get("/_auth/me", token)).body).toMatchObject({ roles: ["agent"] });
    await patch(id, { roles: [] });
    expect(await roles()).toMatchObject({ roles: [] });
  });

  it("disabled: true ends all sessions at once; enabling again does not bring them back", async () => {
    const { id, token } = await server.signup("gil@example.com");
    const other = await server.login("gil@example.com");
    expect(await patch(id, { disabled: true })).toMatchObject({ status: 200, body: { status: "disabled" } });
    expect((await get("/whoami", token)).status).toBe(401);
    expect((await get("/whoami", other.token)).status).toBe(401);
    expect(await patch(id, { disabled: false })).toMatchObject({ status: 200, body: { status: "active" } });
    expect((await get("/whoami", token)).status).toBe(401);
    const again = await server.login("gil@example.com");
    expect((await get("/whoami", again.token)).status).toBe(200);
  });

  it("no login that runs beside a disabling leaves a session behind", async () => {
    const { id } = await server.signup("hal@example.com");
    const body = { email: "hal@example.com", password };
    const logins = Array.from({ length: 8 }, () => server.send("POST", "/_auth/login", { body }));
    const disabling = patch(id, { disabled: true });
    const answers = await Promise.all(logins);
    expect((await disabling).status).toBe(200);
    for (const { status, body: answer } of answers) {
      expect([200, 403]).toContain(status);
      const session = answer["session"];
      if (!isJsonObject(session)) continue;
      expect((await get("/whoami", String(session["token"]))).status).toBe(401);
    }
    await patch(id, { disabled: false });
    for (const { body: answer } of answers) {
      const session = answer["session"];
      if (isJsonObject(session)) expect((await get("/whoami", String(session["token"]))).status).toBe(401);
    }
  });

  it.each([
    ["roles.1", { roles: ["agent", "king"] }],
    ["roles", { roles: "agent" }],
    ["roles", { roles: ["agent", 1] }],
    ["roles", { roles: null }],
    ["disabled", { disabled: "yes" }],
    ["email", { email: "new@example.com" }],
    ["password", { password: "another password" }],
  ])("400 validation_error: %s, and nothing is changed", async (path, body) => {
    const name = `${path}${JSON.stringify(body)}`.replace(/\W+/g, "-");
    const { id } = await server.signup(`${name}@example.com`);
    const answer = await patch(id, { ...body, ...(path !== "disabled" && { disabled: true }) });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code: "validation_error", details: [{ path }] } });
    expect((await get(`/_admin/users/${id}`)).body).toMatchObject({ roles: [], status: "active" });
  });

  it("404 for no user, by either media type", async () => {
    expect((await patch("unknown", { disabled: true })).status).toBe(404);
    const headers = { "content-type": "application/merge-patch+json" };
    const answer = await server.send("PATCH", "/_admin/users/unknown", { token: admin, text: "{}", headers });
    expect(answer.status).toBe(404);
  });
});

describe("Audit records", () => {
  it("every change is recorded: who, whom, from where, in which request, and no content", async () => {
    const { id } = await server.signup("ida@example.com", "shop", { profile: { note: "private" } });
    const { headers } = await patch(id, { roles: ["agent"], disabled: true });
    await patch(id, { disabled: false });
    const common = {
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      at: new Date(server.clock.now()).toISOString(),
      actor: "key:boss",
      target: `user:${id}`,
      address: "127.0.0.1",
    };
    const request_id = headers.get("x-request-id");
    const records = await audit(id);
    expect(records).toEqual([
      { ...common, action: "user.roles", request_id, details: { from: [], to: ["agent"] } },
      { ...common, action: "user.disable", request_id, details: {} },
      { ...common, action: "user.enable", request_id: expect.any(String), details: {} },
    ]);
  });

  it("what changes nothing, and what is refused, leaves no record", async () => {
    const { id } = await server.signup("jan@example.com");
    await patch(id, {});
    await patch(id, { roles: [], disabled: false });
    await patch(id, { roles: ["king"] });
    expect(await audit(id)).toEqual([]);
  });
});
