import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import type { OrganizationRecord } from "./records.ts";
import { twoInstances } from "./testing/instances.ts";
import { memberRequests } from "./testing/members.ts";
import { type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

const rounds = 20;

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

const { list, patch, remove, leave } = memberRequests(() => server);

describe("Organization endpoints 2: the last member who can manage the organization", () => {
  test("cannot leave, be removed or lose the role: 409 last_org_manager, whoever else there is", async () => {
    const { edd, flo } = await server.people("edd", "flo");
    const org = await server.createOrg(edd);
    await server.join(org, flo, { roles: ["clerk", "keeper"] });
    const refused = async () => {
      for (const answer of [
        await leave(org, edd),
        await remove(org, edd, edd),
        await patch(org, edd, edd, []),
        await patch(org, edd, edd, ["clerk", "keeper"]),
      ]) {
        expect(outcome(answer)).toEqual([409, "last_org_manager"]);
      }
    };
    await refused();
    expect(await server.member(org, edd)).toMatchObject({ roles: ["owner"] });
    // Other roles of theirs come and go.
    expect((await patch(org, edd, edd, ["owner", "clerk"])).status).toBe(200);
    // One whose account is disabled cannot manage it.
    const admin = await server.adminKey();
    await server.join(org, flo, { roles: ["owner"] });
    const disable = (disabled: boolean) =>
      server.send("PATCH", `/_admin/users/${flo.id}`, { token: admin, body: { disabled } });
    await disable(true);
    await refused();
    await disable(false);
    expect(outcome(await leave(org, edd))).toEqual([204]);
    const again = await server.login(flo.email);
    expect(outcome(await leave(org, again))).toEqual([409, "last_org_manager"]);
  });

  /** Two managers and a member of a new organization, round after round. */
  async function eachRound(
    on: Organizations,
    name: string,
    work: (org: OrganizationRecord, one: Person, two: Person, member: Person) => Promise<void>,
  ): Promise<void> {
    const { one, two, third } = {
      one: await on.signup(`${name}-1@example.com`),
      two: await on.signup(`${name}-2@example.com`),
      third: await on.signup(`${name}-3@example.com`),
    };
    for (let round = 0; round < rounds; round += 1) {
      const org = await on.createOrg(one);
      await on.join(org, two, { roles: ["owner"] });
      await on.join(org, third);
      await work(org, one, two, third);
      const managers = [await on.member(org, one), await on.member(org, two), await on.member(org, third)];
      expect(managers.filter((member) => member?.roles.includes("owner"))).not.toHaveLength(0);
      expect((await on.org(org))?.status).toBe("active");
    }
  }

  test("of two who leave at the same moment exactly one does", async () => {
    await eachRound(server, "leaving", async (org, one, two) => {
      const answers = await Promise.all([leave(org, one), leave(org, two)]);
      expect(answers.map(outcome).sort()).toEqual([[204], [409, "last_org_manager"]]);
    });
  });

  test("of two who remove each other, or take the role from each other, exactly one does", async () => {
    await eachRound(server, "feud", async (org, one, two) => {
      const answers = await Promise.all([remove(org, one, two), patch(org, two, one, [])]);
      const outcomes = answers.map(outcome);
      // Who was removed, or manages nothing any more, was looked at again.
      expect(outcomes.filter(([status]) => status < 300)).toHaveLength(1);
      expect(outcomes.filter(([status]) => status >= 300)).toEqual([
        [403, expect.stringMatching(/^(not_org_member|forbidden)$/)],
      ]);
    });
  });

  test("one leaves while the other gives the role away: somebody has it afterwards", async () => {
    await eachRound(server, "handing", async (org, one, two, third) => {
      const answers = await Promise.all([
        leave(org, one),
        patch(org, two, two, ["clerk"]),
        patch(org, two, third, ["clerk"]),
      ]);
      const [left, took] = answers.map(({ status }) => status);
      expect([left, took].filter((status) => status === 409)).toHaveLength(1);
    });
  });

  describeMongo("of two instances on one database", () => {
    const instances = twoInstances();

    test("two leave at the same moment, one at each: exactly one does", async () => {
      const [first, second] = instances();
      await eachRound(first, "apart", async (org, one, two) => {
        const answers = await Promise.all([leave(org, one, first), leave(org, two, second)]);
        expect(answers.map(outcome).sort()).toEqual([[204], [409, "last_org_manager"]]);
        expect(outcome(await list(org, one, "", second))).toEqual(outcome(await list(org, one, "", first)));
      });
    });

    test("a role that is taken at one counts no more at the other with the next request", async () => {
      const [first, second] = instances();
      await eachRound(first, "taken", async (org, one, two, third) => {
        expect((await patch(org, two, third, ["clerk"], second)).status).toBe(200);
        expect((await patch(org, one, two, [], first)).status).toBe(200);
        expect(outcome(await patch(org, two, third, [], second))).toEqual([403, "forbidden"]);
        expect((await patch(org, third, third, [], second)).status).toBe(200);
      });
    });
  });
});
