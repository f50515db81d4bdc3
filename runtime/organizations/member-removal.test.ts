import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memberRequests } from "./testing/members.ts";
import { type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

const { list, patch, remove, leave } = memberRequests(() => server);

describe("Organization: removing members, and leaving", () => {
  test("who is removed is out at once, teams and team roles too, and audited", async () => {
    const { rob, sue } = await server.people("rob", "sue");
    const org = await server.createOrg(rob);
    const team = await server.createTeam(org, "Desk");
    const team_roles = [{ team, role: "lead", from: null, until: null }];
    await server.join(org, sue, { roles: ["clerk"], teams: [team], team_roles });
    expect((await list(org, sue)).status).toBe(200);
    const { status, body } = await remove(org, rob, sue);
    expect([status, body]).toEqual([204, {}]);
    expect(await server.member(org, sue)).toBeUndefined();
    expect(outcome(await list(org, sue))).toEqual([403, "not_org_member"]);
    expect((await server.send("GET", "/_orgs", { token: sue.token })).body).toEqual({
      items: [],
      has_more: false,
    });
    expect(outcome(await remove(org, rob, sue))).toEqual([404, "not_found"]);
    expect(await server.acts(org, "org.member.remove")).toEqual([[`user:${rob.id}`, { user: sue.id }]]);
    // Who comes back begins anew.
    await server.join(org, sue);
    expect(await server.member(org, sue)).toMatchObject({ roles: [], teams: [], team_roles: [] });
  });

  test("Organization endpoints 3: nobody removes members who manage more than they do", async () => {
    const { tom, una, vic, wil, xan } = await server.people("tom", "una", "vic", "wil", "xan");
    const org = await server.createOrg(tom);
    const board = await server.createTeam(org, "Board", ["owner"]);
    await server.join(org, una, { roles: ["clerk"] });
    await server.join(org, vic, { roles: ["keeper"] });
    await server.join(org, wil, { teams: [board] });
    await server.join(org, xan, { roles: ["clerk", "retired"] });
    for (const user of [tom, vic, wil]) {
      expect(outcome(await remove(org, una, user))).toEqual([403, "forbidden"]);
    }
    // To remove members takes manage: members.
    expect(outcome(await remove(org, vic, xan))).toEqual([403, "forbidden"]);
    expect((await remove(org, una, xan)).status).toBe(204);
    expect((await remove(org, una, una)).status).toBe(204);
    expect((await remove(org, tom, vic)).status).toBe(204);
    expect((await remove(org, wil, tom)).status).toBe(204);
  });

  test("a member leaves, whatever they manage, and is audited", async () => {
    const { yan, zoe } = await server.people("yan", "zoe");
    const org = await server.createOrg(yan);
    const team = await server.createTeam(org, "Desk", ["owner"]);
    await server.join(org, zoe, { teams: [team] });
    expect(outcome(await leave(org, yan))).toEqual([204]);
    expect(await server.member(org, yan)).toBeUndefined();
    expect(outcome(await leave(org, yan))).toEqual([403, "not_org_member"]);
    expect(await server.acts(org, "org.member.leave")).toEqual([[`user:${yan.id}`, { user: yan.id }]]);
    const text = await server.send("POST", `/_orgs/${org.id}/leave`, { token: zoe.token, text: "{" });
    expect(outcome(text)).toEqual([400, "invalid_json"]);
    expect(outcome(await server.send("POST", `/_orgs/${org.id}/leave?x=1`, { token: zoe.token }))).toEqual([
      400,
      "invalid_query",
    ]);
  });

  test("Organization endpoints 6: leaving stays possible without the second factor that is required, nothing else does", async () => {
    const { abe, bea } = await server.people("abe", "bea");
    const org = await server.createOrg(abe, { require_mfa: true });
    await server.join(org, bea, { roles: ["owner"] });
    for (const answer of [
      await list(org, bea),
      await patch(org, bea, abe, []),
      await remove(org, bea, abe),
      await remove(org, bea, bea),
    ]) {
      expect(outcome(answer)).toEqual([403, "org_requires_mfa"]);
    }
    expect((await leave(org, bea)).status).toBe(204);
    expect(outcome(await leave(org, abe))).toEqual([409, "last_org_manager"]);
  });
});
