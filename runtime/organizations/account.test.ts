import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { changeOrganization } from "./change.ts";
import { collections } from "./collections.ts";
import { settleManagers } from "./managers.ts";
import {
  type OrganizationRecord,
  readOrganizationInvitation,
  writeMember,
  writeOrganizationInvitation,
} from "./records.ts";
import { type Organizations, startOrganizations } from "./testing/realm.ts";

const rounds = 20;

let server: Organizations;
let admin: string;

beforeAll(async () => {
  server = await startOrganizations();
  admin = await server.adminKey();
});

afterAll(() => server.stop());

async function setDisabled({ id }: Person, disabled: boolean): Promise<number> {
  const sent = { token: admin, body: { disabled } };
  return (await server.send("PATCH", `/_admin/users/${id}`, sent)).status;
}

async function deleteAccount({ id }: Person): Promise<number> {
  return (await server.send("DELETE", `/_admin/users/${id}`, { token: admin })).status;
}

/** What a member does who leaves. */
function leave({ id }: OrganizationRecord, person: Person): Promise<string> {
  const realm = { store: server.store("shop"), clock: server.clock, settings: server.settings };
  return changeOrganization(realm, id, async ({ record }) => {
    const before = await server.member({ id }, person);
    if (before === undefined) return { result: "no member" };
    const members = [{ user: person.id, before, after: undefined }];
    const { org, along } = await settleManagers(realm, { before: record, after: record, members });
    return {
      org,
      result: "left",
      async along(transaction) {
        await along(transaction);
        await transaction.collection(collections.members).remove(before.id);
      },
    };
  });
}

const leaving = (org: OrganizationRecord, person: Person) =>
  leave(org, person).catch((error: unknown) =>
    error instanceof Error && "code" in error ? String(error.code) : String(error),
  );

const statusOf = async (org: OrganizationRecord) => (await server.org(org))?.status;

/** Who can manage an organization, by what is stored. */
async function managersOf(org: OrganizationRecord, people: readonly Person[]): Promise<readonly string[]> {
  const managing: string[] = [];
  for (const { id, email } of people) {
    const member = await server.member(org, { id });
    const { status, body } = await server.send("GET", `/_admin/users/${id}`, { token: admin });
    if (member?.roles.includes("owner") && status === 200 && body["status"] === "active")
      managing.push(email);
  }
  return managing;
}

describe("Organization: orphaned", () => {
  test("disabling the account of the last who can manage it, until one such account is enabled again", async () => {
    const { ann, bob, cat } = await server.people("ann", "bob", "cat");
    const org = await server.createOrg(ann);
    const other = await server.createOrg(cat);
    await server.join(org, bob, { roles: ["owner"] });
    await server.join(org, cat, { roles: ["clerk"] });
    await server.join(other, ann, { roles: ["clerk"] });
    expect([await setDisabled(ann, true), await statusOf(org)]).toEqual([200, "active"]);
    expect([await setDisabled(bob, true), await statusOf(org)]).toEqual([200, "orphaned"]);
    // Those who manage nothing change nothing.
    expect([await setDisabled(cat, true), await statusOf(org), await statusOf(other)]).toEqual([
      200,
      "orphaned",
      "orphaned",
    ]);
    expect([await setDisabled(cat, false), await statusOf(org), await statusOf(other)]).toEqual([
      200,
      "orphaned",
      "active",
    ]);
    expect([await setDisabled(ann, false), await statusOf(org)]).toEqual([200, "active"]);
    expect(await server.member(org, bob)).toMatchObject({ roles: ["owner"] });
  });

  test("a manager through a team, or by default, counts as any other", async () => {
    const { dan, eve } = await server.people("dan", "eve");
    const org = await server.createOrg(dan);
    const team = await server.createTeam(org, "Board", ["owner"]);
    await server.join(org, eve, { teams: [team] });
    expect([await setDisabled(dan, true), await statusOf(org)]).toEqual([200, "active"]);
    await setDisabled(dan, false);
    await server.changeOrg(org, (before) => ({ ...before, teams: [] }));
    expect([await setDisabled(dan, true), await statusOf(org)]).toEqual([200, "orphaned"]);
  });

  test("deleting the account of the last who can manage it; whoever is left goes on being a member", async () => {
    const { fay, gus } = await server.people("fay", "gus");
    const org = await server.createOrg(fay);
    await server.join(org, gus);
    const headers = await server.proof(fay);
    expect((await server.send("DELETE", "/_auth/me", { token: fay.token, headers })).status).toBe(204);
    expect(await statusOf(org)).toBe("orphaned");
    expect(await server.member(org, fay)).toBeUndefined();
    expect(await server.member(org, gus)).toBeDefined();
  });

  test("one who was disabled before could not manage it: deleting them changes nothing", async () => {
    const { hal, ida } = await server.people("hal", "ida");
    const org = await server.createOrg(hal);
    await server.join(org, ida, { roles: ["owner"] });
    await setDisabled(ida, true);
    await deleteAccount(ida);
    expect(await statusOf(org)).toBe("active");
    expect(await server.member(org, ida)).toBeUndefined();
  });

  test("a change that changes nothing of the account leaves organizations alone, deleted ones too", async () => {
    const { jon } = await server.people("jon");
    const [org, gone] = [await server.createOrg(jon), await server.createOrg(jon)];
    await server.changeOrg(gone, (before) => ({ ...before, status: "deleted", slug_key: null }));
    await setDisabled(jon, false);
    await server.send("PATCH", `/_admin/users/${jon.id}`, { token: admin, body: { locale: "de" } });
    expect([await statusOf(org), await statusOf(gone)]).toEqual(["active", "deleted"]);
    await setDisabled(jon, true);
    await setDisabled(jon, true);
    expect([await statusOf(org), await statusOf(gone)]).toEqual(["orphaned", "deleted"]);
  });
});

test("Organization: a deleted account leaves every organization, and nothing of it is kept but its id", async () => {
  const { kim, lea } = await server.people("kim", "lea");
  const orgs = [await server.createOrg(lea), await server.createOrg(lea), await server.createOrg(kim)];
  for (const org of orgs.slice(0, 2)) await server.join(org, kim, { roles: ["clerk"] });
  const [first] = orgs;
  const store = server.store("shop");
  const created_at = "2026-01-01T00:00:00.000Z";
  const invitation = {
    id: "invitation1",
    org: first?.id ?? "",
    token: "t",
    binding: "email",
    user: null,
    email: kim.email,
    roles: [],
    teams: [],
    max_uses: 1,
    uses: 1,
    used_by: [kim.id],
    revoked: false,
    expires_at: created_at,
    created_at,
    created_by: `user:${lea.id}`,
  } as const;
  const pending = { ...invitation, id: "invitation2", token: "u", used_by: [], uses: 0 };
  await store.transaction(async (transaction) => {
    const invitations = transaction.collection(collections.invitations);
    await invitations.insert(writeOrganizationInvitation(invitation, 1));
    await invitations.insert(writeOrganizationInvitation(pending, 1));
  });

  expect(await deleteAccount(kim)).toBe(204);
  for (const org of orgs) expect(await server.member(org, kim)).toBeUndefined();
  const emailOf = async (id: string) => {
    const document = await store.collection(collections.invitations).get(id, "live");
    return document && readOrganizationInvitation(document).record.email;
  };
  expect([await emailOf("invitation1"), await emailOf("invitation2")]).toEqual([null, kim.email]);
});

describe("Organization endpoints 2: the last who can manage the organization, at the same moment", () => {
  /** Two managers of a new organization each round. */
  async function eachRound(
    name: string,
    play: (org: OrganizationRecord, one: Person, two: Person) => Promise<void>,
  ): Promise<void> {
    const one = await server.signup(`${name}-one@example.com`);
    const two = await server.signup(`${name}-two@example.com`);
    for (let round = 0; round < rounds; round += 1) {
      const org = await server.createOrg(one);
      await server.join(org, two, { roles: ["owner"] });
      await play(org, one, two);
    }
  }

  test("two leave: exactly one does", async () => {
    await eachRound("leave", async (org, one, two) => {
      const outcomes = await Promise.all([leaving(org, one), leaving(org, two)]);
      expect([...outcomes].sort()).toEqual(["last_org_manager", "left"]);
      expect(await statusOf(org)).toBe("active");
    });
  });

  test("one leaves while the other is disabled: orphaned exactly if nobody is left", async () => {
    await eachRound("disable", async (org, one, two) => {
      const [outcome, status] = await Promise.all([leaving(org, one), setDisabled(two, true)]);
      expect(status).toBe(200);
      const left = await managersOf(org, [one, two]);
      expect([left.length, await statusOf(org)]).toEqual(
        outcome === "left" ? [0, "orphaned"] : [1, "active"],
      );
      await setDisabled(two, false);
      expect(await statusOf(org)).toBe("active");
    });
  });

  test("one is disabled while the other is enabled: somebody who can manage it makes it active", async () => {
    await eachRound("toggle", async (org, one, two) => {
      await setDisabled(two, true);
      expect(await Promise.all([setDisabled(one, true), setDisabled(two, false)])).toEqual([200, 200]);
      expect([await managersOf(org, [one, two]), await statusOf(org)]).toEqual([[two.email], "active"]);
      await setDisabled(one, false);
    });
  });

  test("both are disabled: orphaned", async () => {
    await eachRound("both", async (org, one, two) => {
      expect(await Promise.all([setDisabled(one, true), setDisabled(two, true)])).toEqual([200, 200]);
      expect(await statusOf(org)).toBe("orphaned");
      await Promise.all([setDisabled(one, false), setDisabled(two, false)]);
      expect(await statusOf(org)).toBe("active");
    });
  });

  test("one leaves while the other's account is deleted: orphaned exactly if nobody is left", async () => {
    const { stay } = await server.people("stay");
    for (let round = 0; round < rounds; round += 1) {
      const gone = await server.signup(`gone${round}@example.com`);
      const org = await server.createOrg(stay);
      await server.join(org, gone, { roles: ["owner"] });
      const [outcome, status] = await Promise.all([leaving(org, stay), deleteAccount(gone)]);
      expect(status).toBe(204);
      expect(await server.member(org, gone)).toBeUndefined();
      const left = await managersOf(org, [stay, gone]);
      expect([left.length, await statusOf(org)]).toEqual(
        outcome === "left" ? [0, "orphaned"] : [1, "active"],
      );
    }
  });

  test("one is made a manager, the only other leaves, and the new one is disabled: orphaned if nobody is left", async () => {
    const { ned, oda } = await server.people("ned", "oda");
    const realm = { store: server.store("shop"), clock: server.clock, settings: server.settings };
    const promote = (org: OrganizationRecord) =>
      changeOrganization(realm, org.id, async ({ record }) => {
        const before = await server.member(org, oda);
        if (before === undefined) throw new Error("no member");
        const after = { ...before, roles: ["owner"] };
        const members = [{ user: oda.id, before, after }];
        const settled = await settleManagers(realm, { before: record, after: record, members });
        return {
          ...settled,
          result: undefined,
          along: async (transaction) => {
            await settled.along(transaction);
            const stored = transaction.collection(collections.members);
            const document = await stored.get(after.id, "live");
            await stored.replace(document?.version ?? 0, writeMember(after, (document?.version ?? 0) + 1));
          },
        };
      });
    for (let round = 0; round < rounds; round += 1) {
      const org = await server.createOrg(ned);
      await server.join(org, oda);
      const [, , status] = await Promise.all([promote(org), leaving(org, ned), setDisabled(oda, true)]);
      expect(status).toBe(200);
      const left = await managersOf(org, [ned, oda]);
      expect(await statusOf(org)).toBe(left.length === 0 ? "orphaned" : "active");
      await setDisabled(oda, false);
      expect(await statusOf(org)).toBe("active");
    }
  });
});
