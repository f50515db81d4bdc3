/** A running server, driven through the emitted clients alone. */
import { HOTP, Secret } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError, type Client, createClient, outcome } from "../../generated/helpdesk/client.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { changeUser } from "../../runtime/auth/users.ts";
import { type HeldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";

const password = "correct horse";
let server: Started<HeldClock>;
/** With an administrator's key. */
let operator: Client;
/** Signed in, as an agent of the organization. */
let agent: Client;
/** Signed in, without a role in the realm; created the organization. */
let customer: Client;
let org: string;

beforeAll(async () => {
  server = await startRealm(helpdesk);
  const token = await createKey(server.store("helpdesk"), server.clock, { name: "operator", admin: true });
  operator = createClient({ baseUrl: server.url, token: async () => token });
  agent = createClient({ baseUrl: server.url });
  customer = createClient({ baseUrl: `${server.url}/` });
  await operator.$admin.createUser({ email: "agent@example.com", password, roles: ["agent"] });
  await agent.$auth.logIn({ email: "agent@example.com", password });
  await customer.$auth.signUp({ email: "ada@example.com", password, profile: { name: "Ada" } });
  org = (await customer.$orgs.create({ name: "Engines" })).id;
  await operator.$admin.putMember(org, (await agent.$auth.me()).id, ["agent"]);
});
afterAll(() => server.stop());

const question = { subject: "Printer on fire", status: "open" } as const;

async function codeOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => "no error",
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
}

describe("documents", () => {
  it("are made, read, changed, replaced, deleted, restored and purged", async () => {
    const { tickets } = agent.support;
    const made = await tickets.create({ ...question, priority: 2 }, { org });
    expect(await tickets.get(made.id)).toEqual(made);
    const patched = await tickets.patch(made.id, { priority: null, tags: ["fire"] }, { ifMatch: made });
    expect(patched).toMatchObject({ tags: ["fire"], _meta: { version: 2 } });
    expect(patched).not.toHaveProperty("priority");
    const replaced = await tickets.replace(made.id, { ...question, subject: "Out" }, { ifMatch: 2 });
    expect(replaced).not.toHaveProperty("tags");
    expect(await codeOf(tickets.delete(made.id, { ifMatch: made }))).toBe("version_mismatch");
    expect(await tickets.delete(made.id, { ifMatch: "*" })).toBeUndefined();
    expect(await codeOf(tickets.get(made.id))).toBe("not_found");
    const deleted = await operator.support.tickets.list({ deleted: "only" });
    expect(deleted.items.map(({ id }) => id)).toEqual([made.id]);
    expect((await operator.support.tickets.restore(made.id)).subject).toBe("Out");
    await operator.support.tickets.purge(made.id);
    expect(await codeOf(operator.support.tickets.get(made.id, { deleted: "include" }))).toBe("not_found");
  });

  it("an update begins again when somebody writes in between, and gives up after the attempts it has", async () => {
    const { tickets } = agent.support;
    const { id } = await tickets.create(question, { org });
    let seen = 0;
    const updated = await tickets.update(id, async ({ tags = [] }) => {
      if (seen++ === 0) await tickets.patch(id, { tags: ["first"] });
      return { tags: [...tags, "second"] };
    });
    expect(updated.tags).toEqual(["first", "second"]);
    expect(seen).toBe(2);
    const disturbed = tickets.update(
      id,
      async () => {
        await tickets.patch(id, { priority: 1 });
        return { priority: 4 };
      },
      { attempts: 3 },
    );
    expect(await codeOf(disturbed)).toBe("version_mismatch");
    expect(await tickets.get(id)).toMatchObject({ priority: 1, _meta: { version: 6 } });
    expect((await tickets.update(id, () => undefined))._meta.version).toBe(6);
  });

  it("what the caller may not see is missing, and an update of the rest works all the same", async () => {
    const { id } = await customer.support.tickets.create(question, { org });
    await agent.support.tickets.patch(id, { triage: { severity: "high" } });
    expect(await customer.support.tickets.get(id)).not.toHaveProperty("triage");
    const updated = await customer.support.tickets.update(id, () => ({ body: "Smoke!" }));
    expect(updated.body).toBe("Smoke!");
    expect((await agent.support.tickets.get(id)).triage).toEqual({ severity: "high" });
  });

  it("reads answer the very object that is known while it is what the server would send", async () => {
    const { tickets } = agent.support;
    const known = await tickets.create(question, { org });
    const read = await tickets.get(known.id);
    expect(await tickets.get(known.id, { known: read })).toBe(read);
    const page = await tickets.list({ where: { id: known.id } });
    expect(await tickets.list({ where: { id: known.id }, known: page })).toBe(page);
    await tickets.patch(known.id, { priority: 3 });
    expect((await tickets.get(known.id, { known: read })).priority).toBe(3);
    expect((await tickets.list({ where: { id: known.id }, known: page })).items).toHaveLength(1);
  });

  it("a create with an idempotency key has its effect once", async () => {
    const { tickets } = agent.support;
    const first = await tickets.create(question, { org, idempotencyKey: "k1" });
    expect(await tickets.create(question, { org, idempotencyKey: "k1" })).toEqual(first);
    const reused = tickets.create({ ...question, priority: 1 }, { org, idempotencyKey: "k1" });
    expect(await codeOf(reused)).toBe("idempotency_key_reused");
  });
});

describe("queries", () => {
  const tag = "queries";
  beforeAll(async () => {
    const customers = await agent.support.$batch([
      { op: "create", collection: "customers", document: { name: "Ada", email: "ada@example.com" } },
    ]);
    for (let number = 1; number <= 5; number++) {
      const ticket = {
        subject: `Printer ${number}`,
        status: "open",
        priority: (number % 2) + 1,
        due_at: `2026-0${number}-01T00:00:00Z`,
        customer_id: customers[0].id,
      } as const;
      const { id } = await agent.support.tickets.create({ ...ticket, tags: [tag] }, { org });
      if (number > 3) await agent.support.tickets.patch(id, { status: "pending" });
    }
  });

  it("iterate over every page, by cursors", async () => {
    const subjects: string[] = [];
    const all = agent.support.tickets.iterate({ where: { tags: tag }, order_by: ["-due_at"], pageSize: 2 });
    for await (const { subject } of all) subjects.push(subject);
    expect(subjects).toEqual([5, 4, 3, 2, 1].map((number) => `Printer ${number}`));
  });

  it("iterate where the order has no cursor, as with the best matches first", async () => {
    const ids = new Set<string>();
    const where = { tags: tag, $search: "printers" };
    for await (const { id } of agent.support.tickets.iterate({
      where,
      order_by: ["_relevance"],
      pageSize: 2,
    }))
      ids.add(id);
    expect(ids.size).toBe(5);
  });

  it("filter, count and page", async () => {
    const where = { tags: tag, due_at: { $gte: new Date("2026-02-01") }, $or: [{ priority: 1 }] };
    const page = await agent.support.tickets.list({ where, limit: 1, count: true });
    expect(page).toMatchObject({ limit: 1, total: 2, has_more: true });
    const next = await agent.support.tickets.list({ where, limit: 1, after: page.next_cursor });
    expect(next).toMatchObject({ has_more: false });
    expect(await agent.support.tickets.count({ where: { tags: tag } })).toBe(5);
  });

  it("expand references", async () => {
    const [ticket] = (await agent.support.tickets.list({ where: { tags: tag }, expand: ["customer(name)"] }))
      .items;
    expect(ticket?._expanded.customer).toEqual({ id: ticket?.customer_id, name: "Ada" });
    const reply = await agent.support.replies.create(
      { ticket_id: ticket?.id ?? "", text: "On my way" },
      { org },
    );
    const read = await agent.support.replies.get(reply.id, { expand: ["ticket.customer"] });
    expect(read._expanded.ticket?._expanded.customer?.email).toBe("ada@example.com");
  });

  it("aggregate", async () => {
    const { groups } = await agent.support.tickets.aggregate({
      where: { tags: tag },
      group_by: ["status"],
      metrics: ["count", "avg:priority"],
      order_by: ["-count"],
    });
    expect(groups).toEqual([
      { key: { status: "open" }, count: 3, "avg:priority": 5 / 3 },
      { key: { status: "pending" }, count: 2, "avg:priority": 1.5 },
    ]);
  });
});

describe("errors", () => {
  it("are what the server said", async () => {
    const wrong = { where: { subject: { $like: "%%%%%" } } };
    const listed = await outcome(agent.support.tickets.list(wrong));
    if (listed.ok) throw new Error("it was answered");
    expect(listed.error).toMatchObject({
      name: "ApiError",
      code: "invalid_query",
      status: 400,
      details: [{ path: "where.subject.$like", reason: expect.any(String) }],
      request_id: expect.stringMatching(/./),
    });
  });

  it("of a batch name the operation, and nothing is done", async () => {
    const { tickets } = agent.support;
    const { id } = await tickets.create(question, { org });
    const batch = await outcome(
      agent.support.$batch([
        { op: "patch", collection: "tickets", id, patch: { priority: 4 } },
        { op: "delete", collection: "tickets", id, if_match: "1" },
      ]),
    );
    expect(batch).toMatchObject({ ok: false, error: { code: "version_mismatch", details: [{ path: "1" }] } });
    expect(await tickets.get(id)).not.toHaveProperty("priority");
  });

  it("refusals depend on who asks", async () => {
    const stranger = createClient({ baseUrl: server.url });
    expect(await codeOf(stranger.support.customers.list())).toBe("unauthenticated");
    expect(await codeOf(customer.support.customers.list())).toBe("forbidden");
    expect(await codeOf(customer.$admin.data.support.tickets.list())).toBe("forbidden");
  });
});

describe("accounts", () => {
  it("a session is used from the login to the logout, and no other client's", async () => {
    const client = createClient({ baseUrl: server.url });
    const { user, session } = await client.$auth.logIn({ email: "ada@example.com", password });
    expect(await client.$auth.me()).toEqual(user);
    expect(user.profile).toEqual({ name: "Ada" });
    const again = createClient({ baseUrl: server.url, token: session.token });
    expect((await again.$auth.patchMe({ locale: "de-CH", profile: { phone: "1" } })).profile).toEqual({
      name: "Ada",
      phone: "1",
    });
    const { items } = await client.$auth.sessions();
    expect(items.filter(({ current }) => current).map(({ id }) => id)).toEqual([session.id]);
    await client.$auth.logOut();
    expect(await codeOf(client.$auth.me())).toBe("unauthenticated");
    expect(await codeOf(again.$auth.me())).toBe("unauthenticated");
  });

  it("sensitive operations take a proof, a login the code of a second factor", async () => {
    const client = createClient({ baseUrl: server.url });
    const email = "grace@example.com";
    const { user } = await client.$auth.signUp({ email, password });
    expect(await codeOf(client.$auth.enrolTotp())).toBe("reauth_required");
    const { proof } = await client.$auth.reauthenticate({ password });
    expect(await codeOf(client.$auth.enrolTotp({ proof }))).toBe("forbidden");
    await changeUser(server.store("helpdesk"), user.id, (before) => ({ ...before, email_verified: true }));
    const { secret } = await client.$auth.enrolTotp({ proof });
    const code = (): string =>
      HOTP.generate({
        secret: Secret.fromBase32(secret),
        counter: Math.floor(server.clock.now() / 30_000),
      });
    expect((await client.$auth.confirmTotp({ code: code() })).recovery_codes.length).toBeGreaterThan(0);
    server.clock.advance(30_000);
    expect(await codeOf(client.$auth.logIn({ email, password }))).toBe("mfa_required");
    await client.$auth.logIn({ email, password, code: code() });
    server.clock.advance(30_000);
    const again = await client.$auth.reauthenticate({ code: code() });
    expect((await client.$auth.renewRecoveryCodes({ proof: again.proof })).recovery_codes).toHaveLength(10);
    await client.$auth.deleteMe({ proof: again.proof });
    expect(await codeOf(client.$auth.me())).toBe("unauthenticated");
  });

  it("a key acts for a user", async () => {
    const { items } = await operator.$admin.listUsers({ q: "ada@" });
    const ada = items[0]?.id ?? "";
    const { key, ...entry } = await operator.$admin.createKey({
      name: "agent for users",
      scopes: { read: "*", write: ["support/tickets"] },
      on_behalf_of: true,
    });
    const acting = createClient({ baseUrl: server.url, token: key });
    const made = await acting.support.tickets.create(question, { org, onBehalfOf: ada });
    expect(made._meta.owner).toBe(ada);
    expect((await operator.$admin.listKeys()).items).toContainEqual(entry);
    await operator.$admin.revokeKey(entry.id);
    expect(await codeOf(acting.support.tickets.get(made.id))).toBe("unauthenticated");
  });
});

describe("administration", () => {
  it("of users, invitations, secrets, configuration and documents", async () => {
    const { $admin } = operator;
    const user = await $admin.createUser({ email: "new@example.com", password, roles: [] });
    expect(await $admin.patchUser(user.id, { disabled: true, roles: ["auditor"] })).toMatchObject({
      status: "disabled",
      roles: ["auditor"],
    });
    expect((await $admin.listUsers({ status: "disabled" })).items).toHaveLength(1);
    expect(await $admin.listUserSessions(user.id)).toMatchObject({ items: [], has_more: false });
    await $admin.deleteUser(user.id);
    expect(await codeOf($admin.getUser(user.id))).toBe("not_found");

    const invitation = await $admin.createInvitation({ roles: ["agent"], expires_in: "1d" });
    expect(invitation.token).toMatch(/^svi_/);
    await $admin.revokeInvitation(invitation.id);
    expect((await $admin.listInvitations()).items).toMatchObject([{ status: "revoked" }]);

    await $admin.putSecret("STRIPE_KEY", "sk_1");
    expect((await $admin.listSecrets()).items).toMatchObject([{ name: "STRIPE_KEY" }]);
    await $admin.deleteSecret("STRIPE_KEY");

    expect(await $admin.getAppConfig()).toEqual({ accepting_tickets: true });
    await $admin.putAppConfig({ accepting_tickets: false });
    expect(await codeOf(customer.support.tickets.create(question, { org }))).toBe("forbidden");
    await $admin.putAppConfig({ accepting_tickets: true });
    expect((await $admin.getConfig()).fingerprint).toBe("test");

    const ticket = await $admin.data.support.tickets.create(question, { org });
    expect(ticket._meta.owner).toBeNull();
    expect(await $admin.checkDocuments("support", "tickets")).toMatchObject({ invalid: 0 });
    const people = [{ name: "Ada", email: "imported@example.com" }, { name: 7 }];
    expect(await $admin.importDocuments("support", "customers", { documents: people })).toMatchObject({
      written: 1,
      rejected: [{ at: 1 }],
    });
    const { items } = await $admin.listAudit({ action: "data.create" });
    expect(items[0]?.target).toBe(`document:support/tickets/${ticket.id}`);
  });
});

describe("organizations", () => {
  const joined = async (name: string): Promise<{ readonly client: Client; readonly id: string }> => {
    const client = createClient({ baseUrl: server.url });
    const { user } = await client.$auth.signUp({ email: `${name}@example.com`, password });
    return { client, id: user.id };
  };

  it("are joined by invitation, worked in by teams, and left", async () => {
    const { $orgs } = customer;
    const { client: charles, id } = await joined("charles");
    expect(await codeOf(charles.$orgs.get(org))).toBe("not_org_member");
    const invitation = await $orgs.invite(org, { user: id, roles: ["planner"] });
    expect((await charles.$orgs.preview(invitation.token)).org.name).toBe("Engines");
    const { token } = await $orgs.renewLink(org, invitation.id);
    expect(await codeOf(charles.$orgs.accept(invitation.token))).toBe("invalid_invitation");
    expect((await charles.$orgs.accept(token)).roles).toEqual(["planner"]);
    expect((await $orgs.invitations(org)).items).toMatchObject([{ id: invitation.id, status: "accepted" }]);
    expect((await charles.$orgs.list()).items.map((each) => each.id)).toEqual([org]);
    expect((await charles.$orgs.members(org)).items.map(({ user }) => user)).toContain(id);

    const { teams } = charles.$orgs;
    const { id: team } = await teams.create(org, { name: "Workshop" });
    expect(await codeOf(teams.create(org, { name: "Workshop" }))).toBe("team_name_taken");
    expect((await teams.patch(org, team, { name: "Mill" })).name).toBe("Mill");
    expect((await teams.addMember(org, team, id)).teams).toEqual([team]);
    const ticket = await charles.support.tickets.create(question, { org, team });
    expect(ticket._meta).toMatchObject({ org, team });
    expect((await charles.support.tickets.list({ org, team })).items).toEqual([ticket]);
    const until = new Date(server.clock.now() + 1_000);
    const role = { user: id, role: "lead" } as const;
    expect((await teams.giveRole(org, team, { ...role, until })).until).toBe(until.toISOString());
    expect((await teams.changeRole(org, team, { ...role, until: null })).until).toBeNull();
    const { items } = await teams.members(org, team, { role: "lead" });
    expect(items.map(({ user, team_roles }) => [user, team_roles])).toEqual([
      [id, [{ role: "lead", from: null, until: null }]],
    ]);
    await teams.takeRole(org, team, role);
    expect((await teams.removeMember(org, team, id)).teams).toEqual([]);
    await teams.delete(org, team);
    expect((await teams.list(org)).items).toEqual([]);

    expect((await $orgs.setRoles(org, id, ["agent"])).roles).toEqual(["agent"]);
    await charles.$orgs.leave(org);
    expect(await codeOf($orgs.removeMember(org, id))).toBe("not_found");
    expect(await codeOf($orgs.leave(org))).toBe("last_org_manager");
  });

  it("are changed and deleted by who manages them, and administered", async () => {
    const { client: owner, id } = await joined("owner");
    const { $orgs } = owner;
    const made = await $orgs.create({ name: "Looms", slug: "looms" });
    expect((await $orgs.patch(made.id, { name: "Power looms" })).name).toBe("Power looms");
    const open = await $orgs.invite(made.id, { max_uses: 2 });
    await $orgs.revokeInvitation(made.id, open.id);
    expect(await codeOf($orgs.sendInvitation(made.id, open.id))).toBe("conflict");
    expect(await codeOf($orgs.delete(made.id))).toBe("reauth_required");
    const { proof } = await owner.$auth.reauthenticate({ password });
    await $orgs.delete(made.id, { proof });

    const { $admin } = operator;
    const { items } = await $admin.listOrganizations({ q: "LOOM", status: "deleted" });
    expect(items.map((each) => each.id)).toEqual([made.id]);
    const again = await $admin.reactivateOrganization(made.id, { slug: "looms-2" });
    expect(again).toMatchObject({ slug: "looms-2", status: "active", member_count: 0 });
    expect((await $admin.listJobs({ status: "succeeded" })).items).toMatchObject([
      { kind: "org_delete", target: `org:${made.id}` },
    ]);
    expect((await $admin.putManager(made.id, id)).member_count).toBe(1);
    expect(await $admin.putClaims(made.id, { plan: "yearly" })).toEqual({ plan: "yearly" });
    expect((await $orgs.get(made.id)).claims).toEqual({ plan: "yearly" });
    expect((await $admin.inviteToOrganization(made.id, { user: id, roles: ["manager"] })).link).toContain(
      "join?token=svi_",
    );
    const bound = await $admin.data.support.tickets.create(question, { org: made.id });
    const moved = await $admin.transferDocument("support", "tickets", bound.id, { org }, { ifMatch: 1 });
    expect(moved["_meta"]).toMatchObject({ org, version: 2 });
    expect(await $admin.countAssignable("support", "tickets", { org, where: {} })).toEqual({ count: 0 });
    expect((await $admin.assignOrganization("support", "tickets", { org, where: {} })).job).toMatch(/./);
    expect((await $admin.listOwned(made.id)).items.map(({ policy }) => policy)).toEqual(["delete", "keep"]);
    expect(await codeOf($admin.removeMember(made.id, id))).toBe("last_org_manager");
    const other = await $admin.createOrganization({ name: "Mills", owner: id });
    expect(await $admin.getOrganization(other.id)).toEqual(other);
    const [job] = (await $admin.listJobs()).items;
    expect(await $admin.getJob(job?.id ?? "")).toEqual(job);
    await $admin.deleteOrganization(other.id);
  });
});
