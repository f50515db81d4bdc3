import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { until } from "../../testing/until.ts";
import { collections, sessionFields } from "../collections.ts";
import { type Read, readSession, type SessionRecord } from "../records.ts";
import { type Accounts, day, minute, startAccounts } from "../testing/accounts.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts();
});
afterAll(() => server.stop());

const get = (token: string, path = "/_auth/sessions") => server.send("GET", path, { token });
const end = (token: string, path = "/_auth/sessions") => server.send("DELETE", path, { token });
const alive = async (token: string) => (await get(token, "/whoami")).status === 200;

function ids({ items }: JsonObject): unknown[] {
  return Array.isArray(items) ? items.map((item) => (isJsonObject(item) ? item["id"] : undefined)) : [];
}

describe("GET /sessions", () => {
  it("200 the caller's own, oldest first, and no token", async () => {
    const person = await server.signup("ada@example.com");
    await server.signup("bea@example.com");
    server.clock.advance(1_000);
    const { headers } = { headers: { "user-agent": `Browser ${"x".repeat(300)}` } };
    const login = await server.send("POST", "/_auth/login", {
      body: { email: "ada@example.com", password: "correct horse" },
      headers,
    });
    const { status, body } = await get(person.token);
    expect(status).toBe(200);
    const started = server.clock.now();
    expect(body).toEqual({
      items: [
        {
          id: person.session,
          created_at: new Date(started - 1_000).toISOString(),
          last_used_at: new Date(started - 1_000).toISOString(),
          expires_at: new Date(started - 1_000 + 30 * day).toISOString(),
          current: true,
          user_agent: expect.any(String),
          address: "127.0.0.1",
        },
        expect.objectContaining({ current: false, user_agent: headers["user-agent"].slice(0, 256) }),
      ],
      has_more: false,
    });
    expect(ids(body)[1]).toBe(isJsonObject(login.body["session"]) ? login.body["session"]["id"] : "");
    expect(JSON.stringify(body)).not.toMatch(/svs_|[0-9a-f]{64}/);
  });

  it("pages by limit and after, also through sessions begun in the same millisecond", async () => {
    const person = await server.signup("cleo@example.com");
    const sessions = [person.session];
    for (let n = 0; n < 4; n += 1) {
      if (n === 2) server.clock.advance(1);
      sessions.push((await server.login("cleo@example.com")).session);
    }
    const seen: unknown[] = [];
    let path = "/_auth/sessions?limit=2";
    for (const size of [2, 2, 1]) {
      const { body } = await get(person.token, path);
      expect(ids(body)).toHaveLength(size);
      expect(body["has_more"]).toBe(size === 2);
      seen.push(...ids(body));
      path = `/_auth/sessions?limit=2&after=${String(body["next_cursor"])}`;
    }
    expect([...seen].sort()).toEqual([...sessions].sort());
  });

  it.each([
    "limit=0",
    "limit=101",
    "limit=1.5",
    "limit=",
    "after=x",
    "after=-1",
    "skip=1",
    "limit=1&limit=2",
  ])("400 invalid_query: %s", async (query) => {
    const { token } = await server.signup(`${query.replace(/\W/g, "-")}@example.com`);
    const { status, body } = await get(token, `/_auth/sessions?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: "invalid_query", details: [{ path: query.split("=")[0] }] },
    });
  });
});

describe("Ending sessions", () => {
  it("DELETE /sessions/{id}: 204 ends one of the caller's own, at once", async () => {
    const person = await server.signup("dan@example.com");
    const other = await server.login("dan@example.com");
    expect(await alive(other.token)).toBe(true);
    expect((await end(person.token, `/_auth/sessions/${other.session}`)).status).toBe(204);
    expect(await alive(other.token)).toBe(false);
    expect((await end(person.token, `/_auth/sessions/${other.session}`)).status).toBe(404);
    expect(await alive(person.token)).toBe(true);
  });

  it("another user's session is 404 and goes on", async () => {
    const eve = await server.signup("eve@example.com");
    const fay = await server.signup("fay@example.com");
    const { status, body } = await end(eve.token, `/_auth/sessions/${fay.session}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ error: { code: "not_found" } });
    expect(await alive(fay.token)).toBe(true);
    for (const id of ["%F0%9F%94%91", `${eve.session}%00`, `${eve.session}%2F`, "x".repeat(129)]) {
      expect((await end(eve.token, `/_auth/sessions/${id}`)).status, id).toBe(404);
    }
    expect(await alive(eve.token)).toBe(true);
  });

  it("DELETE /sessions: 204 ends all of the caller's others, at once, and nobody else's", async () => {
    const gil = await server.signup("gil@example.com");
    const others = await Promise.all([1, 2, 3].map(() => server.login("gil@example.com")));
    const hal = await server.signup("hal@example.com");
    expect((await end(gil.token)).status).toBe(204);
    expect(await Promise.all(others.map(({ token }) => alive(token)))).toEqual([false, false, false]);
    expect(await alive(gil.token)).toBe(true);
    expect(await alive(hal.token)).toBe(true);
    expect(ids((await get(gil.token)).body)).toEqual([gil.session]);
  });
});

/** The session as the store has it. */
async function stored(session: string): Promise<Read<SessionRecord> | undefined> {
  const filter = eq(sessionFields.session, session);
  const find = { filter, visibility: "live", limit: 1, skip: 0 } as const;
  const [found] = await server.store("shop").collection(collections.sessions).find(find);
  return found && readSession(found);
}

async function lastUse(session: string): Promise<number> {
  return Date.parse((await stored(session))?.record.last_used_at ?? "");
}

describe("Lifetimes", () => {
  it("a session ends at its absolute lifetime, however much it is used", async () => {
    const { session, token } = await server.signup("ida@example.com");
    for (let n = 0; n < 5; n += 1) {
      server.clock.advance(6 * day - 1);
      expect(await alive(token)).toBe(true);
      // Uses are recorded in the background.
      await expect.poll(() => lastUse(session)).toBe(server.clock.now());
    }
    server.clock.advance(5);
    expect(await alive(token)).toBe(false);
  });

  it("a session ends when it is not used for the idle timeout", async () => {
    const person = await server.signup("jan@example.com");
    server.clock.advance(7 * day - 1);
    const other = await server.login("jan@example.com");
    expect(await alive(person.token)).toBe(true);
    server.clock.advance(7 * day - 1);
    expect(await alive(other.token)).toBe(true);
    server.clock.advance(1);
    expect(await alive(person.token)).toBe(false);
    // The list asks the store, where the last use is written in the background.
    await until(async () => expect(ids((await get(other.token)).body)).toEqual([other.session]));
  });

  it("an idle timeout shorter than what is written is kept exactly", async () => {
    const brief = await startAccounts({ sessionIdleTimeout: 20_000 });
    try {
      const { token } = await brief.signup("lea@example.com");
      const who = async () => (await brief.send("GET", "/whoami", { token })).status;
      for (let n = 0; n < 20; n += 1) {
        brief.clock.advance(20_000 - 1);
        expect(await who()).toBe(200);
      }
      brief.clock.advance(20_000);
      expect(await who()).toBe(401);
    } finally {
      await brief.stop();
    }
  });

  it("last_used_at is written at most once a minute", async () => {
    const { session, token } = await server.signup("kim@example.com");
    const begun = server.clock.now();
    const lastUsed = async () => {
      const { body } = await get(token);
      const [session] = Array.isArray(body["items"]) ? body["items"] : [];
      return isJsonObject(session) ? Date.parse(String(session["last_used_at"])) - begun : undefined;
    };
    const version = async () => (await stored(session))?.version;
    server.clock.advance(minute - 1);
    expect(await version()).toBe(1);
    await get(token, "/whoami");
    expect(await lastUsed()).toBe(0);
    expect(await version()).toBe(1);
    server.clock.advance(1);
    await get(token, "/whoami");
    await expect.poll(lastUsed).toBe(minute);
    server.clock.advance(minute - 1);
    await get(token, "/whoami");
    expect(await lastUsed()).toBe(minute);
    expect(await version()).toBe(2);
  });
});
