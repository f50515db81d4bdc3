import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { auditOf } from "../administration/testing/audit.ts";
import {
  type Accounts,
  day,
  minute,
  type Person,
  password,
  startAccounts,
  tokenIn,
} from "../testing/accounts.ts";
import { changeUser } from "../users.ts";

const verifyLink = "https://app.example.com/verify?token={token}";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts();
});
afterAll(() => server.stop());

/** With a fresh proof, unless one is given. */
async function change(person: Person, body: JsonObject, proof?: string, on: Accounts = server) {
  const headers = { "x-svc-reauth": proof ?? (await on.reauth(person)) };
  return on.send("POST", "/_auth/email/change", { token: person.token, body, headers });
}

const verify = (token: string) => server.send("POST", "/_auth/email/verify", { body: { token } });

const mailed = async (email: string, nth = 1) => tokenIn((await server.mailTo(email, nth)).text);

const me = async ({ token }: Person) => (await server.send("GET", "/_auth/me", { token })).body;

const invalid = { status: 400, body: { error: { code: "invalid_token" } } };

describe("POST /email/change", () => {
  it("202; the new address counts when it is verified, and the old one is told", async () => {
    const ada = await server.signup("ada@example.com");
    const other = await server.login(ada.email);
    const answer = await change(ada, { email: "Lovelace@example.com" });
    expect(answer).toMatchObject({ status: 202, body: {} });
    const { subject, text } = await server.mailTo("Lovelace@example.com");
    expect(subject).toBe("Confirm your new e-mail address");
    expect(await me(ada)).toMatchObject({ email: "ada@example.com", email_verified: false });

    expect((await verify(tokenIn(text))).status).toBe(204);
    expect(await me(ada)).toMatchObject({ email: "Lovelace@example.com", email_verified: true });
    expect(await server.mailTo("ada@example.com")).toMatchObject({
      subject: "Your e-mail address was changed",
      text: expect.not.stringMatching(/lovelace|svt_/i),
    });
    for (const { token } of [ada, other]) {
      expect((await server.send("GET", "/_auth/me", { token })).status).toBe(200);
    }
    await server.login("lovelace@example.com");
    const old = await server.send("POST", "/_auth/login", { body: { email: ada.email, password } });
    expect(old.status).toBe(401);
    await server.signup(ada.email);
  });

  it("the mail bears the realm's verify_link", async () => {
    const linked = await startAccounts({ email: { from: "shop@example.com", verifyLink } });
    try {
      const ada = await linked.signup("ada@example.com");
      await change(ada, { email: "new@example.com" }, undefined, linked);
      const { text } = await linked.mailTo("new@example.com");
      expect(text.split("\n")).toContain(`https://app.example.com/verify?token=${tokenIn(text)}`);
    } finally {
      await linked.stop();
    }
  });

  it("Authentication 8: 401 reauth_required without a fresh proof of this session", async () => {
    const bea = await server.signup("bea@example.com");
    const other = await server.signup("bob@example.com");
    const body = { email: "bea2@example.com" };
    const refused = { status: 401, body: { error: { code: "reauth_required" } } };
    const bare = await server.send("POST", "/_auth/email/change", { token: bea.token, body });
    expect(bare).toMatchObject(refused);
    const proof = await server.reauth(bea);
    for (const wrong of ["x", bea.token, await server.reauth(other)]) {
      expect(await change(bea, body, wrong)).toMatchObject(refused);
    }
    server.clock.advance(5 * minute);
    expect(await change(bea, body, proof)).toMatchObject(refused);
  });

  it("401 without a session, 403 for an API key", async () => {
    const body = { email: "x@example.com" };
    const key = await server.key({ name: "import" });
    expect((await server.send("POST", "/_auth/email/change", { body })).status).toBe(401);
    expect((await server.send("POST", "/_auth/email/change", { body, token: key })).status).toBe(403);
  });

  it("400 validation_error: what is no address, other members", async () => {
    const cleo = await server.signup("cleo@example.com");
    for (const body of [
      {},
      { email: "cleo" },
      { email: "a@b\r\nBcc: c@d" },
      { email: 1 },
      { email: "a@b.c", id: 1 },
    ]) {
      const answer = await change(cleo, body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } });
    }
  });

  it("a taken address is 202 all the same, and nobody gets a mail; one's own in other letters is none", async () => {
    const own = await startAccounts();
    const dan = await own.signup("dan@example.com");
    await own.signup("taken@example.com");
    const answers = [
      await change(dan, { email: "TAKEN@example.com" }, undefined, own),
      await change(dan, { email: "free@example.com" }, undefined, own),
      await change(dan, { email: "Dan@example.com" }, undefined, own),
    ];
    for (const { status, body } of answers) expect([status, body]).toEqual([202, {}]);
    await own.stop();
    expect(own.mails.map(({ to }) => to).sort()).toEqual(["Dan@example.com", "free@example.com"]);
  });

  it("409 email_taken when somebody took it meanwhile; the address stays, and nobody is told", async () => {
    const eve = await server.signup("eve@example.com");
    await change(eve, { email: "wanted@example.com" });
    const token = await mailed("wanted@example.com");
    const winner = await server.signup("Wanted@example.com");
    expect(await verify(token)).toMatchObject({ status: 409, body: { error: { code: "email_taken" } } });
    expect(await me(eve)).toMatchObject({ email: "eve@example.com", email_verified: false });
    expect(await me(winner)).toMatchObject({ email: "Wanted@example.com", email_verified: false });
    expect(server.mails.filter(({ to }) => to === eve.email)).toEqual([]);
  });

  it("of two users who verify one address at once exactly one has it", async () => {
    const people = [await server.signup("fay@example.com"), await server.signup("flo@example.com")];
    for (const person of people) await change(person, { email: "both@example.com" });
    const tokens = [await mailed("both@example.com", 1), await mailed("both@example.com", 2)];
    const answers = await Promise.all(tokens.map(verify));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  it("of two parallel uses of a token exactly one succeeds", async () => {
    const gil = await server.signup("gil@example.com");
    await change(gil, { email: "gus@example.com" });
    const token = await mailed("gus@example.com");
    const answers = await Promise.all([verify(token), verify(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
  });

  it("a newer request ends the older; within 24 hours", async () => {
    const hal = await server.signup("hal@example.com");
    await change(hal, { email: "one@example.com" });
    const first = await mailed("one@example.com");
    await change(hal, { email: "two@example.com" });
    const second = await mailed("two@example.com");
    expect(await verify(first)).toMatchObject(invalid);
    server.clock.advance(day);
    expect(await verify(second)).toMatchObject(invalid);
    expect(await me(hal)).toMatchObject({ email: "hal@example.com" });
  });

  it("whoever takes an account back ends it: by a new password, by disabling, by another address", async () => {
    const ida = await server.signup("ida@example.com");
    await change(ida, { email: "thief1@example.com" });
    const body = { current: password, new: "battery staple" };
    await server.send("POST", "/_auth/password/change", { token: ida.token, body });
    expect(await verify(await mailed("thief1@example.com"))).toMatchObject(invalid);

    const jan = await server.signup("jan@example.com");
    await change(jan, { email: "thief2@example.com" });
    await server.send("POST", "/_auth/password/forgot", { body: { email: jan.email } });
    const reset = { token: await mailed(jan.email), password: "battery staple" };
    await server.send("POST", "/_auth/password/reset", { body: reset });
    expect(await verify(await mailed("thief2@example.com"))).toMatchObject(invalid);

    const kim = await server.signup("kim@example.com");
    await change(kim, { email: "thief3@example.com" });
    const back = { email: "kim2@example.com", email_key: "kim2@example.com" };
    await changeUser(server.store("shop"), kim.id, (user) => ({ ...user, ...back }));
    expect(await verify(await mailed("thief3@example.com"))).toMatchObject(invalid);
  });

  it("tells a former address at most 3 times an hour, which asking for tokens does not use up", async () => {
    const own = await startAccounts();
    const often = "often@example.com";
    try {
      for (let nth = 1; nth <= 4; nth += 1) {
        const person = await own.signup(often);
        if (nth === 1) {
          for (let asked = 1; asked <= 3; asked += 1) {
            await own.send("POST", "/_auth/password/forgot", { body: { email: often } });
            await own.mailTo(often, asked);
          }
        }
        const email = `former-${nth}@example.com`;
        await change(person, { email }, undefined, own);
        const token = tokenIn((await own.mailTo(email)).text);
        expect((await own.send("POST", "/_auth/email/verify", { body: { token } })).status).toBe(204);
      }
    } finally {
      // Waits for what is under way.
      await own.stop();
    }
    const told = own.mails.filter(({ to, subject }) => to === often && subject.includes("was changed"));
    expect(told).toHaveLength(3);
  });

  it("Audit records: the change by its user when it takes effect, without an address", async () => {
    const leo = await server.signup("leo@example.com");
    await change(leo, { email: "lev@example.com" });
    const token = await mailed("lev@example.com");
    expect(await auditOf(server, `user:${leo.id}`)).toEqual([]);
    await verify(token);
    expect(await auditOf(server, `user:${leo.id}`)).toMatchObject([
      { action: "user.email", actor: `user:${leo.id}`, details: {} },
    ]);
  });
});
