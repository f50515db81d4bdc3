import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeMongo, dropTestDatabases, testLocation } from "../../store/mongodb/testing/server.ts";
import { collections } from "../collections.ts";
import {
  type Accounts,
  type AccountsOptions,
  day,
  hour,
  type Person,
  password,
  startAccounts,
  tokenIn,
} from "../testing/accounts.ts";
import { type Lasting, lastingRequests } from "../testing/lasting.ts";
import { makeToken, proved } from "../testing/own-tokens.ts";

/** Tokens are made at `here` and used at `there`, which may be the same. */
interface Servers {
  readonly here: Accounts;
  readonly there: Accounts;
  readonly kept: readonly Lasting[];
  stop(): Promise<void>;
}

function starting(options: AccountsOptions = {}) {
  const { routes, kept } = lastingRequests();
  const tokens = { personal: true, maxLifetime: 30 * day };
  return { kept, start: () => startAccounts({ tokens }, { ...options, routes }) };
}

describe("Personal tokens end", () =>
  endings(async () => {
    const { kept, start } = starting();
    const server = await start();
    return { here: server, there: server, kept, stop: () => server.stop() };
  }));

describeMongo("Personal tokens end on another instance", () =>
  endings(async () => {
    const store = testLocation();
    const { kept, start } = starting({ settings: { store } });
    const [here, there] = [await start(), await start()];
    return {
      here,
      there,
      kept,
      async stop() {
        await Promise.all([here.stop(), there.stop()]);
        await dropTestDatabases(store);
      },
    };
  }),
);

function endings(start: () => Promise<Servers>): void {
  let servers: Servers;
  let here: Accounts;
  let people = 0;
  beforeAll(async () => {
    servers = await start();
    here = servers.here;
  });
  afterAll(() => servers.stop());

  const status = async (token: string) => (await servers.there.send("GET", "/whoami", { token })).status;

  /** Somebody with a token, a key that an operator pinned to them, and a request of each that goes on. */
  async function somebody() {
    people += 1;
    const person = await here.signup(`p${people}@example.com`);
    const { key, id } = await makeToken(here, person);
    const pinned = await here.key({
      name: `pinned ${people}`,
      binding: { kind: "user", user: person.id },
    });
    const open: Lasting[] = [];
    for (const token of [key, pinned]) {
      expect((await servers.there.send("POST", "/lasting", { token })).status).toBe(204);
      open.push(...servers.kept.slice(-1));
    }
    return { person, key, id, pinned, ended: () => Promise.all(open.map((request) => request.ended())) };
  }

  const keysOf = async ({ id }: Person) => {
    const store = here.store("shop").collection(collections.keys);
    const all = await store.scan(undefined, 1_000);
    return all.filter(({ text }) => text.includes(id)).length;
  };

  it("when they are revoked: 401 at the next request, and requests that go on end", async () => {
    const { person, key, id, pinned, ended } = await somebody();
    expect([await status(key), await status(pinned)]).toEqual([200, 200]);
    await here.send("DELETE", `/_auth/tokens/${id}`, { token: person.token });
    expect([await status(key), await status(pinned)]).toEqual([401, 200]);
    expect(await ended()).toEqual(["revoked", undefined]);
  });

  it("with the account, as do keys that are pinned to its user; nothing is left of them", async () => {
    const { person, key, id, pinned, ended } = await somebody();
    await proved(here, person, "POST", `/_auth/tokens/${id}/rotate`);
    expect(await keysOf(person)).toBe(3);
    expect((await proved(here, person, "DELETE", "/_auth/me")).status).toBe(204);
    expect([await status(key), await status(pinned)]).toEqual([401, 401]);
    expect(await ended()).toEqual(["deleted", "deleted"]);
    expect(await keysOf(person)).toBe(0);
  });

  it("when an administrator deletes the account", async () => {
    const { person, key, pinned } = await somebody();
    await here.send("DELETE", `/_admin/users/${person.id}`, { token: await here.adminKey() });
    expect([await status(key), await status(pinned), await keysOf(person)]).toEqual([401, 401, 0]);
  });

  it("at a password reset by mail, tokens alone; not when the password is changed", async () => {
    const { person, key, pinned, ended } = await somebody();
    const change = { current: password, new: password };
    const changed = await here.send("POST", "/_auth/password/change", { token: person.token, body: change });
    expect([changed.status, await status(key)]).toEqual([204, 200]);
    await here.send("POST", "/_auth/password/forgot", { body: { email: person.email } });
    const token = tokenIn((await here.mailTo(person.email)).text);
    const reset = await here.send("POST", "/_auth/password/reset", { body: { token, password } });
    expect(reset.status).toBe(204);
    expect([await status(key), await status(pinned)]).toEqual([401, 200]);
    expect(await ended()).toEqual(["revoked", undefined]);
  });

  it("for as long as the account is disabled", async () => {
    const { person, key, pinned, ended } = await somebody();
    const admin = await here.adminKey();
    const disable = (disabled: boolean) =>
      here.send("PATCH", `/_admin/users/${person.id}`, { token: admin, body: { disabled } });
    await disable(true);
    expect([await status(key), await status(pinned)]).toEqual([401, 401]);
    expect(await ended()).toEqual(["disabled", "disabled"]);
    await disable(false);
    expect([await status(key), await status(pinned)]).toEqual([200, 200]);
  });

  it("at their time", async () => {
    const { person } = await somebody();
    const { key } = await makeToken(here, person, { name: "short", expires_in: "2h" });
    expect(await status(key)).toBe(200);
    for (const server of new Set([here, servers.there])) server.clock.advance(2 * hour);
    expect(await status(key)).toBe(401);
  });

  it("and are made by no session that a reset has ended", async () => {
    const { person } = await somebody();
    const headers = { "x-svc-reauth": await here.reauth(person) };
    await here.send("POST", "/_auth/password/forgot", { body: { email: person.email } });
    const token = tokenIn((await here.mailTo(person.email)).text);
    const make = (n: number) =>
      here.send("POST", "/_auth/tokens", { token: person.token, headers, body: { name: `race ${n}` } });
    const [reset, ...made] = await Promise.all([
      here.send("POST", "/_auth/password/reset", { body: { token, password } }),
      ...[1, 2, 3, 4].map(make),
    ]);
    expect(reset.status).toBe(204);
    for (const { status: answered, body } of made) {
      expect([201, 401]).toContain(answered);
      if (answered === 201) expect(await status(String(body["key"]))).toBe(401);
    }
  });
}
