/**
 * Nothing tells which addresses have an account: the answers are the same byte for byte, and the work behind them is the
 * same, counted in argon2 operations rather than measured by a clock.
 */
import { hash, verify } from "@node-rs/argon2";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Argon2, PasswordHasher } from "../../runtime/auth/credentials/passwords.ts";
import { type Accounts, minute, password, startAccounts } from "../../runtime/auth/testing/accounts.ts";
import { changeUser } from "../../runtime/auth/users.ts";
import { leastCost } from "../../runtime/instance/testing/servers.ts";

/** What argon2 was asked: `hash`, or `verify` with the costs of the stored hash. */
const operations: string[] = [];
const counted: Argon2 = {
  hash(...given) {
    operations.push("hash");
    return hash(...given);
  },
  verify(...given) {
    const [, algorithm, version, cost] = String(given[0]).split("$");
    operations.push(`verify ${algorithm} ${version} ${cost}`);
    return verify(...given);
  },
};

const known = "known@example.com";
const verified = ["verify argon2id v=19 m=8,t=1,p=1"];

let server: Accounts;
beforeAll(async () => {
  const passwords = new PasswordHasher(4, 64, leastCost, counted);
  server = await startAccounts({ email: { from: "noreply@example.com" } }, { passwords });
  const { id } = await server.signup(known);
  const factor = { key: "none", box: "none" };
  for (const who of ["disabled", "passwordless", "protected"]) await server.signup(`${who}@example.com`);
  await change("disabled", { disabled: true });
  await change("passwordless", { password: null });
  await change("protected", { totp: { secret: factor, step: 0, recovery: [] } });
  expect(id).not.toBe("");
});
afterAll(() => server.stop());
beforeEach(() => {
  // Failures of other tests are not to throttle these.
  server.clock.advance(16 * minute);
  operations.length = 0;
});

async function change(who: string, to: object): Promise<void> {
  const list = await server.send("GET", `/_admin/users?q=${who}`, { token: await server.adminKey() });
  const [user] = Array.isArray(list.body["items"]) ? list.body["items"] : [];
  const id = user !== null && typeof user === "object" && "id" in user ? String(user["id"]) : "";
  const changed = await changeUser(server.store("shop"), id, (before) => ({ ...before, ...to }));
  expect(changed?.email).toBe(`${who}@example.com`);
}

/** An answer but for what names the request, and what was asked of argon2. */
async function told(path: string, body: { readonly [name: string]: string }) {
  operations.length = 0;
  const { status, headers, body: answer } = await server.send("POST", path, { body });
  const same = [...headers].filter(([name]) => !["date", "x-request-id", "content-length"].includes(name));
  const text = JSON.stringify(answer).replace(/"request_id":"[^"]*"/, "");
  return { status, headers: same, text, operations: [...operations] };
}

describe("An unknown address", () => {
  it("logs in as little, and costs as much, as a wrong password", async () => {
    const wrong = await told("/_auth/login", { email: known, password: "wrong password" });
    expect(wrong).toMatchObject({ status: 401, operations: verified });
    for (const [what, body] of Object.entries({
      "an unknown address": { email: "unknown@example.com", password: "wrong password" },
      "no address": { email: "not an address", password: "wrong password" },
      "an account without a password": { email: "passwordless@example.com", password: "wrong password" },
      "a disabled account": { email: "disabled@example.com", password: "wrong password" },
      "one with a second factor": { email: "protected@example.com", password: "wrong password" },
      "one with a second factor, and a code": {
        email: "protected@example.com",
        password: "wrong password",
        code: "123456",
      },
      "a password that is none": { email: known, password: "short" },
      "a password beyond all limits": { email: known, password: "x".repeat(10_000) },
    })) {
      expect(await told("/_auth/login", body), what).toEqual(wrong);
    }
  });

  it("is throttled as one that is known", async () => {
    const answers = async (email: string) => {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 12; attempt += 1) {
        statuses.push((await told("/_auth/login", { email, password: "wrong password" })).status);
      }
      return statuses;
    };
    const expected = [...Array<number>(10).fill(401), 429, 429];
    expect(await answers(known)).toEqual(expected);
    expect(await answers("unknown@example.com")).toEqual(expected);
    // Also for the right password; whether it is right costs nothing to refuse.
    expect(await told("/_auth/login", { email: known, password })).toMatchObject({
      status: 429,
      operations: [],
    });
  });

  it("gets the same answer where a password is forgotten", async () => {
    const unknown = await told("/_auth/password/forgot", { email: "unknown@example.com" });
    expect(unknown).toMatchObject({ status: 202, text: "{}", operations: [] });
    for (const email of [known, "disabled@example.com", "not an address"]) {
      expect(await told("/_auth/password/forgot", { email }), email).toEqual(unknown);
    }
  });

  it("gets the same answer as a new address of one's own", async () => {
    const person = await server.signup("moving@example.com");
    const headers = { "x-svc-reauth": await server.reauth(person) };
    const answers = [];
    for (const email of [known, "free@example.com"]) {
      operations.length = 0;
      const { status, body } = await server.send("POST", "/_auth/email/change", {
        token: person.token,
        headers,
        body: { email },
      });
      answers.push({ status, body, operations: [...operations] });
    }
    expect(answers[0]).toEqual({ status: 202, body: {}, operations: [] });
    expect(answers[1]).toEqual(answers[0]);
  });
});

it("A token that is none costs no password operation", async () => {
  const answer = await told("/_auth/password/reset", {
    token: `svt_${"a".repeat(43)}`,
    password: "a new password",
  });
  expect(answer).toMatchObject({ status: 400, operations: [] });
});
