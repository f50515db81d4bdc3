import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Person, Received } from "../auth/testing/accounts.ts";
import { eq } from "../filter/algebra.ts";
import { findJob } from "../jobs/queue.ts";
import { collections, invitationFields, memberFields } from "./collections.ts";
import {
  memberId,
  type OrganizationInvitationRecord,
  type OrganizationRecord,
  writeMember,
  writeOrganizationInvitation,
} from "./records.ts";
import { type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

function remove(
  { id }: Pick<OrganizationRecord, "id">,
  { token }: Pick<Person, "token">,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return server.send("DELETE", `/_orgs/${id}`, { token, headers });
}

function get({ id }: Pick<OrganizationRecord, "id">, { token }: Pick<Person, "token">): Promise<Received> {
  return server.send("GET", `/_orgs/${id}`, { token });
}

/** Keeps the jobs of the realm from being done: nobody can tell what is due. Answers how to let them. */
function holdJobs(): () => void {
  const store = server.store("shop");
  const now = store.now.bind(store);
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const asked = vi.spyOn(store, "now").mockImplementation(() => held.then(now));
  return () => {
    asked.mockRestore();
    go();
  };
}

/** How many members and invitations an organization has in the store. */
async function belongings({ id }: Pick<OrganizationRecord, "id">): Promise<readonly number[]> {
  const store = server.store("shop");
  return [
    await store.collection(collections.members).count(eq(memberFields.org, id), "all"),
    await store.collection(collections.invitations).count(eq(invitationFields.org, id), "all"),
  ];
}

function invitation(org: string, number: number): OrganizationInvitationRecord {
  return {
    id: `${org}-${number}`,
    org,
    token: `${org} ${number}`,
    binding: "none",
    user: null,
    email: null,
    roles: [],
    teams: [],
    max_uses: 1,
    uses: 0,
    used_by: [],
    revoked: false,
    expires_at: "2027-01-01T00:00:00.000Z",
    created_at: "2026-01-01T00:00:00.000Z",
    created_by: "key:test",
  };
}

test("Organization: deleting one needs manage: org and a fresh proof of identity", async () => {
  const { ann, bob } = await server.people("ann", "bob");
  const org = await server.createOrg(ann);
  await server.join(org, bob, { roles: ["clerk", "keeper"] });
  expect(outcome(await remove(org, bob, await server.proof(bob)))).toEqual([403, "forbidden"]);
  expect(outcome(await remove(org, ann))).toEqual([401, "reauth_required"]);
  // A proof is one of its own session.
  const other = await server.login(ann.email);
  expect(outcome(await remove(org, other, await server.proof(ann)))).toEqual([401, "reauth_required"]);
  const query = await server.send("DELETE", `/_orgs/${org.id}?purge=true`, {
    token: ann.token,
    headers: await server.proof(ann),
  });
  expect(outcome(query)).toEqual([400, "invalid_query"]);
  expect(await server.org(org)).toMatchObject({ status: "active" });
  expect(outcome(await remove(org, ann, await server.proof(ann)))).toEqual([204]);
});

test("Organization: access ends at once: members, teams and invitations are gone, the slug is free, a job is queued", async () => {
  const { cat, dan } = await server.people("cat", "dan");
  const org = await server.createOrg(cat, { slug: "cats", claims: { plan: "gold" } });
  await server.createTeam(org, "Desk", ["clerk"]);
  await server.join(org, dan);
  const store = server.store("shop");
  await store.transaction(async (transaction) => {
    const invitations = transaction.collection(collections.invitations);
    await invitations.insert(writeOrganizationInvitation(invitation(org.id, 1), 1));
  });
  const letJobs = holdJobs();
  const { status, body } = await remove(org, cat, await server.proof(cat));
  expect([status, body]).toEqual([204, {}]);
  for (const person of [cat, dan]) {
    expect(outcome(await get(org, person))).toEqual([403, "not_org_member"]);
    const list = await server.send("GET", "/_orgs", { token: person.token });
    expect(list.body).toEqual({ items: [], has_more: false });
  }
  expect(await belongings(org)).toEqual([0, 0]);
  const now = "2026-01-01T00:00:00.000Z";
  expect(await server.org(org)).toMatchObject({
    status: "deleted",
    slug: "cats",
    slug_key: null,
    teams: [],
    deleted_at: now,
  });
  const [audited] = await server.auditOf(org, "org.delete");
  expect(audited).toMatchObject({ actor: `user:${cat.id}`, details: { job: expect.any(String) } });
  const job = await findJob(store, String(audited?.details["job"]));
  expect(job).toMatchObject({
    kind: "org_delete",
    status: "queued",
    target: `org:${org.id}`,
    created_by: `user:${cat.id}`,
  });
  expect((await server.org(org))?.cleanup).toEqual({ job: job?.id });
  letJobs();
  const again = await server.send("POST", "/_orgs", {
    token: dan.token,
    body: { name: "Cats", slug: "cats" },
  });
  expect(again.status).toBe(201);
  expect(outcome(await remove(org, cat, await server.proof(cat)))).toEqual([403, "not_org_member"]);
});

test("Organization: of very many members too nobody reaches it any more, and nobody is a member of anything", async () => {
  const { eve, fay } = await server.people("eve", "fay");
  const org = await server.createOrg(eve);
  const store = server.store("shop");
  const created_at = "2026-01-01T00:00:00.000Z";
  await store.transaction(async (transaction) => {
    const members = transaction.collection(collections.members);
    const users = Array.from({ length: 450 }, (_, number) => `ghost-${number}`);
    await members.insertAll(
      users.map((user) => {
        const id = memberId(org.id, user);
        return writeMember({ id, org: org.id, user, roles: [], teams: [], team_roles: [], created_at }, 1);
      }),
    );
  });
  // The last of them all.
  await server.join(org, fay);
  const other = await server.createOrg(eve);
  const letJobs = holdJobs();
  expect((await remove(org, eve, await server.proof(eve))).status).toBe(204);
  expect((await belongings(org))[0]).toBeGreaterThan(0);
  expect(outcome(await get(org, fay))).toEqual([403, "not_org_member"]);
  const list = await server.send("GET", "/_orgs", { token: fay.token });
  expect(list.body).toEqual({ items: [], has_more: false });
  letJobs();
  // The next that is queued wakes them all.
  expect((await remove(other, eve, await server.proof(eve))).status).toBe(204);
  await expect.poll(() => belongings(org), { timeout: 20_000 }).toEqual([0, 0]);
});

test("Organization: of two who delete it at the same moment one does, also while somebody joins; it is audited once", async () => {
  const { gus, hal, ida } = await server.people("gus", "hal", "ida");
  const proofs = [await server.proof(gus), await server.proof(hal)];
  for (let round = 0; round < 10; round += 1) {
    const org = await server.createOrg(gus);
    await server.join(org, hal, { roles: ["owner"] });
    const joining = server.join(org, ida).catch(() => undefined);
    const answers = await Promise.all([remove(org, gus, proofs[0]), remove(org, hal, proofs[1])]);
    await joining;
    expect(answers.map(outcome).sort()).toEqual([[204], [403, "not_org_member"]]);
    expect(outcome(await get(org, gus))).toEqual([403, "not_org_member"]);
    const audited = await server.auditOf(org, "org.delete");
    expect(audited).toHaveLength(1);
  }
});
