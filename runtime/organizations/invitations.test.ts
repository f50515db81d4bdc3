import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { day, hour, type Person, type Received, startAccounts, text, tokenIn } from "../auth/testing.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { collections } from "./collections.ts";
import type { OrganizationRecord } from "./records.ts";
import { organizationRoutes } from "./routes.ts";
import { inDays, type Organizations, organizationSettings, outcome, startOrganizations } from "./testing.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;

const limits = { maxPendingInvitations: 5, maxTeamsPerMember: 2 };

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations(limits);
});

afterAll(() => server.stop());

function invite({ id }: Org, { token }: By, body: JsonObject = {}): Promise<Received> {
  return server.send("POST", `/_orgs/${id}/invitations`, { token, body });
}

function list({ id }: Org, { token }: By, query = ""): Promise<Received> {
  return server.send("GET", `/_orgs/${id}/invitations${query}`, { token });
}

function revoke({ id }: Org, { token }: By, invitation: string): Promise<Received> {
  return server.send("DELETE", `/_orgs/${id}/invitations/${invitation}`, { token });
}

function renew(
  { id }: Org,
  { token }: By,
  invitation: string,
  what: "link" | "send" = "link",
): Promise<Received> {
  return server.send("POST", `/_orgs/${id}/invitations/${invitation}/${what}`, { token });
}

function preview({ token }: By, invitation: string): Promise<Received> {
  return server.send("POST", "/_orgs/invitations/preview", { token, body: { token: invitation } });
}

function accept({ token }: By, invitation: string): Promise<Received> {
  return server.send("POST", "/_orgs/invitations/accept", { token, body: { token: invitation } });
}

function items({ body }: Received): readonly JsonObject[] {
  const { items: listed } = body;
  return Array.isArray(listed) ? listed.filter(isJsonObject) : [];
}

/** The entry of one invitation as the list has it. */
async function entryOf(org: Org, by: By, id: unknown): Promise<JsonObject | undefined> {
  return items(await list(org, by, "?limit=100")).find((entry) => entry["id"] === id);
}

async function auditOf(org: Org): Promise<readonly unknown[]> {
  const records = (await server.audit()).filter(({ target }) => target === `org:${org.id}`);
  return records.map(({ action, actor, details }) => [action, actor, details]);
}

describe("Invitation to an organization: creating one", () => {
  test("201 with the invitation, its token and its link, which no list shows; only a hash is stored", async () => {
    const { ann } = await server.people("ann");
    const org = await server.createOrg(ann);
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    const asked = {
      email: "Bob@example.com",
      roles: ["clerk", "clerk"],
      teams: [team, team],
      expires_in: "12h",
    };
    const { status, body } = await invite(org, ann, asked);
    expect(status).toBe(201);
    const { token, link, ...entry } = body;
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      binding: "email",
      user: null,
      email: "Bob@example.com",
      roles: ["clerk"],
      teams: [team],
      status: "pending",
      uses: 0,
      max_uses: 1,
      expires_at: inDays(server, 0.5),
      created_at: inDays(server, 0),
      created_by: `user:${ann.id}`,
    });
    expect(token).toMatch(/^svi_[A-Za-z0-9_-]{43}$/);
    expect(link).toBe(`https://app.example.com/join?token=${String(token)}`);
    expect((await list(org, ann)).body).toEqual({ items: [entry], has_more: false });
    const stored = await server.store("shop").collection(collections.invitations).scan(undefined, 1000);
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.filter((record) => record.text.includes(String(token)))).toEqual([]);
    expect(await auditOf(org)).toEqual([
      [
        "org.invitation.create",
        `user:${ann.id}`,
        {
          invitation: entry["id"],
          binding: "email",
          user: null,
          roles: ["clerk"],
          teams: [team],
          max_uses: 1,
          expires_at: inDays(server, 0.5),
        },
      ],
    ]);
  });

  test("the binding follows from what is given, else it is none; 7 days and one use unless it says otherwise", async () => {
    const { cat, dan } = await server.people("cat", "dan");
    const org = await server.createOrg(cat);
    expect((await invite(org, cat)).body).toMatchObject({
      binding: "none",
      user: null,
      email: null,
      roles: [],
      teams: [],
      max_uses: 1,
      expires_at: inDays(server, 7),
    });
    expect((await invite(org, cat, { user: dan.id })).body).toMatchObject({ binding: "user", user: dan.id });
    const nothing = { binding: null, user: null, email: null, expires_in: null };
    expect((await invite(org, cat, nothing)).body).toMatchObject({ binding: "none" });
    const most = { binding: "none", max_uses: 10_000, expires_in: "30d" };
    expect((await invite(org, cat, most)).body).toMatchObject({
      max_uses: 10_000,
      expires_at: inDays(server, 30),
    });
  });

  test("bad bodies are 400 with what is wrong, and make nothing", async () => {
    const { eve } = await server.people("eve");
    const org = await server.createOrg(eve);
    const other = await server.createTeam(await server.createOrg(eve), "Elsewhere");
    const bad: readonly (readonly [JsonObject, string])[] = [
      [{ binding: "anybody" }, "binding"],
      [{ binding: "__proto__" }, "binding"],
      [{ binding: "user" }, "user"],
      [{ binding: "email" }, "email"],
      [{ binding: "none", email: "a@example.com" }, "email"],
      [{ binding: "email", email: "a@example.com", user: "x" }, "user"],
      [{ email: "a@example.com", user: "x" }, "user"],
      [{ email: "no address" }, "email"],
      [{ email: 1 }, "email"],
      [{ user: "not an id" }, "user"],
      [{ max_uses: 0 }, "max_uses"],
      [{ max_uses: 1.5 }, "max_uses"],
      [{ max_uses: 10_001 }, "max_uses"],
      [{ max_uses: "2" }, "max_uses"],
      [{ max_uses: 2, email: "a@example.com" }, "max_uses"],
      [{ send: true }, "send"],
      [{ send: "yes", email: "a@example.com" }, "send"],
      [{ expires_in: "31d" }, "expires_in"],
      [{ expires_in: "0s" }, "expires_in"],
      [{ expires_in: "999ms" }, "expires_in"],
      [{ expires_in: "soon" }, "expires_in"],
      [{ expires_in: 60 }, "expires_in"],
      [{ roles: ["nobody"] }, "roles.0"],
      [{ roles: "member" }, "roles"],
      [{ teams: ["unknown"] }, "teams.0"],
      [{ teams: [other] }, "teams.0"],
      [{ teams: [1] }, "teams"],
      [{ token: "svi_x" }, "token"],
    ];
    for (const [body, path] of bad) {
      const answer = await invite(org, eve, body);
      expect([body, ...outcome(answer)]).toEqual([body, 400, "validation_error"]);
      expect(answer.body).toMatchObject({ error: { details: [expect.objectContaining({ path })] } });
    }
    expect(items(await list(org, eve))).toEqual([]);
  });

  test("needs manage: members; what has become of invitations any manager sees, and ends", async () => {
    const { fay, gus, hal, ida } = await server.people("fay", "gus", "hal", "ida");
    const org = await server.createOrg(fay);
    await server.join(org, gus, { roles: ["clerk"] });
    await server.join(org, hal, { roles: ["keeper"] });
    await server.join(org, ida);
    const id = text((await invite(org, gus)).body, "id");
    for (const answer of [
      await invite(org, hal),
      await invite(org, ida),
      await list(org, ida),
      await revoke(org, ida, id),
      await renew(org, ida, id),
      await renew(org, ida, id, "send"),
    ]) {
      expect(outcome(answer)).toEqual([403, "forbidden"]);
    }
    expect(items(await list(org, hal))).toHaveLength(1);
    expect((await revoke(org, hal, id)).status).toBe(204);
    const outsider = await server.signup("outsider@example.com");
    for (const answer of [
      await invite(org, outsider),
      await list(org, outsider),
      await revoke(org, outsider, id),
    ]) {
      expect(outcome(answer)).toEqual([403, "not_org_member"]);
    }
  });
});

describe("Organization endpoints 3: what an invitation gives", () => {
  test("is what the inviter could give, a team as the roles it carries", async () => {
    const { jon, kim } = await server.people("jon", "kim");
    const org = await server.createOrg(jon);
    await server.join(org, kim, { roles: ["clerk"] });
    const owners = await server.createTeam(org, "Owners", ["owner"]);
    const email = "new@example.com";
    for (const body of [{ roles: ["owner"] }, { roles: ["keeper"] }, { teams: [owners] }]) {
      expect(outcome(await invite(org, kim, { email, ...body }))).toEqual([403, "forbidden"]);
    }
    expect((await invite(org, kim, { email, roles: ["clerk", "member"] })).status).toBe(201);
    const id = text((await invite(org, jon, { email, teams: [owners] })).body, "id");
    for (const what of ["link", "send"] as const) {
      expect(outcome(await renew(org, kim, id, what))).toEqual([403, "forbidden"]);
    }
    expect(server.mails.filter(({ to }) => to === email)).toEqual([]);
  });

  test("an open link never gives a role that manages, directly or through a team, whoever makes it", async () => {
    const { lea } = await server.people("lea");
    const org = await server.createOrg(lea);
    const clerks = await server.createTeam(org, "Clerks", ["clerk"]);
    for (const [body, path] of [
      [{ roles: ["member", "clerk"] }, "roles"],
      [{ binding: "none", roles: ["owner"] }, "roles"],
      [{ teams: [clerks] }, "teams"],
    ] as const) {
      const answer = await invite(org, lea, body);
      expect(outcome(answer)).toEqual([400, "validation_error"]);
      expect(answer.body).toMatchObject({ error: { details: [expect.objectContaining({ path })] } });
    }
    expect((await invite(org, lea, { roles: ["member"] })).status).toBe(201);
  });
});

describe("Organization endpoints 4: teams of an invitation", () => {
  test("are at most as many as a member may be in: 409 team_limit_reached", async () => {
    const { max } = await server.people("max");
    const org = await server.createOrg(max);
    const teams: string[] = [];
    for (const name of ["1", "2", "3"]) teams.push(await server.createTeam(org, name));
    expect(outcome(await invite(org, max, { teams }))).toEqual([409, "team_limit_reached"]);
    expect((await invite(org, max, { teams: teams.slice(1) })).status).toBe(201);
  });
});

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
      expect(tokenIn((await bare.mailTo("x@example.com")).text)).toBe(made.body["token"]);
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
  test("send mails the link, and says nothing that members chose", async () => {
    const { tom } = await server.people("tom");
    const org = await server.createOrg(tom, { name: "Buy at https://evil.example" });
    const { body } = await invite(org, tom, { email: "uma@example.com", send: true });
    const mail = await server.mailTo("uma@example.com");
    expect(mail).toMatchObject({ from: "Shop <shop@example.com>", subject: "You are invited" });
    expect(mail.text.split("\n")).toContain(body["link"]);
    expect(mail.text).not.toContain("evil");
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
    // It keeps nothing back that has to do with their account.
    expect((await server.send("POST", "/_auth/password/forgot", { body: { email: to } })).status).toBe(202);
    await server.mailTo(to, 3);
    const begin = server.clock.now();
    server.clock.advance(hour);
    expect((await renew(one, yan, id, "send")).status).toBe(202);
    await server.mailTo(to, 4);
    server.clock.set(begin);
  });
});

describe("Organization endpoints 5: max_pending_invitations", () => {
  test("more are 409 invitations_limit; those that are over do not count", async () => {
    const { abe, bea } = await server.people("abe", "bea");
    const org = await server.createOrg(abe);
    const made: JsonObject[] = [];
    for (let at = 0; at < 5; at += 1) {
      made.push((await invite(org, abe, { max_uses: 2, expires_in: at === 0 ? "1h" : "7d" })).body);
    }
    const full = async () => expect(outcome(await invite(org, abe))).toEqual([409, "invitations_limit"]);
    const free = async () => expect((await invite(org, abe)).status).toBe(201);
    await full();
    expect((await revoke(org, abe, String(made[1]?.["id"]))).status).toBe(204);
    await free();
    await full();
    // One of two uses leaves it pending.
    expect((await accept(bea, String(made[2]?.["token"]))).status).toBe(200);
    await full();
    const cal = await server.signup("cal@example.com");
    expect((await accept(cal, String(made[2]?.["token"]))).status).toBe(200);
    await free();
    await full();
    const begin = server.clock.now();
    server.clock.advance(hour);
    await free();
    await full();
    server.clock.set(begin);
    expect((await renew(org, abe, String(made[3]?.["id"]))).status).toBe(200);
  });

  test("also when many are made at the same moment", async () => {
    const { dee } = await server.people("dee");
    for (let round = 0; round < 5; round += 1) {
      const org = await server.createOrg(dee);
      const answers = await Promise.all(Array.from({ length: 12 }, () => invite(org, dee)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
      const refused = answers.filter(({ status }) => status !== 201).map(outcome);
      expect(refused).toEqual(Array.from({ length: 7 }, () => [409, "invitations_limit"]));
      expect(items(await list(org, dee))).toHaveLength(5);
    }
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
