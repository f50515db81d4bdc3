import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hour, text } from "../auth/testing/accounts.ts";
import type { JsonObject } from "../json.ts";
import { collections } from "./collections.ts";
import { invitationRequests } from "./testing/invitations.ts";
import { inDays, items, type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

const limits = { maxPendingInvitations: 5, maxTeamsPerMember: 2 };

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations(limits);
});

afterAll(() => server.stop());

const { invite, list, revoke, renew, accept, auditOf } = invitationRequests(() => server);

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
