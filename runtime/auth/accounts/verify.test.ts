import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newToken } from "../credentials/tokens.ts";
import { type Accounts, day, type Person, password, startAccounts, tokenIn } from "../testing/accounts.ts";
import { changeUser } from "../users.ts";

const verifyLink = "https://app.example.com/verify?token={token}";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ email: { from: "shop@example.com", verifyLink } });
});
afterAll(() => server.stop());

const verify = (token: string, realm = "shop") =>
  server.send("POST", "/_auth/email/verify", { body: { token } }, realm);

const send = ({ token }: Pick<Person, "token">) => server.send("POST", "/_auth/email/verify/send", { token });

const isVerified = async ({ token }: Pick<Person, "token">) =>
  (await server.send("GET", "/_auth/me", { token })).body["email_verified"];

const mailed = async (email: string, nth = 1) => tokenIn((await server.mailTo(email, nth)).text);

const invalid = { status: 400, body: { error: { code: "invalid_token" } } };

describe("Sign-up", () => {
  it("sends a verification mail where verify_link is set", async () => {
    const ada = await server.signup("Ada@example.com");
    const mail = await server.mailTo("Ada@example.com");
    expect(mail).toMatchObject({ from: "shop@example.com", subject: "Confirm your e-mail address" });
    const token = tokenIn(mail.text);
    expect(mail.text.split("\n")).toContain(`https://app.example.com/verify?token=${token}`);
    expect(await isVerified(ada)).toBe(false);
    const answer = await verify(token);
    expect(answer).toMatchObject({ status: 204, body: {} });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await isVerified(ada)).toBe(true);
  });

  it("sends none where it is not, nor when it fails", async () => {
    const bare = await startAccounts();
    await bare.signup("ada@example.com");
    await bare.send("POST", "/_auth/signup", { body: { email: "ada@example.com", password } });
    await bare.stop();
    expect(bare.mails).toEqual([]);
  });
});

describe("POST /email/verify", () => {
  it("a token works once, without a session", async () => {
    const { email } = await server.signup("bea@example.com");
    const token = await mailed(email);
    expect((await verify(token)).status).toBe(204);
    expect(await verify(token)).toMatchObject(invalid);
  });

  it("of two parallel uses exactly one succeeds", async () => {
    const { email } = await server.signup("cleo@example.com");
    const token = await mailed(email);
    const answers = await Promise.all([verify(token), verify(token), verify(token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 400, 400]);
  });

  it("within 24 hours", async () => {
    const dan = await server.signup("dan@example.com");
    const eve = await server.signup("eve@example.com");
    const tokens = [await mailed(dan.email), await mailed(eve.email)];
    server.clock.advance(day - 1);
    expect((await verify(tokens[0] ?? "")).status).toBe(204);
    server.clock.advance(1);
    expect(await verify(tokens[1] ?? "")).toMatchObject(invalid);
    expect([await isVerified(dan), await isVerified(eve)]).toEqual([true, false]);
  });

  it("400 invalid_token: nonsense, other kinds and purposes, another realm", async () => {
    const { token: session, email } = await server.signup("fay@example.com");
    const own = await mailed(email);
    await server.send("POST", "/_auth/password/forgot", { body: { email } });
    const reset = await mailed(email, 2);
    for (const token of ["", "x", newToken("svt"), session, reset]) {
      expect(await verify(token)).toMatchObject(invalid);
    }
    expect(await verify(own, "other")).toMatchObject(invalid);
    expect((await verify(own)).status).toBe(204);
  });

  it("400 validation_error: no, mistyped and unknown members", async () => {
    for (const body of [{}, { token: null }, { token: "x", email: "ada@example.com" }]) {
      const answer = await server.send("POST", "/_auth/email/verify", { body });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } });
    }
  });

  it("400 invalid_token: for an address that the user no longer has, and of a disabled user", async () => {
    const gil = await server.signup("gil@example.com");
    const next = { email: "gus@example.com", email_key: "gus@example.com" };
    await changeUser(server.store("shop"), gil.id, (user) => ({ ...user, ...next }));
    expect(await verify(await mailed(gil.email))).toMatchObject(invalid);
    expect(await isVerified(gil)).toBe(false);

    const hal = await server.signup("hal@example.com");
    await changeUser(server.store("shop"), hal.id, (user) => ({ ...user, disabled: true }));
    expect(await verify(await mailed(hal.email))).toMatchObject(invalid);
  });

  it("a new password does not end it: the address is still the user's", async () => {
    const { token, email } = await server.signup("ida@example.com");
    const body = { current: password, new: "battery staple" };
    expect((await server.send("POST", "/_auth/password/change", { token, body })).status).toBe(204);
    expect((await verify(await mailed(email))).status).toBe(204);
  });
});

describe("POST /email/verify/send", () => {
  it("202, and a new token, which ends the older", async () => {
    const jan = await server.signup("jan@example.com");
    const first = await mailed(jan.email);
    expect(await send(jan)).toMatchObject({ status: 202, body: {} });
    const second = await mailed(jan.email, 2);
    expect(await verify(first)).toMatchObject(invalid);
    expect((await verify(second)).status).toBe(204);
  });

  it("202 without a mail when it is verified already, and beyond 3 mails an hour", async () => {
    const own = await startAccounts({ email: { from: "shop@example.com", verifyLink } });
    const kim = await own.signup("kim@example.com");
    await own.mailTo(kim.email);
    const again = () => own.send("POST", "/_auth/email/verify/send", { token: kim.token });
    for (let n = 0; n < 4; n += 1) expect((await again()).status).toBe(202);
    const last = tokenIn((await own.mailTo(kim.email, 3)).text);
    const answer = await own.send("POST", "/_auth/email/verify", { body: { token: last } });
    expect(answer.status).toBe(204);
    own.clock.advance(day);
    expect(await again()).toMatchObject({ status: 202, body: {} });
    await own.stop();
    expect(own.mails).toHaveLength(3);
  });

  it("401 without a session, 403 for an API key", async () => {
    const key = await server.key({ name: "import" });
    expect((await server.send("POST", "/_auth/email/verify/send")).status).toBe(401);
    expect((await send({ token: key })).status).toBe(403);
  });
});
