import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, type Received, text } from "../auth/testing/accounts.ts";
import { changeUser } from "../auth/users.ts";
import type { JsonObject } from "../json.ts";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import { collections } from "./collections.ts";
import {
  type OrganizationRecord,
  readOrganizationInvitation,
  writeOrganizationInvitation,
} from "./records.ts";
import { twoInstances } from "./testing/instances.ts";
import { type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

type Org = Pick<OrganizationRecord, "id">;
type By = Pick<Person, "token">;

const settings = { maxTeamsPerMember: 2 };

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations(settings);
});

afterAll(() => server.stop());

/** A new invitation's id and token. */
async function invite(
  { id }: Org,
  { token }: By,
  body: JsonObject = {},
  on = server,
): Promise<{ readonly id: string; readonly token: string }> {
  const made = await on.send("POST", `/_orgs/${id}/invitations`, { token, body });
  return { id: text(made.body, "id"), token: text(made.body, "token") };
}

function preview({ token }: By, invitation: unknown, on = server): Promise<Received> {
  return on.send("POST", "/_orgs/invitations/preview", {
    token,
    text: JSON.stringify({ token: invitation }),
  });
}

function accept({ token }: By, invitation: unknown, on = server): Promise<Received> {
  return on.send("POST", "/_orgs/invitations/accept", { token, text: JSON.stringify({ token: invitation }) });
}

async function storedInvitation(id: string, on = server) {
  const document = await on.store("shop").collection(collections.invitations).get(id, "live");
  if (document === undefined) throw new Error("no such invitation");
  return readOrganizationInvitation(document);
}

/** What an invitation has come to be of a kind that none can be made of. */
async function rewrite(id: string, changed: Partial<Awaited<ReturnType<typeof storedInvitation>>["record"]>) {
  const { record, version } = await storedInvitation(id);
  const write = writeOrganizationInvitation({ ...record, ...changed }, version + 1);
  await server.store("shop").collection(collections.invitations).replace(version, write);
}

const verify = ({ id }: Person) =>
  changeUser(server.store("shop"), id, (user) => ({ ...user, email_verified: true }));

const invalid = [400, "invalid_invitation"];

describe("Invitation to an organization: preview and acceptance", () => {
  test("show and give the roles and teams; the answer is the organization as in the caller's own list", async () => {
    const { ann, bob } = await server.people("ann", "bob");
    const org = await server.createOrg(ann, { name: "Acme", slug: "acme", claims: { plan: "gold" } });
    const team = await server.createTeam(org, "Desk", ["clerk"]);
    const { id, token } = await invite(org, ann, { user: bob.id, roles: ["keeper"], teams: [team] });
    const shown = await preview(bob, token);
    expect(shown).toMatchObject({ status: 200 });
    expect(shown.body).toEqual({
      org: { id: org.id, name: "Acme", slug: "acme", require_mfa: false },
      roles: ["keeper"],
      teams: [team],
    });
    expect(await server.member(org, bob)).toBeUndefined();

    const accepted = await accept(bob, token);
    expect(accepted.status).toBe(200);
    const mine = await server.send("GET", "/_orgs", { token: bob.token });
    expect(mine.body).toEqual({ items: [accepted.body], has_more: false });
    expect(accepted.body).toMatchObject({
      id: org.id,
      name: "Acme",
      claims: { plan: "gold" },
      roles: ["keeper"],
      teams: [team],
      effective_roles: [
        { role: "clerk", origin: ["Desk"] },
        { role: "keeper", origin: ["direct"] },
        { role: "member", origin: ["default"] },
      ],
    });
    expect((await storedInvitation(id)).record).toMatchObject({ uses: 1, used_by: [bob.id] });
    const told = await server.audit("org.invitation.accept");
    expect(told.map(({ actor, target, details }) => [actor, target, details])).toEqual([
      [`user:${bob.id}`, `org:${org.id}`, { user: bob.id, invitation: id, roles: ["keeper"], teams: [team] }],
    ]);
    expect(outcome(await accept(bob, token))).toEqual(invalid);
    expect(outcome(await preview(bob, token))).toEqual(invalid);
  });

  test("a member gets the roles and teams in addition; what changes nothing uses nothing up", async () => {
    const { cat, dan } = await server.people("cat", "dan");
    const org = await server.createOrg(cat);
    const [one, two] = [await server.createTeam(org, "1"), await server.createTeam(org, "2")];
    await server.join(org, dan, { roles: ["keeper"], teams: ["gone", one] });
    const joined = await server.member(org, dan);
    const given = { user: dan.id, roles: ["keeper", "clerk"], teams: [one, two] };
    const first = await invite(org, cat, given);
    expect((await accept(dan, first.token)).body).toMatchObject({
      roles: ["keeper", "clerk"],
      teams: [one, two],
    });
    expect(await server.member(org, dan)).toMatchObject({
      roles: ["keeper", "clerk"],
      teams: [one, two],
      created_at: joined?.created_at,
    });
    const again = await invite(org, cat, given);
    const org1 = await server.org(org);
    expect((await accept(dan, again.token)).body).toMatchObject({ roles: ["keeper", "clerk"] });
    expect((await accept(dan, again.token)).status).toBe(200);
    expect((await storedInvitation(again.id)).record).toMatchObject({ uses: 0, used_by: [] });
    expect(await server.org(org)).toEqual(org1);
    // Who created it takes part in nothing by it either.
    const open = await invite(org, cat, { max_uses: 1 });
    expect((await accept(cat, open.token)).body).toMatchObject({ roles: ["owner"] });
    expect((await accept(dan, open.token)).status).toBe(200);
    const eva = await server.signup("eva@example.com");
    expect((await accept(eva, open.token)).body).toMatchObject({ roles: [], teams: [] });
  });

  test("need a session: 401 without, 403 for API keys; other bodies are 400", async () => {
    const { fay } = await server.people("fay");
    const org = await server.createOrg(fay);
    const { token } = await invite(org, fay);
    const key = await server.key({ name: "fays", onBehalfOf: true });
    for (const what of ["preview", "accept"]) {
      const path = `/_orgs/invitations/${what}`;
      const send = (sent: Parameters<typeof server.send>[2]) => server.send("POST", path, sent);
      expect(outcome(await send({ body: { token } }))).toEqual([401, "unauthenticated"]);
      expect(outcome(await send({ body: { token }, token: key }))).toEqual([403, "forbidden"]);
      const headers = { "x-svc-on-behalf-of": fay.id };
      expect(outcome(await send({ body: { token }, token: key, headers }))).toEqual([403, "forbidden"]);
      for (const body of [{}, { token: 1 }, { token: null }, { token, more: 1 }]) {
        expect(outcome(await send({ body, token: fay.token }))).toEqual([400, "validation_error"]);
      }
      expect(outcome(await send({ text: "{", token: fay.token }))).toEqual([400, "invalid_json"]);
      expect((await server.send("GET", path, { token: fay.token })).status).toBe(405);
    }
  });
});

describe("Organization endpoints 5: invitation errors", () => {
  test("unknown, malformed, expired, revoked and used-up tokens are alike, and so is that of a deleted organization", async () => {
    const { gus, hal, ida } = await server.people("gus", "hal", "ida");
    const org = await server.createOrg(gus);
    const gone = await server.createOrg(gus);
    const expired = await invite(org, gus, { expires_in: "1h" });
    const revoked = await invite(org, gus);
    await server.send("DELETE", `/_orgs/${org.id}/invitations/${revoked.id}`, { token: gus.token });
    const used = await invite(org, gus);
    expect((await accept(ida, used.token)).status).toBe(200);
    const left = await invite(gone, gus);
    await server.changeOrg(gone, (before) => ({ ...before, status: "deleted", slug_key: null }));
    const realm = await server.send("POST", "/_admin/invitations", {
      token: await server.adminKey(),
      body: {},
    });
    const begin = server.clock.now();
    server.clock.advance(3_600_000);
    const answers = new Set<string>();
    for (const token of [
      expired.token,
      revoked.token,
      used.token,
      left.token,
      text(realm.body, "token"),
      `svi_${"A".repeat(43)}`,
      hal.token,
      "",
      "x".repeat(10_000),
      "__proto__",
    ]) {
      for (const use of [preview, accept]) {
        const { status, body } = await use(hal, token);
        answers.add(`${status} ${JSON.stringify(body).replace(/"request_id":"[^"]*"/, "")}`);
      }
    }
    server.clock.set(begin);
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toMatch(/^400 .*"invalid_invitation"/);
    expect(await server.member(org, hal)).toBeUndefined();
  });

  test("a valid token that is not for the caller is 403 invitation_not_for_you, of an address that is not verified too", async () => {
    const { jon, kim, lea } = await server.people("jon", "kim", "lea");
    const org = await server.createOrg(jon);
    const forKim = await invite(org, jon, { user: kim.id });
    const byMail = await invite(org, jon, { email: "KIM@example.com" });
    for (const use of [preview, accept]) {
      expect(outcome(await use(lea, forKim.token))).toEqual([403, "invitation_not_for_you"]);
      expect(outcome(await use(lea, byMail.token))).toEqual([403, "invitation_not_for_you"]);
      expect(outcome(await use(kim, byMail.token))).toEqual([403, "invitation_not_for_you"]);
    }
    await verify(kim);
    await verify(lea);
    expect(outcome(await accept(lea, byMail.token))).toEqual([403, "invitation_not_for_you"]);
    expect((await preview(kim, byMail.token)).status).toBe(200);
    expect((await accept(kim, byMail.token)).status).toBe(200);
    expect((await storedInvitation(byMail.id)).record).toMatchObject({ uses: 1, used_by: [kim.id] });
    expect((await preview(kim, forKim.token)).status).toBe(200);
  });

  test("that of another realm is unknown", async () => {
    const { max } = await server.people("max");
    const { token } = await invite(await server.createOrg(max), max);
    const other = await server.signup("max@example.com", "other");
    const sent = { token: other.token, body: { token } };
    expect(outcome(await server.send("POST", "/_orgs/invitations/accept", sent, "other"))).toEqual(invalid);
  });
});

describe("Organization endpoints 6: an organization that requires a second factor", () => {
  test("is joined by a session that used one: else 403 org_requires_mfa; the preview says so", async () => {
    const { nia, oda, pam } = await server.people("nia", "oda", "pam");
    const org = await server.createOrg(nia);
    const { id, token } = await invite(org, nia, { user: oda.id });
    await server.changeOrg(org, (before) => ({ ...before, require_mfa: true }));
    expect((await preview(oda, token)).body).toMatchObject({ org: { require_mfa: true } });
    expect(outcome(await accept(oda, token))).toEqual([403, "org_requires_mfa"]);
    // Whom it is not for does not learn it.
    expect(outcome(await accept(pam, token))).toEqual([403, "invitation_not_for_you"]);
    expect((await storedInvitation(id)).record.uses).toBe(0);
    await server.strengthen(oda);
    expect((await accept(oda, token)).body).toMatchObject({ mfa_met: true });
  });
});

describe("Organization endpoints 3, 4: what an invitation gives by the time it is accepted", () => {
  test("teams that are deleted and roles that the configuration no longer has are left out", async () => {
    const { quy, rex } = await server.people("quy", "rex");
    const org = await server.createOrg(quy);
    const [kept, gone] = [await server.createTeam(org, "Kept"), await server.createTeam(org, "Gone")];
    const { id, token } = await invite(org, quy, { user: rex.id, roles: ["clerk"], teams: [gone, kept] });
    await rewrite(id, { roles: ["retired", "clerk"] });
    await server.changeOrg(org, (before) => ({
      ...before,
      teams: before.teams.filter((team) => team.id !== gone),
    }));
    expect((await preview(rex, token)).body).toMatchObject({ roles: ["clerk"], teams: [kept] });
    expect((await accept(rex, token)).body).toMatchObject({ roles: ["clerk"], teams: [kept] });
    expect(await server.member(org, rex)).toMatchObject({ roles: ["clerk"], teams: [kept] });
  });

  test("an open link that would let manage by now gives nothing: 400 invalid_invitation", async () => {
    const { sue, tom } = await server.people("sue", "tom");
    const org = await server.createOrg(sue);
    const team = await server.createTeam(org, "Desk");
    const throughTeam = await invite(org, sue, { teams: [team] });
    await server.changeOrg(org, (before) => ({
      ...before,
      teams: before.teams.map((each) => ({ ...each, roles: ["clerk"] })),
    }));
    const direct = await invite(org, sue, { roles: ["member"] });
    await rewrite(direct.id, { roles: ["member", "owner"] });
    for (const { token } of [throughTeam, direct]) {
      expect(outcome(await preview(tom, token))).toEqual(invalid);
      expect(outcome(await accept(tom, token))).toEqual(invalid);
    }
    expect(await server.member(org, tom)).toBeUndefined();
  });

  test("more teams than a member may be in are 409 team_limit_reached, and nothing is used up", async () => {
    const { uma, vic } = await server.people("uma", "vic");
    const org = await server.createOrg(uma);
    const teams = [
      await server.createTeam(org, "1"),
      await server.createTeam(org, "2"),
      await server.createTeam(org, "3"),
    ] as const;
    await server.join(org, vic, { teams: [teams[0]] });
    const { id, token } = await invite(org, uma, { user: vic.id, roles: ["clerk"], teams: teams.slice(1) });
    expect(outcome(await accept(vic, token))).toEqual([409, "team_limit_reached"]);
    expect((await storedInvitation(id)).record.uses).toBe(0);
    expect(await server.member(org, vic)).toMatchObject({ roles: [], teams: [teams[0]] });
    await server.join(org, vic, {});
    expect((await accept(vic, token)).status).toBe(200);
  });

  test("who can manage by it makes an orphaned organization active", async () => {
    const { wes, xia } = await server.people("wes", "xia");
    const org = await server.createOrg(wes);
    const { token } = await invite(org, wes, { user: xia.id, roles: ["owner"] });
    await server.join(org, wes, { roles: [] });
    await server.changeOrg(org, (before) => ({ ...before, status: "orphaned" }));
    expect((await accept(xia, token)).status).toBe(200);
    expect((await server.org(org))?.status).toBe("active");
  });
});

describe("Invitation to an organization: max_uses", () => {
  /** Ten accept one invitation at the same moment, of which so many may, round after round. */
  async function race(
    on: Organizations,
    other: Organizations,
    max_uses: number,
    name: string,
  ): Promise<void> {
    const owner = await on.signup(`${name}@example.com`);
    const guests = await Promise.all(
      Array.from({ length: 10 }, (_, at) => on.signup(`${name}-${at}@example.com`)),
    );
    for (let round = 0; round < 5; round += 1) {
      const org = await on.createOrg(owner);
      const { id, token } = await invite(org, owner, { max_uses }, on);
      const answers = await Promise.all(
        guests.map((guest, at) => accept(guest, token, at % 2 === 0 ? on : other)),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(max_uses);
      const refused = answers.filter(({ status }) => status !== 200).map(outcome);
      expect(refused).toEqual(Array.from({ length: 10 - max_uses }, () => invalid));
      const members = await Promise.all(guests.map((guest) => on.member(org, guest)));
      const joined = members.flatMap((member) => (member === undefined ? [] : [member.user]));
      expect(joined).toHaveLength(max_uses);
      const { record } = await storedInvitation(id, on);
      expect([record.uses, [...record.used_by].sort()]).toEqual([max_uses, [...joined].sort()]);
    }
  }

  test("of ten who accept at the same moment exactly as many do", async () => {
    await race(server, server, 1, "single");
    await race(server, server, 3, "triple");
  });

  test("one who accepts several times at the same moment uses it once", async () => {
    const { yan, zoe } = await server.people("yan", "zoe");
    const org = await server.createOrg(yan);
    const { id, token } = await invite(org, yan, { max_uses: 5 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(zoe, token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await storedInvitation(id)).record).toMatchObject({ uses: 1, used_by: [zoe.id] });
  });

  test("who comes as the invitation is revoked, or its link renewed, has come before or not at all", async () => {
    const { abe, bea } = await server.people("abe", "bea");
    for (let round = 0; round < 10; round += 1) {
      const org = await server.createOrg(abe);
      const { id, token } = await invite(org, abe, { user: bea.id });
      const path = `/_orgs/${org.id}/invitations/${id}`;
      const end = (method: string, of: string) => server.send(method, of, { token: abe.token });
      const [came, ended] = await Promise.all([
        accept(bea, token),
        round % 2 === 0 ? end("DELETE", path) : end("POST", `${path}/link`),
      ]);
      const isMember = (await server.member(org, bea)) !== undefined;
      expect(isMember).toBe(came.status === 200);
      if (isMember) expect(outcome(ended)).toEqual([409, "conflict"]);
      else expect([outcome(came), ended.status < 300]).toEqual([invalid, true]);
    }
  });

  describeMongo("of two instances on one database", () => {
    const instances = twoInstances(settings);

    test("of ten who accept at the same moment exactly as many do", async () => {
      const [one, other] = instances();
      await race(one, other, 1, "apart");
    });
  });
});
