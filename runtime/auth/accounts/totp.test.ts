import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trustHops } from "../../http/address.ts";
import { collections } from "../collections.ts";
import { readAudit, readUser } from "../records.ts";
import {
  type Accounts,
  minute,
  type Person,
  password,
  type Received,
  startAccounts,
  text,
} from "../testing/accounts.ts";
import { recoveryCodes, secondFactor, totpCode } from "../testing/factor.ts";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({}, { settings: { addressOf: trustHops(1) } });
});
afterAll(() => server.stop());

const second = 1_000;

/** An account with a verified address. */
async function signup(email: string, realm = "shop"): Promise<Person> {
  const person = await server.signup(email, realm);
  await server.verify(person, realm);
  return person;
}

async function enroll(person: Pick<Person, "token">, proofBody?: { code: string }): Promise<string> {
  const proof = await server.reauth(person, "shop", proofBody);
  const { token } = person;
  const answer = await server.send("POST", "/_auth/mfa/totp", { token, headers: { "x-svc-reauth": proof } });
  expect(answer.status).toBe(201);
  return text(answer.body, "secret");
}

const confirm = ({ token }: Pick<Person, "token">, code: string, from = "192.0.2.1") =>
  server.send("POST", "/_auth/mfa/totp/confirm", {
    token,
    body: { code },
    headers: { "x-forwarded-for": from },
  });

const now = (secret: string, later = 0) => totpCode(secret, server.clock.now() + later);

const login = (email: string, more: Record<string, string> = {}, from = "192.0.2.1") =>
  server.send("POST", "/_auth/login", {
    body: { email, password, ...more },
    headers: { "x-forwarded-for": from },
  });

const code = ({ body }: Received) => text(body, "error", "code");
const statuses = (answers: readonly Received[]) => answers.map(({ status }) => status).sort();

async function storedUser({ id }: Pick<Person, "id">) {
  const document = await server.store("shop").collection(collections.users).get(id, "live");
  if (document === undefined) throw new Error("no user");
  return { text: document.text, ...readUser(document).record };
}

async function audited({ id }: Pick<Person, "id">) {
  const records = await server.store("shop").collection(collections.audit).scan(undefined, 1_000);
  return records
    .map((write) => readAudit(write).record)
    .filter(({ target, action }) => target === `user:${id}` && action.startsWith("mfa."));
}

describe("POST /mfa/totp and /mfa/totp/confirm", () => {
  it("201 {secret, uri}, then 200 {recovery_codes}: the user has a second factor, the session used it", async () => {
    const person = await signup("ada@example.com");
    const { token } = person;
    const headers = { "x-svc-reauth": await server.reauth(person) };
    const enrolled = await server.send("POST", "/_auth/mfa/totp", { token, headers });
    expect(enrolled.status).toBe(201);
    expect(enrolled.headers.get("cache-control")).toBe("no-store");
    const secret = text(enrolled.body, "secret");
    expect(enrolled.body).toEqual({ secret, uri: expect.stringMatching(/^otpauth:\/\/totp\/shop:ada/) });
    expect(new URL(text(enrolled.body, "uri")).searchParams.get("secret")).toBe(secret);
    expect((await server.send("GET", "/_auth/me", { token })).body).toMatchObject({ mfa: false });
    expect((await login("ada@example.com")).status).toBe(200);

    const confirmed = await confirm(person, now(secret));
    expect(confirmed.status).toBe(200);
    expect(confirmed.body).toEqual({
      recovery_codes: Array(10).fill(expect.stringMatching(/^(\w{4}-){3}\w{4}$/)),
    });
    expect((await server.send("GET", "/_auth/me", { token })).body).toMatchObject({ mfa: true });
    expect((await server.send("GET", "/whoami", { token })).body).toMatchObject({ user: { mfa: true } });
  });

  it("Authentication 8: enrolling and removing need a proof of identity: 401 reauth_required", async () => {
    const { token } = await signup("bea@example.com");
    expect(code(await server.send("POST", "/_auth/mfa/totp", { token }))).toBe("reauth_required");
    expect(code(await server.send("DELETE", "/_auth/mfa/totp", { token }))).toBe("reauth_required");
  });

  it("a wrong code is 401 invalid_credentials, and the enrolment waits on", async () => {
    const person = await signup("cat@example.com");
    const secret = await enroll(person);
    for (const wrong of [
      now(secret, -61 * second),
      now(secret, 61 * second),
      "12345",
      "",
      "abcd-efgh-ijkm-npqr",
    ])
      expect(code(await confirm(person, wrong))).toBe("invalid_credentials");
    expect((await confirm(person, now(secret, 30 * second))).status).toBe(200);
  });

  it("400 validation_error: nothing waits to be confirmed, no code, unknown members", async () => {
    const person = await signup("dot@example.com");
    expect((await confirm(person, "123456")).body).toMatchObject({
      error: { code: "validation_error", details: [{ path: "code" }] },
    });
    const { token } = person;
    const body = { secret: "x" };
    expect((await server.send("POST", "/_auth/mfa/totp/confirm", { token, body })).body).toMatchObject({
      error: { code: "validation_error", details: [{ path: "code" }, { path: "secret" }] },
    });
  });

  it("the code that confirms cannot log in as well; the next one can", async () => {
    const person = await signup("eva@example.com");
    const secret = await enroll(person);
    const used = now(secret);
    await confirm(person, used);
    expect(code(await login("eva@example.com", { code: used }))).toBe("invalid_credentials");
    expect((await login("eva@example.com", { code: now(secret, 30 * second) })).status).toBe(200);
  });

  it("of two parallel confirmations one succeeds", async () => {
    const person = await signup("fox@example.com");
    const used = now(await enroll(person));
    const answers = await Promise.all([confirm(person, used), confirm(person, used)]);
    expect(statuses(answers)).toEqual([200, 400]);
    const given = answers.flatMap(({ body }) => recoveryCodes(body));
    const left = (await storedUser(person)).totp?.recovery;
    expect([given.length, left?.length]).toEqual([10, 10]);
    expect((await login("fox@example.com", { code: given[0] ?? "" })).status).toBe(200);
  });

  it("wrong codes count for the throttle: 429 from the 11th on, for the right one too", async () => {
    const person = await signup("gus@example.com");
    const secret = await enroll(person);
    const guesses = Array.from({ length: 20 }, () => confirm(person, "abcdef", "192.0.2.9"));
    const answered = statuses(await Promise.all(guesses));
    expect(answered).toEqual([...Array(10).fill(401), ...Array(10).fill(429)]);
    expect((await confirm(person, now(secret), "192.0.2.9")).status).toBe(429);
    server.clock.advance(15 * minute);
    expect((await confirm(person, now(secret), "192.0.2.9")).status).toBe(200);
  });

  it("a new password ends an enrolment that waits, and so does ending all sessions or disabling the user", async () => {
    const admin = await server.adminKey();
    for (const [method, path, body] of [
      ["POST", "/_auth/password/change", { current: password, new: "another horse" }],
      ["DELETE", "/_admin/users/:id/sessions", undefined],
      ["PATCH", "/_admin/users/:id", { disabled: true }],
    ] as const) {
      const person = await signup(`pending-${method.toLowerCase()}@example.com`);
      await enroll(person);
      expect((await storedUser(person)).totp_pending).not.toBeNull();
      const token = path.startsWith("/_auth") ? person.token : admin;
      const sent = body === undefined ? { token } : { token, body };
      expect((await server.send(method, path.replace(":id", person.id), sent)).status).toBeLessThan(300);
      expect((await storedUser(person)).totp_pending, method).toBeNull();
    }
  });

  it("a newer enrolment ends the older; replacing ends the former factor and its recovery codes", async () => {
    const person = await signup("hal@example.com");
    const first = await secondFactor(server, person);
    const proof = { code: first.recovery[0] ?? "" };
    const forgotten = await enroll(person, proof);
    const secret = await enroll(person, { code: first.recovery[1] ?? "" });
    server.clock.advance(minute);
    // Until it is confirmed the former one counts.
    expect((await login("hal@example.com", { code: now(first.secret) })).status).toBe(200);
    expect((await confirm(person, now(forgotten))).status).toBe(401);
    expect((await confirm(person, now(secret))).status).toBe(200);
    server.clock.advance(minute);
    expect((await login("hal@example.com", { code: now(first.secret) })).status).toBe(401);
    expect((await login("hal@example.com", { code: first.recovery[2] ?? "" })).status).toBe(401);
    expect((await login("hal@example.com", { code: now(secret) })).status).toBe(200);
    expect((await audited(person)).filter(({ action }) => action === "mfa.enroll")).toMatchObject([
      { actor: `user:${person.id}`, details: { replaced: false } },
      { actor: `user:${person.id}`, details: { replaced: true } },
    ]);
  });

  it("only sealed secrets and hashes of codes are stored, and nothing of them is audited or logged", async () => {
    const person = await signup("ida@example.com");
    const pending = await enroll(person);
    expect((await storedUser(person)).text).not.toContain(pending);
    const { secret, recovery } = await secondFactor(server, person);
    const everywhere = `${(await storedUser(person)).text}${JSON.stringify(await audited(person))}${JSON.stringify(server.logs)}`;
    for (const told of [secret, ...recovery, ...recovery.map((one) => one.replaceAll("-", ""))])
      expect(everywhere).not.toContain(told);
  });
});

describe("Somebody else's second factor", () => {
  const attempt = async ({ token }: Pick<Person, "token">) =>
    server.send("POST", "/_auth/mfa/totp", {
      token,
      headers: { "x-svc-reauth": await server.reauth({ token }) },
    });
  const forbidden = { status: 403, body: { error: { code: "forbidden" } } };

  it("is enrolled only with a verified address: 403 forbidden", async () => {
    const squatter = await server.signup("stranger@example.com");
    expect(await attempt(squatter)).toMatchObject(forbidden);
    expect((await storedUser(squatter)).totp_pending).toBeNull();
    await server.verify(squatter);
    expect((await attempt(squatter)).status).toBe(201);
  });

  it("nor confirmed where the address is not verified any more", async () => {
    const person = await signup("moving@example.com");
    const secret = await enroll(person);
    const sent = { token: await server.adminKey(), body: { email: "moved@example.com" } };
    expect((await server.send("PATCH", `/_admin/users/${person.id}`, sent)).body).toMatchObject({
      email_verified: false,
    });
    expect(await confirm(person, now(secret))).toMatchObject(forbidden);
    expect((await storedUser(person)).totp).toBeNull();
  });
});

describe("POST /mfa/recovery_codes", () => {
  const renew = (token: string, proof?: string) =>
    server.send("POST", "/_auth/mfa/recovery_codes", {
      token,
      ...(proof !== undefined && { headers: { "x-svc-reauth": proof } }),
    });

  it("200 with ten new ones: they count, those that were left do not, the app stays; audited", async () => {
    const person = await signup("rae@example.com");
    const { secret, recovery } = await secondFactor(server, person);
    const proof = await server.reauth(person, "shop", { code: recovery[0] ?? "" });
    const answer = await renew(person.token, proof);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      recovery_codes: Array(10).fill(expect.stringMatching(/^(\w{4}-){3}\w{4}$/)),
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const fresh = recoveryCodes(answer.body);
    expect(code(await login("rae@example.com", { code: recovery[1] ?? "" }))).toBe("invalid_credentials");
    expect((await login("rae@example.com", { code: fresh[0] ?? "" })).status).toBe(200);
    server.clock.advance(minute);
    expect((await login("rae@example.com", { code: now(secret) })).status).toBe(200);
    const { text: stored } = await storedUser(person);
    const trail = await audited(person);
    expect(trail.map(({ action }) => action)).toContain("mfa.recovery_codes");
    for (const told of fresh) expect(`${stored}${JSON.stringify(trail)}`).not.toContain(told);
  });

  it("401 without a fresh proof, of a session that used the factor; 404 where there is no second factor", async () => {
    const person = await signup("sue@example.com");
    expect(code(await renew(person.token))).toBe("reauth_required");
    const before = await server.reauth(person);
    expect(await renew(person.token, before)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found" } },
    });
    const { token } = await server.login("sue@example.com");
    const passed = await server.reauth({ token });
    await secondFactor(server, person);
    expect(code(await renew(token, passed))).toBe("reauth_required");
  });
});

describe("DELETE /mfa/totp", () => {
  const remove = async (person: Pick<Person, "token">, proof: string) =>
    server.send("DELETE", "/_auth/mfa/totp", { token: person.token, headers: { "x-svc-reauth": proof } });

  it("204: the account has no second factor any more, and no session one", async () => {
    const person = await signup("jan@example.com");
    const { recovery } = await secondFactor(server, person);
    const proof = await server.reauth(person, "shop", { code: recovery[0] ?? "" });
    expect((await remove(person, proof)).status).toBe(204);
    const { token } = person;
    expect((await server.send("GET", "/whoami", { token })).body).toMatchObject({ user: { mfa: false } });
    expect((await server.send("GET", "/_auth/me", { token })).body).toMatchObject({ mfa: false });
    expect((await login("jan@example.com")).status).toBe(200);
    expect((await storedUser(person)).totp).toBeNull();
    expect((await audited(person)).map(({ action }) => action)).toEqual([
      "mfa.enroll",
      "mfa.recovery",
      "mfa.remove",
    ]);
  });

  it("takes back an enrolment that waits too; 404 where there is neither", async () => {
    const person = await signup("kai@example.com");
    const secret = await enroll(person);
    const proof = await server.reauth(person);
    expect((await remove(person, proof)).status).toBe(204);
    expect((await confirm(person, now(secret))).status).toBe(400);
    expect(await remove(person, proof)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found" } },
    });
    expect(await audited(person)).toEqual([]);
  });
});

describe("Login with a second factor", () => {
  it("the right password without a code is 401 mfa_required, a wrong one says nothing of it", async () => {
    const person = await signup("leo@example.com");
    const { secret } = await secondFactor(server, person);
    server.clock.advance(minute);
    expect(await login("leo@example.com")).toMatchObject({
      status: 401,
      body: { error: { code: "mfa_required" } },
    });
    expect(code(await login("leo@example.com", { password: "wrong horse" }))).toBe("invalid_credentials");
    expect(code(await login("leo@example.com", { code: "000000", password: "wrong horse" }))).toBe(
      "invalid_credentials",
    );
    const { status, body } = await login("leo@example.com", { code: now(secret) });
    expect([status, body]).toMatchObject([200, { user: { mfa: true } }]);
    const token = text(body, "session", "token");
    expect((await server.send("GET", "/whoami", { token })).body).toMatchObject({ user: { mfa: true } });
  });

  it("a code of the app is good once, also for two logins at a time; none before it is good later", async () => {
    const person = await signup("mia@example.com");
    const { secret } = await secondFactor(server, person);
    server.clock.advance(minute);
    const [before, current] = [now(secret, -30 * second), now(secret)];
    const answers = await Promise.all([1, 2, 3].map(() => login("mia@example.com", { code: current })));
    expect(statuses(answers)).toEqual([200, 401, 401]);
    expect((await login("mia@example.com", { code: before })).status).toBe(401);
    expect((await login("mia@example.com", { code: now(secret, 30 * second) })).status).toBe(200);
  });

  it("a recovery code is good once, also for two logins at a time, and audited", async () => {
    const person = await signup("ned@example.com");
    const { recovery } = await secondFactor(server, person);
    const [one = "", other = ""] = recovery;
    const answers = await Promise.all([1, 2, 3].map(() => login("ned@example.com", { code: one })));
    expect(statuses(answers)).toEqual([200, 401, 401]);
    expect((await login("ned@example.com", { code: one })).status).toBe(401);
    expect((await login("ned@example.com", { code: other.toUpperCase().replaceAll("-", "") })).status).toBe(
      200,
    );
    const used = (await audited(person)).filter(({ action }) => action === "mfa.recovery");
    expect(used).toMatchObject([
      { actor: `user:${person.id}`, address: "192.0.2.1", details: { left: 9 } },
      { actor: `user:${person.id}`, details: { left: 8 } },
    ]);
  });

  it("wrong codes count for the throttle, mfa_required does not", async () => {
    const person = await signup("oda@example.com");
    const { secret } = await secondFactor(server, person);
    server.clock.advance(minute);
    for (let n = 0; n < 12; n += 1)
      expect(code(await login("oda@example.com", {}, "192.0.2.5"))).toBe("mfa_required");
    const guesses = Array.from({ length: 15 }, () =>
      login("oda@example.com", { code: "abcdef" }, "192.0.2.5"),
    );
    expect(statuses(await Promise.all(guesses))).toEqual([...Array(10).fill(401), ...Array(5).fill(429)]);
    expect((await login("oda@example.com", { code: now(secret) }, "192.0.2.5")).status).toBe(429);
    expect((await login("oda@example.com", {}, "192.0.2.5")).status).toBe(429);
    expect((await login("oda@example.com", { code: now(secret) }, "192.0.2.6")).status).toBe(200);
  });

  it("a disabled account is 403 after the right password, whatever the code", async () => {
    const person = await signup("pia@example.com");
    const { recovery } = await secondFactor(server, person);
    const token = await server.adminKey();
    await server.send("PATCH", `/_admin/users/${person.id}`, { token, body: { disabled: true } });
    expect((await login("pia@example.com")).status).toBe(403);
    expect((await login("pia@example.com", { code: recovery[0] ?? "" })).status).toBe(403);
    expect((await storedUser(person)).totp?.recovery).toHaveLength(10);
  });

  it("a code is not looked at where there is no second factor", async () => {
    await signup("quin@example.com");
    expect((await login("quin@example.com", { code: "000000" })).status).toBe(200);
  });
});
