import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eq, TRUE } from "../../filter/algebra.ts";
import { isSession } from "../../realm/caller.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../../store/mongodb/testing/server.ts";
import { collections, keyFields, sessionFields } from "../collections.ts";
import { readKey, writeKey } from "../key-records.ts";
import { findOne } from "../matching.ts";
import { readSession } from "../records.ts";
import {
  type Accounts,
  type AccountsOptions,
  day,
  minute,
  origin,
  type Person,
  password,
  type Sent,
  startAccounts,
  tokenIn,
} from "../testing/accounts.ts";
import { type Lasting, lastingRequests } from "../testing/lasting.ts";

/** How one server is asked while another, or the same, has requests that go on. */
interface Servers {
  readonly here: Accounts;
  readonly there: Accounts;
  readonly kept: readonly Lasting[];
  advance(milliseconds: number): void;
  stop(): Promise<void>;
}

function starting(options: AccountsOptions = {}) {
  const { routes, kept } = lastingRequests();
  return { kept, start: () => startAccounts({ cookie: { sameSite: "lax" } }, { ...options, routes }) };
}

async function oneServer(): Promise<Servers> {
  const { kept, start } = starting();
  const server = await start();
  return {
    here: server,
    there: server,
    kept,
    advance: (milliseconds) => server.clock.advance(milliseconds),
    stop: () => server.stop(),
  };
}

/** Each has connections of its own, as processes have; their clocks are moved together. */
async function twoServers(): Promise<Servers> {
  const store = testLocation();
  const { kept, start } = starting({ settings: { store } });
  const here = await start();
  const there = await start();
  return {
    here,
    there,
    kept,
    advance(milliseconds) {
      for (const server of [here, there]) server.clock.advance(milliseconds);
    },
    async stop() {
      await Promise.all([here.stop(), there.stop()]);
      await dropTestDatabases(store);
    },
  };
}

describe("On one instance", () => endings(oneServer));
describeMongo("Of another instance on the same store", () => endings(twoServers));

function endings(start: () => Promise<Servers>): void {
  let servers: Servers;
  let here: Accounts;
  let admin: string;
  beforeAll(async () => {
    servers = await start();
    here = servers.here;
    admin = await here.adminKey();
  });
  afterAll(() => servers.stop());

  /** A request that goes on at the other server. */
  async function open(sent: Sent): Promise<Lasting> {
    expect((await servers.there.send("POST", "/lasting", sent)).status).toBe(204);
    const request = servers.kept.at(-1);
    if (request === undefined) throw new Error("a request");
    expect([await request.again(), await request.ended()]).toEqual([request.caller, undefined]);
    return request;
  }

  async function opened(
    email: string,
  ): Promise<{ person: Person; own: Lasting; other: Lasting; second: string }> {
    const person = await here.signup(email);
    const { token, session } = await here.login(email);
    return {
      person,
      own: await open({ token: person.token }),
      other: await open({ token }),
      second: session,
    };
  }

  async function well(method: string, path: string, sent: Sent): Promise<void> {
    expect((await here.send(method, path, sent)).status, path).toBeLessThan(300);
  }

  async function expectEnd(request: Lasting, reason: Awaited<ReturnType<Lasting["ended"]>>): Promise<void> {
    expect([await request.again(), await request.ended()]).toEqual(["refused", reason]);
  }

  async function expectNoEnd(request: Lasting): Promise<void> {
    expect(await request.again()).toMatchObject({ kind: request.caller.kind, actor: request.caller.actor });
    expect(await request.ended()).toBeUndefined();
  }

  describe("Realtime stream events 6: why a session has ended", () => {
    it("signed_out: its own logout, and no other session's", async () => {
      const { person, own, other } = await opened("out@example.com");
      await well("POST", "/_auth/logout", { token: person.token });
      await expectEnd(own, "signed_out");
      await expectNoEnd(other);
    });

    it("signed_out: ended by itself by its id", async () => {
      const { person, own } = await opened("own@example.com");
      await well("DELETE", `/_auth/sessions/${person.session}`, { token: person.token });
      await expectEnd(own, "signed_out");
    });

    it("signed_out: a cookie's session, whose caller is anonymous from then on", async () => {
      const { email } = await here.signup("cookie@example.com");
      const body = { email, password, cookie: true };
      const { headers } = await here.send("POST", "/_auth/login", { body, headers: { origin } });
      const sent = { cookie: headers.get("set-cookie")?.split(";")[0] ?? "", headers: { origin } };
      const request = await open(sent);
      expect(isSession(request.caller)).toBe(true);
      await well("POST", "/_auth/logout", sent);
      expect([await request.again(), await request.ended()]).toMatchObject([
        { kind: "anonymous" },
        "signed_out",
      ]);
    });

    it("revoked: ended by its owner from another session, one or all", async () => {
      const { person, own, other, second } = await opened("elsewhere@example.com");
      await well("DELETE", `/_auth/sessions/${second}`, { token: person.token });
      await expectEnd(other, "revoked");
      const third = await open({ token: (await here.login(person.email)).token });
      await well("DELETE", "/_auth/sessions", { token: person.token });
      await expectEnd(third, "revoked");
      await expectNoEnd(own);
    });

    it("revoked: another password, but for the session that changed it", async () => {
      const { person, own, other } = await opened("changed@example.com");
      const body = { current: password, new: "battery staple" };
      await well("POST", "/_auth/password/change", { token: person.token, body });
      await expectEnd(other, "revoked");
      await expectNoEnd(own);
    });

    it("revoked: a password reset", async () => {
      const { person, own, other } = await opened("reset@example.com");
      await well("POST", "/_auth/password/forgot", { body: { email: person.email } });
      const mailed = await Promise.race([here, servers.there].map((server) => server.mailTo(person.email)));
      const body = { token: tokenIn(mailed.text), password: "battery staple" };
      await well("POST", "/_auth/password/reset", { body });
      for (const request of [own, other]) await expectEnd(request, "revoked");
    });

    it("revoked: by an administrator", async () => {
      const { person, own } = await opened("ended@example.com");
      await well("DELETE", `/_admin/users/${person.id}/sessions`, { token: admin });
      await expectEnd(own, "revoked");
    });

    it("disabled: the account is, and revoked when it is no longer", async () => {
      const { person, own } = await opened("disabled@example.com");
      const patch = (disabled: boolean) =>
        well("PATCH", `/_admin/users/${person.id}`, { token: admin, body: { disabled } });
      await patch(true);
      await expectEnd(own, "disabled");
      await patch(false);
      await expectEnd(own, "revoked");
    });

    it("deleted: the account is, by its owner or an administrator", async () => {
      const { person, own, other } = await opened("deleted@example.com");
      const headers = { "x-svc-reauth": await here.reauth(person) };
      await well("DELETE", "/_auth/me", { token: person.token, headers });
      for (const request of [own, other]) await expectEnd(request, "deleted");
      const second = await opened("removed@example.com");
      await well("DELETE", `/_admin/users/${second.person.id}`, { token: admin });
      await expectEnd(second.own, "deleted");
    });

    it("nothing: its roles changed, its profile too", async () => {
      const { person, own } = await opened("roles@example.com");
      await well("PATCH", `/_admin/users/${person.id}`, { token: admin, body: { roles: ["agent"] } });
      await expectNoEnd(own);
    });
  });

  describe("Realtime stream events 6: a session that signed out", () => {
    const listed = async (person: Person, token: string) => [
      (await here.send("GET", "/_auth/sessions", { token })).body,
      (await here.send("GET", `/_admin/users/${person.id}/sessions`, { token: admin })).body,
    ];

    it("is in no list, is not found, and cannot be ended again", async () => {
      const { person, other, second } = await opened("listed@example.com");
      const { token } = await here.login(person.email);
      await well("POST", "/_auth/logout", { token: person.token });
      for (const list of await listed(person, token)) {
        expect(list).toMatchObject({ items: [{ id: second }, { id: expect.any(String) }], has_more: false });
        expect(JSON.stringify(list)).not.toContain(person.session);
      }
      const again = await here.send("DELETE", `/_auth/sessions/${person.session}`, { token });
      expect(again.status).toBe(404);
      await well("DELETE", "/_auth/sessions", { token });
      await expectEnd(other, "revoked");
      const filter = eq(sessionFields.user, person.id);
      const stored = here.store("shop").collection(collections.sessions);
      expect(await stored.count(filter, "all")).toBe(1);
    });

    it("leaves nothing of its user, and after ten minutes nothing at all", async () => {
      const { person, own } = await opened("trace@example.com");
      await well("POST", "/_auth/logout", { token: person.token });
      if (!isSession(own.caller)) throw new Error("a session");
      const { hash } = own.caller.credential;
      const sessions = here.store("shop").collection(collections.sessions);
      expect((await sessions.get(hash, "deleted"))?.text).toBe(JSON.stringify({ id: hash }));
      servers.advance(10 * minute - 1);
      await expectEnd(own, "signed_out");
      servers.advance(1);
      await expectEnd(own, "revoked");
      await sessions.removeExpired(1_000);
      const left = await sessions.find({ filter: TRUE, visibility: "all", limit: 1_000, skip: 0 });
      expect(left.map(({ id }) => id)).not.toContain(hash);
    });

    it("is raced with another end of it: it is one of both", async () => {
      for (let round = 0; round < 5; round += 1) {
        const { person, own, second } = await opened(`raced-${round}@example.com`);
        const { token } = await here.login(person.email);
        await Promise.all([
          here.send("POST", "/_auth/logout", { token: person.token }),
          servers.there.send("DELETE", `/_auth/sessions/${person.session}`, { token }),
        ]);
        expect(await own.again()).toBe("refused");
        expect(["signed_out", "revoked"]).toContain(await own.ended());
        for (const list of await listed(person, token))
          expect(list).toMatchObject({ items: [{ id: second }, {}], has_more: false });
      }
    });
  });

  describe("Realtime stream events 6: why a key has ended", () => {
    it("revoked: removed, also while it acts for a user, or replaced", async () => {
      const { person } = await opened("acted@example.com");
      const token = await here.key({ name: "removed", onBehalfOf: true });
      const request = await open({ token });
      const acting = await open({ token, headers: { "x-svc-on-behalf-of": person.id } });
      const { keyId } = await storedKey("removed");
      await well("DELETE", `/_admin/keys/${keyId}`, { token: admin });
      for (const one of [request, acting]) await expectEnd(one, "revoked");
      const former = await open({ token: await here.key({ name: "replaced" }) });
      await here.key({ name: "replaced", replace: true });
      await expectEnd(former, "revoked");
    });

    it("revoked: its networks hold the caller's address no longer", async () => {
      const token = await here.key({ name: "narrowed", networks: ["127.0.0.1", "::1"] });
      const request = await open({ token });
      const { record, version } = await storedKey("narrowed");
      const narrowed = writeKey({ ...record, networks: ["192.0.2.0/24"] }, version + 1);
      await here.store("shop").collection(collections.keys).replace(version, narrowed);
      await expectEnd(request, "revoked");
    });

    it("disabled, deleted: the user whom it acts for", async () => {
      const token = await here.key({ name: "delegate", onBehalfOf: true });
      const { person } = await opened("for@example.com");
      const request = await open({ token, headers: { "x-svc-on-behalf-of": person.id } });
      const own = await open({ token });
      const patch = { token: admin, body: { disabled: true } };
      await well("PATCH", `/_admin/users/${person.id}`, patch);
      await expectEnd(request, "disabled");
      await well("DELETE", `/_admin/users/${person.id}`, { token: admin });
      await expectEnd(request, "deleted");
      await expectNoEnd(own);
    });

    async function storedKey(name: string) {
      const found = await findOne(here.store("shop"), collections.keys, eq(keyFields.name, name));
      if (found === undefined) throw new Error(`no key ${name}`);
      const read = readKey(found);
      return { ...read, keyId: read.record.key };
    }
  });

  describe("Realtime stream events 7: lifetimes", () => {
    it("expiry is the session's, or the key's, whoever it acts for; there need not be one", async () => {
      const { person, own } = await opened("expiry@example.com");
      const now = here.clock.now();
      expect(own.expiry).toBe(now + 30 * day);
      const brief = await here.key({ name: "brief", onBehalfOf: true, expiresAt: now + day });
      const acting = await open({ token: brief, headers: { "x-svc-on-behalf-of": person.id } });
      expect(acting.expiry).toBe(now + day);
      expect((await open({ token: brief })).expiry).toBe(now + day);
      for (const sent of [{ token: await here.key({ name: "lasting" }) }, {}])
        expect((await open(sent)).expiry).toBe(Number.POSITIVE_INFINITY);
      servers.advance(day);
      await expectEnd(acting, undefined);
      const patch = { token: admin, body: { disabled: true } };
      await well("PATCH", `/_admin/users/${person.id}`, patch);
      await expectEnd(acting, undefined);
    });

    it("a session whose lifetime is over has not ended for another reason", async () => {
      const { person, own } = await opened("over@example.com");
      await well("POST", "/_auth/logout", { token: person.token });
      servers.advance(30 * day);
      await expectEnd(own, undefined);
    });

    it("a session that is used in the meantime does not idle, here nor elsewhere; one that is not does", async () => {
      const { person, own, other } = await opened("idle@example.com");
      const status = async () => (await here.send("GET", "/whoami", { token: person.token })).status;
      for (let n = 0; n < 3; n += 1) {
        servers.advance(3 * day);
        own.used();
        const now = new Date(here.clock.now()).toISOString();
        // Uses are recorded in the background.
        await expect.poll(() => lastUse(person.session)).toBe(now);
      }
      expect(await status()).toBe(200);
      await expectNoEnd(own);
      expect(await other.again()).toBe("refused");
      expect(await other.ended()).toBeUndefined();
    });

    async function lastUse(session: string): Promise<string | undefined> {
      const found = await findOne(
        here.store("shop"),
        collections.sessions,
        eq(sessionFields.session, session),
      );
      return found && readSession(found).record.last_used_at;
    }
  });
}
