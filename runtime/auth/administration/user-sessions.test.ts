import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "../collections.ts";
import { type Accounts, day, startAccounts, text } from "../testing/accounts.ts";
import { auditOf } from "./testing/audit.ts";

let server: Accounts;
let admin: string;
beforeAll(async () => {
  server = await startAccounts();
  admin = await server.key({ name: "root", admin: true });
});
afterAll(() => server.stop());

const sessions = (id: string, query = "", token = admin) =>
  server.send("GET", `/_admin/users/${id}/sessions${query}`, { token });
const end = (id: string, token = admin) => server.send("DELETE", `/_admin/users/${id}/sessions`, { token });

describe("Administrator routes: GET /_admin/users/{id}/sessions", () => {
  it("a user's sessions, oldest first, none of them current, and nothing secret", async () => {
    const ada = await server.signup("ada@example.com");
    await server.signup("bea@example.com");
    server.clock.advance(1_000);
    const second = await server.login("ada@example.com");
    const { status, body } = await sessions(ada.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [ada.session, second.session].map((id) => ({
        id,
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        expires_at: expect.any(String),
        current: false,
        user_agent: expect.any(String),
        address: "127.0.0.1",
      })),
      has_more: false,
    });
  });

  it("pages, those of one instant in the order in which they began", async () => {
    const { id, session } = await server.signup("cleo@example.com");
    const began = [session];
    for (let n = 0; n < 4; n += 1) began.push((await server.login("cleo@example.com")).session);
    const first = await sessions(id, "?limit=2");
    expect(first.body).toMatchObject({ items: began.slice(0, 2).map((id) => ({ id })), has_more: true });
    const { body } = await sessions(id, `?limit=3&after=${text(first.body, "next_cursor")}`);
    expect(body).toMatchObject({ items: began.slice(2).map((id) => ({ id })), has_more: false });
    expect("next_cursor" in body).toBe(false);
  });

  it("an administrator's own session is marked", async () => {
    const boss = await server.person("boss@example.com", ["boss"]);
    expect((await sessions(boss.id, "", boss.token)).body).toMatchObject({
      items: [{ id: boss.session, current: true }],
    });
  });

  it("leaves out those that have ended", async () => {
    const { id } = await server.signup("dan@example.com");
    server.clock.advance(8 * day);
    const { session } = await server.login("dan@example.com");
    expect((await sessions(id)).body).toMatchObject({ items: [{ id: session }], has_more: false });
  });

  it("404 for no user, 400 for parameters that it does not know", async () => {
    expect((await sessions("unknown")).status).toBe(404);
    const { id } = await server.signup("eve@example.com");
    expect((await sessions(id, "?user=x")).body).toMatchObject({ error: { code: "invalid_query" } });
  });
});

describe("Administrator routes: DELETE /_admin/users/{id}/sessions", () => {
  it("204: ends all of them at once, and the user may log in again", async () => {
    const fay = await server.signup("fay@example.com");
    const other = await server.login("fay@example.com");
    const bystander = await server.signup("gil@example.com");
    expect((await end(fay.id)).status).toBe(204);
    for (const { token } of [fay, other])
      expect((await server.send("GET", "/whoami", { token })).status).toBe(401);
    expect((await sessions(fay.id)).body).toMatchObject({ items: [] });
    expect((await server.send("GET", "/whoami", { token: bystander.token })).status).toBe(200);
    const { token } = await server.login("fay@example.com");
    expect((await server.send("GET", "/whoami", { token })).status).toBe(200);
    expect(await auditOf(server, `user:${fay.id}`)).toMatchObject([
      { action: "user.sessions", actor: "key:root", details: {} },
    ]);
  });

  it("they have ended also where the server dies before it has forgotten them", async () => {
    const { id, token } = await server.signup("hal@example.com");
    const stored = server.store("shop").collection(collections.sessions);
    const before = await stored.scan(undefined, 1_000);
    await end(id);
    await stored.load(before);
    expect((await server.send("GET", "/whoami", { token })).status).toBe(401);
  });

  it("404 for no user", async () => {
    expect(await end("unknown")).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });
});
