import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { day, hour, startAccounts, text, tokenIn } from "../auth/testing/accounts.ts";
import { organizationRoutes } from "./routes.ts";
import { invitationRequests } from "./testing/invitations.ts";
import {
  items,
  type Organizations,
  organizationSettings,
  outcome,
  startOrganizations,
} from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

const { invite, list, revoke, renew, preview, accept, entryOf, auditOf } = invitationRequests(() => server);

describe("Invitation to an organization: what becomes of it", () => {
  test("a revoked one is over; of one that is over there is nothing to revoke, of a used one it is told", async () => {
    const { nia, oda } = await server.people("nia", "oda");
    const org = await server.createOrg(nia);
    const { body } = await invite(org, nia);
    const id = text(body, "id");
    const gone = await revoke(org, nia, id);
    expect([gone.status, gone.body]).toEqual([204, {}]);
    expect(await entryOf(org, nia, id)).toMatchObject({ status: "revoked", uses: 0 });
    expect(outcome(await accept(oda, text(body, "token")))).toEqual([400, "invalid_invitation"]);
    expect((await revoke(org, nia, id)).status).toBe(204);
    expect(outcome(await renew(org, nia, id))).toEqual([409, "conflict"]);
    expect((await auditOf(org)).slice(1)).toEqual([
      ["org.invitation.revoke", `user:${nia.id}`, { invitation: id }],
    ]);

    const used = await invite(org, nia);
    expect((await accept(oda, text(used.body, "token"))).status).toBe(200);
    expect(await entryOf(org, nia, used.body["id"])).toMatchObject({ status: "accepted", uses: 1 });
    expect(outcome(await revoke(org, nia, text(used.body, "id")))).toEqual([409, "conflict"]);
    expect(outcome(await renew(org, nia, text(used.body, "id")))).toEqual([409, "conflict"]);
  });

  test("those of another organization, and unknown ones, are 404", async () => {
    const { pam } = await server.people("pam");
    const [one, two] = [await server.createOrg(pam), await server.createOrg(pam)];
    const id = text((await invite(one, pam, { email: "x@example.com" })).body, "id");
    for (const other of [id, "unknown", "..", "a%20b"]) {
      for (const answer of [
        await revoke(two, pam, other),
        await renew(two, pam, other),
        await renew(two, pam, other, "send"),
      ]) {
        expect(answer.status).toBe(404);
      }
    }
    expect(await entryOf(one, pam, id)).toMatchObject({ status: "pending" });
  });

  test("a new link has a new token, shown this once; the old one ends, all else stays", async () => {
    const { quy, rex } = await server.people("quy", "rex");
    const org = await server.createOrg(quy);
    const { body } = await invite(org, quy, { roles: ["member"] });
    const id = text(body, "id");
    const before = await entryOf(org, quy, id);
    const renewed = await renew(org, quy, id);
    expect(renewed.status).toBe(200);
    const token = text(renewed.body, "token");
    expect(renewed.body).toEqual({ id, token, link: `https://app.example.com/join?token=${token}` });
    expect(await entryOf(org, quy, id)).toEqual(before);
    expect(outcome(await accept(rex, text(body, "token")))).toEqual([400, "invalid_invitation"]);
    expect((await accept(rex, token)).status).toBe(200);
    expect((await auditOf(org))[1]).toEqual(["org.invitation.link", `user:${quy.id}`, { invitation: id }]);
  });

  test("the link is null where the realm sets none", async () => {
    const { invitationLink: _, ...organizations } = organizationSettings;
    const routes = (realm: string) => (realm === "plain" ? {} : organizationRoutes(realm));
    const bare = await startAccounts({ organizations }, { routes });
    try {
      const { token } = await bare.signup("bare@example.com");
      const org = await bare.send("POST", "/_orgs", { token, body: { name: "Bare" } });
      const body = { email: "x@example.com", send: true };
      const made = await bare.send("POST", `/_orgs/${text(org.body, "id")}/invitations`, { token, body });
      expect(made.body["link"]).toBeNull();
      const { text: mailed } = await bare.mailTo("x@example.com");
      expect(mailed.split("\n")).toContain(tokenIn(mailed));
    } finally {
      await bare.stop();
    }
  });

  test("are listed the oldest first, a page after the other", async () => {
    const { sue } = await server.people("sue");
    const org = await server.createOrg(sue);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) ids.push(text((await invite(org, sue)).body, "id"));
    const first = await list(org, sue, "?limit=2");
    expect(items(first).map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const cursor = encodeURIComponent(text(first.body, "next_cursor"));
    expect(items(await list(org, sue, `?after=${cursor}`)).map(({ id }) => id)).toEqual(ids.slice(2));
    expect(outcome(await list(org, sue, "?status=pending"))).toEqual([400, "invalid_query"]);
  });
});

describe("Invitation to an organization: mail", () => {
  test("send mails a link with a token of its own, which works beside the one that is shown", async () => {
    const { tom } = await server.people("tom");
    const org = await server.createOrg(tom, { name: "Acme" });
    const { body } = await invite(org, tom, { email: "uma@example.com", send: true });
    const mail = await server.mailTo("uma@example.com");
    expect(mail).toMatchObject({ from: "Shop <shop@example.com>", subject: "You are invited to Acme" });
    const mailed = tokenIn(mail.text);
    expect(mail.text.split("\n")).toContain(`https://app.example.com/join?token=${mailed}`);
    expect(mailed).not.toBe(body["token"]);
    const uma = await server.signup("uma@example.com");
    await server.verify(uma);
    for (const token of [mailed, text(body, "token")]) expect((await preview(uma, token)).status).toBe(200);
    expect((await accept(uma, mailed)).status).toBe(200);
    expect(outcome(await accept(uma, text(body, "token")))).toEqual([400, "invalid_invitation"]);
    await invite(org, tom, { email: "vic@example.com", send: false });
    await invite(org, tom, { email: "vic@example.com" });
    expect(server.mails.filter(({ to }) => to === "vic@example.com")).toEqual([]);
  });

  test("sent again it has a new token and the old one ends: 202, and nothing is shown", async () => {
    const { wes } = await server.people("wes");
    const org = await server.createOrg(wes);
    const { body } = await invite(org, wes, { email: "xia@example.com" });
    const answer = await renew(org, wes, text(body, "id"), "send");
    expect([answer.status, answer.body]).toEqual([202, {}]);
    const token = tokenIn((await server.mailTo("xia@example.com")).text);
    expect(token).not.toBe(body["token"]);
    const xia = await server.signup("xia@example.com");
    expect(outcome(await preview(xia, text(body, "token")))).toEqual([400, "invalid_invitation"]);
    expect(outcome(await preview(xia, token))).toEqual([403, "invitation_not_for_you"]);
    expect((await auditOf(org))[1]).toEqual([
      "org.invitation.send",
      `user:${wes.id}`,
      { invitation: body["id"] },
    ]);
    const open = text((await invite(org, wes)).body, "id");
    expect(outcome(await renew(org, wes, open, "send"))).toEqual([409, "conflict"]);
  });

  test("one recipient gets at most 3 an hour, whoever invites; then the link that was sent stays", async () => {
    const { yan, zoe } = await server.people("yan", "zoe");
    const [one, two] = [await server.createOrg(yan), await server.createOrg(zoe)];
    const to = "much@example.com";
    const id = text((await invite(one, yan, { email: to, send: true })).body, "id");
    await server.mailTo(to, 1);
    expect((await renew(one, yan, id, "send")).status).toBe(202);
    const other = text((await invite(two, zoe, { email: "MUCH@example.com" })).body, "id");
    expect((await renew(two, zoe, other, "send")).status).toBe(202);
    await server.mailTo("MUCH@example.com", 1);
    const token = tokenIn((await server.mailTo(to, 2)).text);
    expect((await renew(one, yan, id, "send")).status).toBe(202);
    expect((await renew(two, zoe, other, "send")).status).toBe(202);
    expect(server.mails.filter((mail) => mail.to.toLowerCase() === to)).toHaveLength(3);
    const much = await server.signup(to);
    expect(outcome(await preview(much, token))).toEqual([403, "invitation_not_for_you"]);
    const begin = server.clock.now();
    server.clock.advance(hour);
    expect((await renew(one, yan, id, "send")).status).toBe(202);
    await server.mailTo(to, 3);
    server.clock.set(begin);
  });
});

test("Invitation to an organization: an expired one is shown as such, and neither renewed nor sent", async () => {
  const { eli } = await server.people("eli");
  const org = await server.createOrg(eli);
  const { body } = await invite(org, eli, { email: "fin@example.com", expires_in: "1d" });
  const id = text(body, "id");
  const begin = server.clock.now();
  server.clock.advance(day - 1);
  expect(await entryOf(org, eli, id)).toMatchObject({ status: "pending" });
  server.clock.advance(1);
  expect(await entryOf(org, eli, id)).toMatchObject({ status: "expired" });
  expect(outcome(await renew(org, eli, id))).toEqual([409, "conflict"]);
  expect(outcome(await renew(org, eli, id, "send"))).toEqual([409, "conflict"]);
  expect((await revoke(org, eli, id)).status).toBe(204);
  expect(await entryOf(org, eli, id)).toMatchObject({ status: "expired" });
  server.clock.set(begin);
});
