import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustHops } from "../../http/address.ts";
import { collections } from "../collections.ts";
import { newToken } from "../credentials/tokens.ts";
import { readSession, readUser, writeUser } from "../records.ts";
import {
  type Accounts,
  day,
  minute,
  type Person,
  password,
  startAccounts,
  text,
} from "../testing/accounts.ts";
import { secondFactor, totpCode } from "../testing/factor.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({}, { settings: { addressOf: trustHops(1) } });
});
afterAll(() => server.stop());

/** An account with a verified address. */
async function signup(email: string, realm = "shop"): Promise<Person> {
  const person = await server.signup(email, realm);
  await server.verify(person, realm);
  return person;
}

/** The status of a sensitive operation with this proof. */
async function attempt(token: string, proof: string | undefined, realm = "shop"): Promise<number> {
  const headers: Record<string, string> = proof === undefined ? {} : { "x-svc-reauth": proof };
  const { status, body } = await server.send("POST", "/_auth/mfa/totp", { token, headers }, realm);
  if (status === 401) expect(body).toMatchObject({ error: { code: "reauth_required" } });
  return status;
}

const reauth = (token: string, body: Record<string, string>, from = "192.0.2.1") =>
  server.send("POST", "/_auth/reauth", { token, body, headers: { "x-forwarded-for": from } });

describe("POST /reauth", () => {
  it("200 {proof, expires_at} for the password: good for 5 minutes, as often as needed", async () => {
    const { token } = await signup("ada@example.com");
    const { status, body, headers } = await reauth(token, { password });
    expect(status).toBe(200);
    expect(body).toEqual({
      proof: expect.stringMatching(/^svp_/),
      expires_at: new Date(server.clock.now() + 5 * minute).toISOString(),
    });
    expect(headers.get("cache-control")).toBe("no-store");
    const proof = text(body, "proof");
    expect(await attempt(token, proof)).toBe(201);
    server.clock.advance(5 * minute - 1);
    expect(await attempt(token, proof)).toBe(201);
    server.clock.advance(1);
    expect(await attempt(token, proof)).toBe(401);
  });

  it("401 invalid_credentials: a wrong password, and a code where there is no second factor", async () => {
    const { token } = await signup("bea@example.com");
    for (const body of [{ password: "wrong horse" }, { code: "123456" }, { password: "" }]) {
      expect(await reauth(token, body)).toMatchObject({
        status: 401,
        body: { error: { code: "invalid_credentials" } },
      });
    }
    expect((await reauth(token, { password, code: "123456" })).status).toBe(200);
  });

  it("400 validation_error: neither a password nor a code, mistyped and unknown members", async () => {
    const { token } = await signup("cat@example.com");
    const answer = await server.send("POST", "/_auth/reauth", { token, body: { code: 1, mfa: true } });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        error: {
          code: "validation_error",
          details: [
            { path: "code", reason: "must be a string or null" },
            { path: "password", reason: "is required, or else code" },
            { path: "mfa", reason: "unknown member" },
          ],
        },
      },
    });
  });

  it("needs a session: 401 without a credential, 403 for an API key", async () => {
    const body = { password };
    expect((await server.send("POST", "/_auth/reauth", { body })).status).toBe(401);
    expect(
      (await server.send("POST", "/_auth/reauth", { body, token: await server.adminKey() })).status,
    ).toBe(403);
  });

  it("with a second factor: mfa_required for a password alone, a code or a recovery code does, each once", async () => {
    const person = await signup("dot@example.com");
    const { secret, recovery } = await secondFactor(server, person);
    const other = await server.login("dot@example.com", "shop", { code: recovery[0] ?? "" });
    server.clock.advance(minute);
    expect((await reauth(other.token, { password })).body).toMatchObject({ error: { code: "mfa_required" } });
    const code = totpCode(secret, server.clock.now());
    const wrongPassword = await reauth(other.token, { password: "wrong horse", code });
    expect(wrongPassword.body).toMatchObject({ error: { code: "invalid_credentials" } });
    expect((await reauth(other.token, { code })).status).toBe(200);
    expect((await reauth(other.token, { code })).body).toMatchObject({
      error: { code: "invalid_credentials" },
    });
    expect((await reauth(other.token, { code: recovery[1] ?? "" })).status).toBe(200);
    expect((await reauth(other.token, { code: recovery[1] ?? "" })).status).toBe(401);
    expect((await reauth(other.token, { code: recovery[0] ?? "" })).status).toBe(401);
  });

  it("a code makes the session one with a second factor, which a password did not", async () => {
    const person = await signup("eva@example.com");
    const other = await server.login("eva@example.com");
    const { recovery } = await secondFactor(server, person);
    const mfa = async (token: string) => (await server.send("GET", "/whoami", { token })).body;
    expect(await mfa(other.token)).toMatchObject({ user: { mfa: false } });
    expect((await reauth(other.token, { code: recovery[0] ?? "" })).status).toBe(200);
    expect(await mfa(other.token)).toMatchObject({ user: { mfa: true } });
  });

  it("restores an administration that has lapsed, at once", async () => {
    const { token } = await server.person("fox@example.com", ["boss"]);
    const look = () => server.send("GET", "/_admin/users?limit=1", { token });
    expect((await look()).status).toBe(200);
    server.clock.advance(15 * minute);
    expect(await look()).toMatchObject({ status: 401, body: { error: { code: "reauth_required" } } });
    expect((await reauth(token, { password })).status).toBe(200);
    expect((await look()).status).toBe(200);
  });

  it("a user without a password proves nothing by one", async () => {
    const { id, token } = await signup("gus@example.com");
    await change(id, { password: null });
    for (const body of [{ password }, { password: "" }])
      expect((await reauth(token, body)).body).toMatchObject({ error: { code: "invalid_credentials" } });
  });
});

describe("The throttle of proofs", () => {
  it("counts together with failed logins: 429 also for what is right", async () => {
    const { token } = await signup("hal@example.com");
    const from = { "x-forwarded-for": "192.0.2.7" };
    const wrongLogin = { email: "HAL@example.com", password: "wrong horse" };
    for (let n = 0; n < 5; n += 1) {
      expect((await reauth(token, { password: "wrong horse" }, "192.0.2.7")).status).toBe(401);
      await server.send("POST", "/_auth/login", { body: wrongLogin, headers: from });
    }
    const { status, body, headers } = await reauth(token, { password }, "192.0.2.7");
    expect(status).toBe(429);
    expect(body).toMatchObject({ error: { code: "too_many_requests" } });
    expect(headers.get("retry-after")).toBe("900");
    const login = { email: "hal@example.com", password };
    expect((await server.send("POST", "/_auth/login", { body: login, headers: from })).status).toBe(429);
    server.clock.advance(15 * minute);
    expect((await reauth(token, { password }, "192.0.2.7")).status).toBe(200);
  });

  it("parallel codes learn no more than the limit; mfa_required does not count", async () => {
    const person = await signup("ida@example.com");
    await secondFactor(server, person);
    const asked = Array.from({ length: 12 }, () => reauth(person.token, { password }, "192.0.2.8"));
    for (const { body } of await Promise.all(asked))
      expect(body).toMatchObject({ error: { code: "mfa_required" } });
    const guesses = Array.from({ length: 24 }, (_, n) =>
      reauth(person.token, { code: `${n}`.padStart(16, "a") }, "192.0.2.8"),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(14);
  });
});

describe("Authentication 8: proof of identity", () => {
  it("without one 401 reauth_required, with a malformed one too, and with tokens that are none", async () => {
    const { token } = await signup("jan@example.com");
    const proof = await server.reauth({ token });
    for (const sent of [
      undefined,
      "",
      "svp_",
      proof.slice(0, -1),
      `${proof} `.repeat(2),
      `Bearer ${proof}`,
      token,
    ])
      expect(await attempt(token, sent)).toBe(401);
    for (const kind of ["svp", "svs", "svt", "svi"] as const)
      expect(await attempt(token, newToken(kind))).toBe(401);
    expect(await attempt(token, `${proof}, ${proof}`)).toBe(401);
    expect(await attempt(token, proof)).toBe(201);
  });

  it("is bound to its session: no other of the same user, none of another, none of another realm", async () => {
    const { token } = await signup("kai@example.com");
    const proof = await server.reauth({ token });
    const other = await server.login("kai@example.com");
    const stranger = await signup("leo@example.com");
    const elsewhere = await signup("kai@example.com", "other");
    expect(await attempt(other.token, proof)).toBe(401);
    expect(await attempt(stranger.token, proof)).toBe(401);
    expect(await attempt(elsewhere.token, proof, "other")).toBe(401);
    expect(await attempt(token, proof)).toBe(201);
  });

  it("a newer one of the session ends the older; two sessions have one each", async () => {
    const { token } = await signup("mia@example.com");
    const other = await server.login("mia@example.com");
    const older = await server.reauth({ token });
    const others = await server.reauth(other);
    const newer = await server.reauth({ token });
    expect(await attempt(token, older)).toBe(401);
    expect(await attempt(token, newer)).toBe(201);
    expect(await attempt(other.token, others)).toBe(201);
  });

  it("of several asked for at once one stands", async () => {
    const { token } = await signup("ned@example.com");
    const proofs = await Promise.all(Array.from({ length: 4 }, () => server.reauth({ token })));
    const statuses = await Promise.all(proofs.map((proof) => attempt(token, proof)));
    expect(statuses.sort()).toEqual([201, 401, 401, 401]);
  });

  it("ends when the password is changed, also for the session that goes on", async () => {
    const { token } = await signup("oda@example.com");
    const proof = await server.reauth({ token });
    const body = { current: password, new: "another horse" };
    expect((await server.send("POST", "/_auth/password/change", { token, body })).status).toBe(204);
    expect(await attempt(token, proof)).toBe(401);
    const again = await server.reauth({ token }, "shop", { password: "another horse" });
    expect(await attempt(token, again)).toBe(201);
  });

  it("Authentication 8: one by a password alone takes no second factor away that was enrolled since", async () => {
    const person = await signup("quincy@example.com");
    const { token } = await server.login("quincy@example.com");
    const before = await server.reauth({ token });
    const { recovery } = await secondFactor(server, person);
    for (const [method, path] of [
      ["POST", "/_auth/mfa/totp"],
      ["DELETE", "/_auth/mfa/totp"],
      ["DELETE", "/_auth/me"],
    ] as const) {
      const answer = await server.send(method, path, { token, headers: { "x-svc-reauth": before } });
      expect(answer).toMatchObject({ status: 401, body: { error: { code: "reauth_required" } } });
    }
    expect(await attempt(token, await server.reauth({ token }, "shop", { code: recovery[0] ?? "" }))).toBe(
      201,
    );
  });

  it("Authentication 8: nor where its session used an earlier second factor", async () => {
    const person = await signup("rhea@example.com");
    const other = await server.login("rhea@example.com");
    const former = await secondFactor(server, { ...person, ...other });
    const proof = await server.reauth(other, "shop", { code: former.recovery[0] ?? "" });
    const headers = { "x-svc-reauth": proof };
    expect((await server.send("DELETE", "/_auth/mfa/totp", { token: other.token, headers })).status).toBe(
      204,
    );
    const before = await server.reauth(other);
    await secondFactor(server, person);
    expect(await attempt(other.token, before)).toBe(401);
  });

  it("is stored as a hash alone", async () => {
    const { token } = await signup("pia@example.com");
    const proof = await server.reauth({ token });
    const stored = await server.store("shop").collection(collections.tokens).scan(undefined, 1_000);
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(proof.slice(4));
  });
});

it("a proof is written into the record of its session", async () => {
  const { token, session } = await signup("quin@example.com");
  server.clock.advance(day);
  await server.reauth({ token });
  const records = await server.store("shop").collection(collections.sessions).scan(undefined, 1_000);
  const record = records.map((write) => readSession(write).record).find((one) => one.session === session);
  const now = new Date(server.clock.now()).toISOString();
  expect(record).toMatchObject({ mfa: false, proved_at: now, administered_at: now });
});

async function change(id: string, members: { readonly password: null }): Promise<void> {
  const users = server.store("shop").collection(collections.users);
  const document = await users.get(id, "live");
  if (document === undefined) throw new Error("no user");
  const { record, version } = readUser(document);
  await users.replace(version, writeUser({ ...record, ...members }, version + 1));
}
