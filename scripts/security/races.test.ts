/** Two requests at once for what may be had once: exactly one succeeds, and what was ended stays ended. */
import { TOTP } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Accounts,
  minute,
  type Person,
  password,
  startAccounts,
  text,
  tokenIn,
} from "../../runtime/auth/testing/accounts.ts";

const rounds = 20;
const email = { from: "noreply@example.com" };

let server: Accounts;
let operator: string;
beforeAll(async () => {
  server = await startAccounts({ email });
  operator = await server.adminKey();
});
afterAll(() => server.stop());

type Answers = readonly [Awaited<ReturnType<Accounts["send"]>>, Awaited<ReturnType<Accounts["send"]>>];

/** The statuses and codes of both answers, smaller first. */
function outcomes(answers: Answers): readonly string[] {
  return answers
    .map(({ status, body }) => (status < 400 ? String(status) : `${status} ${text(body, "error", "code")}`))
    .sort();
}

/** Rounds are far enough apart that failures and mails are not throttled. */
async function eachRound(round: (n: number) => Promise<void>): Promise<void> {
  for (let n = 0; n < rounds; n += 1) {
    server.clock.advance(61 * minute);
    await round(n);
  }
}

describe("Races: of two parallel uses exactly one succeeds", { timeout: 240_000 }, () => {
  it("of a recovery code at login", async () => {
    const people = [await server.signup("recovering@example.com"), await server.signup("again@example.com")];
    const codes: { readonly email: string; readonly code: string }[] = [];
    for (const person of people) {
      for (const code of (await enroll(person)).codes) codes.push({ email: person.email, code });
    }
    expect(codes).toHaveLength(rounds);
    await eachRound(async (n) => {
      const login = () => server.send("POST", "/_auth/login", { body: { password, ...codes[n] } });
      expect(outcomes(await Promise.all([login(), login()]))).toEqual(["200", "401 invalid_credentials"]);
    });
  });

  it("of a code of the authenticator app, at login and as a proof of identity", async () => {
    const person = await server.signup("app@example.com");
    const { secret } = await enroll(person);
    const { email, token } = person;
    await eachRound(async () => {
      const code = codeOf(secret);
      const login = server.send("POST", "/_auth/login", { body: { email, password, code } });
      const proof = server.send("POST", "/_auth/reauth", { token, body: { code } });
      expect(outcomes(await Promise.all([login, proof]))).toEqual(["200", "401 invalid_credentials"]);
    });
  });

  it("of an invitation", async () => {
    await eachRound(async (n) => {
      const made = await server.send("POST", "/_admin/invitations", { token: operator, body: { roles: [] } });
      const invitation = text(made.body, "token");
      const signup = (who: string) =>
        server.send("POST", "/_auth/signup", {
          body: { email: `${who}-${n}@example.com`, password, invitation },
        });
      const answers = await Promise.all([signup("first"), signup("second")]);
      expect(outcomes(answers)).toEqual(["201", "400 invalid_invitation"]);
    });
  });

  it("of an address at sign-up", async () => {
    await eachRound(async (n) => {
      const body = { email: `same-${n}@example.com`, password };
      const signup = () => server.send("POST", "/_auth/signup", { body });
      expect(outcomes(await Promise.all([signup(), signup()]))).toEqual(["201", "409 email_taken"]);
    });
  });

  it("of a password reset token", async () => {
    const { email } = await server.signup("resetting@example.com");
    await eachRound(async (n) => {
      const token = await mailed("/_auth/password/forgot", email, n + 1, { email });
      const reset = (next: string) =>
        server.send("POST", "/_auth/password/reset", { body: { token, password: next } });
      const both = await Promise.all([reset(`${password} one`), reset(`${password} two`)]);
      expect(outcomes(both)).toEqual(["204", "400 invalid_token"]);
      const won = both[0].status === 204 ? "one" : "two";
      const login = await server.send("POST", "/_auth/login", {
        body: { email, password: `${password} ${won}` },
      });
      expect(login.status).toBe(200);
    });
  });

  it("of a verification token", async () => {
    await eachRound(async (n) => {
      const person = await server.signup(`verifying-${n}@example.com`);
      await server.send("POST", "/_auth/email/verify/send", { token: person.token });
      const token = tokenIn((await server.mailTo(person.email)).text);
      const verify = () => server.send("POST", "/_auth/email/verify", { body: { token } });
      expect(outcomes(await Promise.all([verify(), verify()]))).toEqual(["204", "400 invalid_token"]);
    });
  });

  it("of a token that changes the address", async () => {
    await eachRound(async (n) => {
      const person = await server.signup(`moving-${n}@example.com`);
      const next = `moved-${n}@example.com`;
      const headers = { "x-svc-reauth": await server.reauth(person) };
      await server.send("POST", "/_auth/email/change", {
        token: person.token,
        headers,
        body: { email: next },
      });
      const token = tokenIn((await server.mailTo(next)).text);
      const verify = () => server.send("POST", "/_auth/email/verify", { body: { token } });
      expect(outcomes(await Promise.all([verify(), verify()]))).toEqual(["204", "400 invalid_token"]);
    });
  });

  it("of two tokens that would give two accounts the same address", async () => {
    await eachRound(async (n) => {
      const next = `wanted-${n}@example.com`;
      const tokens: string[] = [];
      for (const who of ["left", "right"]) {
        const person = await server.signup(`${who}-${n}@example.com`);
        const headers = { "x-svc-reauth": await server.reauth(person) };
        await server.send("POST", "/_auth/email/change", {
          token: person.token,
          headers,
          body: { email: next },
        });
        tokens.push(tokenIn((await server.mailTo(next, tokens.length + 1)).text));
      }
      const [left = "", right = ""] = tokens;
      const verify = (token: string) => server.send("POST", "/_auth/email/verify", { body: { token } });
      expect(outcomes(await Promise.all([verify(left), verify(right)]))).toEqual(["204", "409 email_taken"]);
    });
  });

  it("of a name for an API key", async () => {
    await eachRound(async (n) => {
      const make = () =>
        server.send("POST", "/_admin/keys", { token: operator, body: { name: `same-${n}`, scopes: {} } });
      expect(outcomes(await Promise.all([make(), make()]))).toEqual(["201", "409 conflict"]);
    });
  });

  it("of the end of an account", async () => {
    await eachRound(async (n) => {
      const person = await server.signup(`leaving-${n}@example.com`);
      const headers = { "x-svc-reauth": await server.reauth(person) };
      const leave = () => server.send("DELETE", "/_auth/me", { token: person.token, headers });
      const [first, second] = outcomes(await Promise.all([leave(), leave()]));
      expect(first).toBe("204");
      expect(second).toMatch(/^(?:204|401 unauthenticated|401 reauth_required)$/);
    });
  });
});

describe("Races: no session outlives what ends them all", { timeout: 240_000 }, () => {
  it("a login with the old password beside a reset", async () => {
    const { email } = await server.signup("between@example.com");
    let current: string = password;
    await eachRound(async (n) => {
      const token = await mailed("/_auth/password/forgot", email, n + 1, { email });
      const next = `${password} ${n}`;
      const [login, reset] = await Promise.all([
        server.send("POST", "/_auth/login", { body: { email, password: current } }),
        server.send("POST", "/_auth/password/reset", { body: { token, password: next } }),
      ]);
      expect(reset.status).toBe(204);
      expect(await isOver(login)).toBe(true);
      current = next;
    });
  });

  it("a login beside the disabling of the account", async () => {
    const { email, id } = await server.signup("disabled@example.com");
    const disable = (disabled: boolean) =>
      server.send("PATCH", `/_admin/users/${id}`, { token: operator, body: { disabled } });
    await eachRound(async () => {
      const [login, change] = await Promise.all([
        server.send("POST", "/_auth/login", { body: { email, password } }),
        disable(true),
      ]);
      expect(change.status).toBe(200);
      expect(await isOver(login)).toBe(true);
      await disable(false);
      expect(await isOver(login)).toBe(true);
    });
  });
});

/** Whether the session that a login gave, if any, has ended. */
async function isOver(login: Awaited<ReturnType<Accounts["send"]>>): Promise<boolean> {
  if (login.status !== 200) return true;
  const token = text(login.body, "session", "token");
  return (await server.send("GET", "/_auth/me", { token })).status === 401;
}

/** The token in the `nth` mail to an address, which a request has sent. */
async function mailed(path: string, to: string, nth: number, body: { email: string }): Promise<string> {
  await server.send("POST", path, { body });
  return tokenIn((await server.mailTo(to, nth)).text);
}

/** The code that an authenticator app shows now. */
function codeOf(secret: string): string {
  return new TOTP({ secret }).generate({ timestamp: server.clock.now() });
}

/** Gives a user a second factor: its secret and recovery codes. */
async function enroll(
  person: Person,
): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  const { token } = person;
  await server.verify(person);
  const headers = { "x-svc-reauth": await server.reauth(person) };
  const asked = await server.send("POST", "/_auth/mfa/totp", { token, headers });
  const secret = text(asked.body, "secret");
  const body = { code: codeOf(secret) };
  const confirmed = await server.send("POST", "/_auth/mfa/totp/confirm", { token, body });
  const codes = confirmed.body["recovery_codes"];
  if (!Array.isArray(codes)) throw new Error(`the second factor was not confirmed: ${confirmed.status}`);
  return { secret, codes: codes.map(String) };
}
