import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { type Accounts, startAccounts } from "../testing/accounts.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts();
  admin = await server.adminKey();
});
afterAll(() => server.stop());

const get = (path: string) => server.send("GET", path, { token: admin });

function emails({ items }: JsonObject): unknown[] {
  return Array.isArray(items) ? items.map((item) => (isJsonObject(item) ? item["email"] : undefined)) : [];
}

describe("Administrator routes: GET /_admin/users", () => {
  it("shows users with their status, and nothing secret", async () => {
    const { id } = await server.signup("bea@example.com");
    const { body, headers } = await get("/_admin/users?q=bea@");
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
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("finds by part of the address in any case, by role and by status, together", async () => {
    const cleo = await server.signup("Cleo.Find@example.com");
    const dan = await server.signup("dan.find@example.com");
    const patch = (id: string, body: JsonObject) =>
      server.send("PATCH", `/_admin/users/${id}`, { token: admin, body });
    await patch(cleo.id, { roles: ["agent"] });
    await patch(dan.id, { roles: ["agent", "host"], disabled: true });
    expect(emails((await get("/_admin/users?q=.FIND")).body)).toEqual([
      "Cleo.Find@example.com",
      "dan.find@example.com",
    ]);
    expect(emails((await get("/_admin/users?q=.find&role=host")).body)).toEqual(["dan.find@example.com"]);
    expect(emails((await get("/_admin/users?q=.find&status=active")).body)).toEqual([
      "Cleo.Find@example.com",
    ]);
    expect(emails((await get("/_admin/users?q=.find&status=disabled&role=agent")).body)).toEqual([
      "dan.find@example.com",
    ]);
    expect(emails((await get("/_admin/users?q=%25")).body)).toEqual([]);
  });

  it.each(["role=nobody", "role=__proto__", "status=gone", "limit=0", "after=1", "sort=email"])(
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

describe("Administrator routes: GET /_admin/users/{id}", () => {
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

describe("Administrator routes: users of another realm", () => {
  it("are not found, whatever is done with them", async () => {
    const { id } = await server.signup("far@example.com", "other");
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PATCH", "", { disabled: true }],
      ["DELETE", "", undefined],
      ["GET", "/sessions", undefined],
      ["DELETE", "/sessions", undefined],
    ] as const) {
      const answer = await server.send(method, `/_admin/users/${id}${path}`, {
        token: admin,
        ...(body && { body }),
      });
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 404,
        body: { error: { code: "not_found" } },
      });
    }
    const there = await server.adminKey(true, "other");
    const answer = await server.send("GET", `/_admin/users/${id}`, { token: there }, "other");
    expect(answer.body).toMatchObject({ status: "active" });
  });
});

describe("Administrator routes: GET /_admin/users/{id}/access", () => {
  it("is what rules see of the user now", async () => {
    const { id } = await server.signup("ivo@example.com");
    await server.send("PATCH", `/_admin/users/${id}`, { token: admin, body: { roles: ["agent"] } });
    const { status, body } = await get(`/_admin/users/${id}/access`);
    expect([status, body]).toEqual([
      200,
      {
        user: {
          id,
          email: "ivo@example.com",
          email_verified: false,
          roles: ["agent"],
          locale: null,
          mfa: false,
          created_at: expect.any(String),
          profile: null,
        },
        now: expect.any(String),
        organizations: [],
      },
    ]);
  });

  it("is for who may see users, and of users that there are", async () => {
    const { id, token } = await server.signup("jan@example.com");
    expect((await server.send("GET", `/_admin/users/${id}/access`, { token })).status).toBe(403);
    expect((await get("/_admin/users/nobody/access")).status).toBe(404);
  });
});
