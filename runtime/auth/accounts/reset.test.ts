import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { jobCollection, jobFields } from "../../jobs/records.ts";
import { until } from "../../testing/until.ts";
import { auditOf } from "../administration/testing/audit.ts";
import { collections, tokenFields } from "../collections.ts";
import { newToken } from "../credentials/tokens.ts";
import { type Accounts, hour, password, startAccounts, tokenIn } from "../testing/accounts.ts";
import { secondFactor, totpCode } from "../testing/factor.ts";
import { changeUser } from "../users.ts";

const resetLink = "https://app.example.com/reset?token={token}&from={token}";

let server: Accounts;
beforeAll(async () => {
  server = await startAccounts({ email: { from: "Shop <shop@example.com>", resetLink } });
});
afterAll(() => server.stop());

const forgot = (email: string, realm = "shop") =>
  server.send("POST", "/_auth/password/forgot", { body: { email } }, realm);

const reset = (token: string, secret = "battery staple", realm = "shop") =>
  server.send("POST", "/_auth/password/reset", { body: { token, password: secret } }, realm);

/** The token of the nth mail to an address, once it was sent. */
async function mailed(email: string, nth = 1): Promise<string> {
  await forgot(email);
  return tokenIn((await server.mailTo(email, nth)).text);
}

const loginStatus = async (email: string, secret: string) =>
  (await server.send("POST", "/_auth/login", { body: { email, password: secret } })).status;

const invalid = { status: 400, body: { error: { code: "invalid_token" } } };

describe("POST /password/forgot", () => {
  it("202, and a mail with the realm's link", async () => {
    await server.signup("Ada@example.com");
    const answer = await forgot("ada@EXAMPLE.com");
    expect(answer).toMatchObject({ status: 202, body: {} });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const mail = await server.mailTo("Ada@example.com");
    const token = tokenIn(mail.text);
    expect(mail).toMatchObject({ from: "Shop <shop@example.com>", subject: "Choose a new password" });
    expect(mail.text.split("\n")).toContain(`https://app.example.com/reset?token=${token}&from=${token}`);
    expect(token).toMatch(/^svt_/);
  });

  it("without a configured link the token itself stands on a line of its own", async () => {
    const bare = await startAccounts();
    try {
      await bare.signup("ada@example.com");
      await bare.send("POST", "/_auth/password/forgot", { body: { email: "ada@example.com" } });
      const { from, text } = await bare.mailTo("ada@example.com");
      expect(from).toBe("shop <noreply@localhost>");
      expect(text.split("\n")).toContain(tokenIn(text));
    } finally {
      await bare.stop();
    }
  });

  it("answers alike for everyone, known, unknown, disabled, too often or no address, and mails only the known", async () => {
    const own = await startAccounts();
    await own.signup("known@example.com");
    const { id } = await own.signup("off@example.com");
    await changeUser(own.store("shop"), id, (user) => ({ ...user, disabled: true }));
    const tried = [
      ...Array<string>(5).fill("known@example.com"),
      "off@example.com",
      "none@example.com",
      "?",
      "",
    ];
    for (const email of tried) {
      const { status, body, headers } = await own.send("POST", "/_auth/password/forgot", { body: { email } });
      expect([status, body, headers.get("content-length")]).toEqual([202, {}, "0"]);
    }
    await own.stop();
    expect(own.mails.map(({ to }) => to)).toEqual(Array<string>(3).fill("known@example.com"));
    expect(own.logs.filter(({ level }) => level !== "info")).toEqual([]);
  });

  it("writes the same, in as many transactions, for whom it mails and for nobody: the next answers take as long", async () => {
    const own = await startAccounts();
    const store = own.store("shop");
    const transactions = vi.spyOn(store, "transaction");
    const written = async () => {
      const counts = [];
      for (const name of [collections.throttle, collections.tokens])
        counts.push((await store.collection(name).scan(undefined, 100)).length);
      return [transactions.mock.calls.length, ...counts];
    };
    const isMail = eq(jobFields.kind, "mail");
    // After a job's end its worker, in this process, looks for others, which is a transaction too.
    const settled = async () => {
      expect(await store.collection(jobCollection).count(isMail, "all")).toBe(0);
      const looked = transactions.mock.calls.length;
      await setTimeout(100);
      expect(transactions.mock.calls.length).toBe(looked);
    };
    const asked = async (email: string) => {
      await until(settled);
      const before = await written();
      const forgot = { body: { email } };
      expect((await own.send("POST", "/_auth/password/forgot", forgot)).status).toBe(202);
      const added = () => written().then((now) => now.map((count, at) => count - (before[at] ?? 0)));
      await until(async () => expect((await added()).at(-1)).toBe(1));
      await until(settled);
      return added();
    };
    try {
      await own.signup("known@example.com");
      const { id } = await own.signup("off@example.com");
      await changeUser(store, id, (user) => ({ ...user, disabled: true }));
      // So that the record of the address that asks is there.
      await asked("first@example.com");
      const known = await asked("known@example.com");
      expect(await asked("unknown@example.com")).toEqual(known);
      expect(await asked("off@example.com")).toEqual(known);
      const stored = JSON.stringify(await store.collection(collections.tokens).scan(undefined, 100));
      expect(stored).toContain("known@example.com");
      expect(stored).not.toMatch(/unknown@|first@/);
    } finally {
      await own.stop();
    }
  });

  it("400 validation_error: no, mistyped and unknown members", async () => {
    for (const body of [{}, { email: 1 }, { email: "ada@example.com", realm: "other" }]) {
      const answer = await server.send("POST", "/_auth/password/forgot", { body });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } });
    }
  });

  it("3 mails an hour to a recipient, of all instances together; then silence", async () => {
    await server.signup("often@example.com");
    for (let nth = 1; nth <= 3; nth += 1) await mailed("often@example.com", nth);
    const last = tokenIn((await server.mailTo("often@example.com", 3)).text);
    expect((await forgot("often@example.com")).status).toBe(202);
    server.clock.advance(hour - 1);
    expect((await forgot("often@example.com")).status).toBe(202);
    // What is not mailed does not end what was.
    expect((await reset(last)).status).toBe(204);
    server.clock.advance(1);
    await mailed("often@example.com", 4);
    expect(server.mails.filter(({ to }) => to === "often@example.com")).toHaveLength(4);
  });
});

describe("POST /password/reset", () => {
  it("204: the new password counts, all sessions end, the address is proved", async () => {
    const { token, id, email } = await server.signup("bea@example.com");
    const other = await server.login(email);
    expect(await reset(await mailed(email))).toMatchObject({ status: 204, body: {} });
    for (const session of [token, other.token]) {
      expect((await server.send("GET", "/_auth/me", { token: session })).status).toBe(401);
    }
    expect(await loginStatus(email, password)).toBe(401);
    const login = await server.send("POST", "/_auth/login", { body: { email, password: "battery staple" } });
    expect(login.body).toMatchObject({ user: { id, email_verified: true } });
  });

  it("where the address is proved for the first time the second factor ends, which need not be its owner's", async () => {
    const squatter = await server.signup("owner@example.com");
    const factor = await secondFactor(server, squatter);
    // As enrolled before addresses had to be verified for it.
    await changeUser(server.store("shop"), squatter.id, (user) => ({ ...user, email_verified: false }));
    const headers = {
      "x-svc-reauth": await server.reauth(squatter, "shop", { code: factor.recovery[0] ?? "" }),
    };
    const sent = { token: squatter.token, headers, body: { email: "squatter@example.com" } };
    expect((await server.send("POST", "/_auth/email/change", sent)).status).toBe(202);
    const theirs = tokenIn((await server.mailTo("squatter@example.com")).text);

    expect((await reset(await mailed(squatter.email))).status).toBe(204);
    const owner = { email: squatter.email, password: "battery staple" };
    expect(await server.send("POST", "/_auth/login", { body: owner })).toMatchObject({
      status: 200,
      body: { user: { id: squatter.id, mfa: false, email_verified: true } },
    });
    // Nothing that the squatter still has leads back in.
    expect(await server.send("POST", "/_auth/email/verify", { body: { token: theirs } })).toMatchObject(
      invalid,
    );
    expect((await server.send("GET", "/_auth/me", { token: squatter.token })).status).toBe(401);
    const code = totpCode(factor.secret, server.clock.now());
    const body = { ...owner, password, code };
    expect((await server.send("POST", "/_auth/login", { body })).status).toBe(401);
    const actions = (await auditOf(server, `user:${squatter.id}`)).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(["password.reset", "mfa.remove"]);
  });

  it("where it was proved before the second factor stays", async () => {
    const person = await server.signup("careful@example.com");
    await secondFactor(server, person);
    expect((await reset(await mailed(person.email))).status).toBe(204);
    const body = { email: person.email, password: "battery staple" };
    expect(await server.send("POST", "/_auth/login", { body })).toMatchObject({
      status: 401,
      body: { error: { code: "mfa_required" } },
    });
  });

  it("a token works once", async () => {
    const { email } = await server.signup("cleo@example.com");
    const token = await mailed(email);
    expect((await reset(token)).status).toBe(204);
    expect(await reset(token, "another one")).toMatchObject(invalid);
    expect(await loginStatus(email, "battery staple")).toBe(200);
  });

  it("of two parallel uses exactly one succeeds", async () => {
    const { email } = await server.signup("dan@example.com");
    const token = await mailed(email);
    const secrets = ["battery staple", "paper clip pile", "yet another one"];
    const answers = await Promise.all(secrets.map((secret) => reset(token, secret)));
    const statuses = answers.map(({ status }) => status);
    expect([...statuses].sort()).toEqual([204, 400, 400]);
    const won = statuses.indexOf(204);
    for (const [at, secret] of secrets.entries()) {
      expect(await loginStatus(email, secret)).toBe(at === won ? 200 : 401);
    }
  });

  it("a newer token ends the older, also when both are asked for at once", async () => {
    const { email, id } = await server.signup("eve@example.com");
    const first = await mailed(email, 1);
    await Promise.all([forgot(email), forgot(email)]);
    await server.mailTo(email, 3);
    const filter = eq(tokenFields.user, id);
    const left = await server
      .store("shop")
      .collection(collections.tokens)
      .find({ filter, visibility: "live", limit: 10, skip: 0 });
    expect(left).toHaveLength(1);
    const mails = server.mails.filter(({ to }) => to === email).map(({ text }) => tokenIn(text));
    expect(mails[0]).toBe(first);
    const statuses: number[] = [];
    for (const token of mails) statuses.push((await reset(token)).status);
    expect(statuses[0]).toBe(400);
    expect(statuses.sort()).toEqual([204, 400, 400]);
  });

  it("within an hour", async () => {
    const { email } = await server.signup("fay@example.com");
    const token = await mailed(email);
    server.clock.advance(hour - 1);
    const early = await reset(token, "short");
    expect(early.body).toMatchObject({ error: { code: "validation_error" } });
    server.clock.advance(1);
    expect(await reset(token)).toMatchObject(invalid);
  });

  it("a moment before it still works", async () => {
    const { email } = await server.signup("flo@example.com");
    const token = await mailed(email);
    server.clock.advance(hour - 1);
    expect((await reset(token)).status).toBe(204);
  });

  it.each([
    ["nonsense", "x"],
    ["an empty one", ""],
    ["one that nobody has", newToken("svt")],
    ["a huge one", "x".repeat(100_000)],
    ["a name of the prototype", "__proto__"],
  ])("400 invalid_token: %s", async (_, token) => {
    expect(await reset(token)).toMatchObject(invalid);
  });

  it("400 invalid_token: tokens of other kinds, purposes and realms", async () => {
    const { token: session, email } = await server.signup("gil@example.com");
    await server.send("POST", "/_auth/email/verify/send", { token: session });
    const verification = tokenIn((await server.mailTo(email)).text);
    for (const token of [session, verification, await server.reauth({ token: session })]) {
      expect(await reset(token)).toMatchObject(invalid);
    }
    expect(await reset(await mailed(email, 2), "battery staple", "other")).toMatchObject(invalid);
    expect(await loginStatus(email, password)).toBe(200);
  });

  it("400 validation_error, and the token is not used up", async () => {
    const { email } = await server.signup("hal@example.com");
    const token = await mailed(email);
    for (const body of [
      { token },
      { token, password: "short" },
      { token, password: "x".repeat(257) },
      { token: 1 },
    ]) {
      const answer = await server.send("POST", "/_auth/password/reset", { body });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "validation_error" } } });
    }
    expect((await reset(token)).status).toBe(204);
  });

  it("what it rests on ends it: another password, another address, a disabled or deleted account", async () => {
    const store = server.store("shop");
    const changed = await server.signup("ida@example.com");
    const first = await mailed(changed.email);
    const body = { current: password, new: "paper clip pile" };
    expect((await server.send("POST", "/_auth/password/change", { token: changed.token, body })).status).toBe(
      204,
    );
    expect(await reset(first)).toMatchObject(invalid);

    const moved = await server.signup("jan@example.com");
    const second = await mailed(moved.email);
    const next = { email: "jo@example.com", email_key: "jo@example.com" };
    await changeUser(store, moved.id, (user) => ({ ...user, ...next }));
    expect(await reset(second)).toMatchObject(invalid);

    const off = await server.signup("kim@example.com");
    const third = await mailed(off.email);
    await changeUser(store, off.id, (user) => ({ ...user, disabled: true }));
    expect(await reset(third)).toMatchObject(invalid);

    const gone = await server.signup("leo@example.com");
    const fourth = await mailed(gone.email);
    await store.collection(collections.users).remove(gone.id);
    expect(await reset(fourth)).toMatchObject(invalid);
  });

  it("ignores a credential, valid or not", async () => {
    const { email } = await server.signup("mia@example.com");
    const body = { token: await mailed(email), password: "battery staple" };
    const answer = await server.send("POST", "/_auth/password/reset", { body, token: "svs_nothing" });
    expect(answer.status).toBe(204);
  });

  it("Audit records: the reset by its user, without a secret", async () => {
    const { email, id } = await server.signup("ned@example.com");
    const { headers } = await reset(await mailed(email));
    expect(await auditOf(server, `user:${id}`)).toMatchObject([
      {
        action: "password.reset",
        actor: `user:${id}`,
        address: "127.0.0.1",
        request_id: headers.get("x-request-id"),
        details: {},
      },
    ]);
  });
});
