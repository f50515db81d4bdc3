/** What compiles with the clients of the examples and what does not; run by compilers alone. */
import { type Client as Blog, outcome } from "../../generated/blog/client.ts";
import type { Client as Helpdesk, SupportTicketsDocument } from "../../generated/helpdesk/client.ts";
import type { Client as Inventory } from "../../generated/inventory/client.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

function same<A, B>(_: Same<A, B>): void {}

export async function documents({ support }: Helpdesk): Promise<void> {
  const ticket = await support.tickets.get("t1");
  same<typeof ticket, SupportTicketsDocument>(true);
  same<typeof ticket.status, "open" | "pending" | "solved" | "closed">(true);
  // @ts-expect-error not a field
  ticket.state;
  // @ts-expect-error nothing was expanded
  ticket._expanded;

  const org = "o1";
  await support.tickets.create({ subject: "Help", status: "open" }, { org });
  await support.tickets.create({ subject: "Help", status: "open" }, { org, team: "t1" });
  // @ts-expect-error an organization is required
  await support.tickets.create({ subject: "Help", status: "open" });
  // @ts-expect-error of no organization
  await support.customers.create({ name: "Ada", email: "ada@example.com" }, { org });
  // @ts-expect-error required
  await support.tickets.create({ subject: "Help" }, { org });
  // @ts-expect-error not a value
  await support.tickets.create({ subject: "Help", status: "opened" }, { org });
  // @ts-expect-error not a field
  await support.tickets.create({ subject: "Help", status: "open", urgent: true }, { org });
  await support.tickets.patch("t1", { body: null, triage: { note: null } });
  // @ts-expect-error of another type
  await support.tickets.patch("t1", { priority: "high" });
  await support.tickets.replace("t1", { subject: "Help", status: "open" }, { ifMatch: ticket });
  // @ts-expect-error required
  await support.tickets.replace("t1", { status: "open" }, { ifMatch: 3 });
  await support.tickets.update("t1", ({ tags = [] }) => ({ tags: [...tags, "vip"] }));
  // @ts-expect-error not a field
  await support.tickets.update("t1", () => ({ state: "open" }));

  await support.tickets.restore("t1");
  // @ts-expect-error no trash here
  await support.replies.restore("r1");
  // @ts-expect-error no trash here
  await support.replies.list({ deleted: "only" });
}

export async function customIds({ content }: Blog): Promise<void> {
  await content.tags.create({ id: "news", name: "News" });
  // @ts-expect-error chooses its id
  await content.tags.create({ name: "News" });
}

export async function conditions({ support }: Helpdesk, { stock }: Inventory): Promise<void> {
  await support.tickets.list({
    where: {
      status: { $in: ["open", "pending"] },
      due_at: { $between: ["2026-01-01", new Date()] },
      "triage.note": { $icontains: "late" },
      tags: "vip",
      assignee_id: null,
      $or: [{ priority: { $gte: 3 } }, { "_meta.owner": { $isNull: true } }],
      $search: "printer",
    },
    order_by: ["-due_at", "_relevance", "_meta.created_at"],
  });
  // @ts-expect-error no organizations there
  await stock.items.list({ org: "o1" });
  // @ts-expect-error not a field
  await support.tickets.list({ where: { state: "open" } });
  // @ts-expect-error not a value
  await support.tickets.list({ where: { status: "opened" } });
  // @ts-expect-error not an operator
  await support.tickets.list({ where: { status: { $regex: "o" } } });
  // @ts-expect-error of another type
  await support.tickets.list({ where: { priority: { $gt: "1" } } });
  // @ts-expect-error dates are no text
  await support.tickets.list({ where: { due_at: { $like: "2026%" } } });
  // @ts-expect-error objects are compared by their members
  await support.tickets.list({ where: { triage: { $eq: {} } } });
  // @ts-expect-error never null
  await support.tickets.list({ where: { subject: null } });
  // @ts-expect-error not a field, in a group
  await support.tickets.list({ where: { $and: [{ state: "open" }] } });
  // @ts-expect-error searches stand at the top
  await support.tickets.list({ where: { $or: [{ $search: "printer" }] } });
  // @ts-expect-error no text index
  await support.replies.list({ where: { $search: "printer" } });
  // @ts-expect-error not a field
  await support.tickets.list({ order_by: ["-state"] });
  // @ts-expect-error no text index
  await support.replies.list({ order_by: ["_relevance"] });
  // @ts-expect-error no accounts
  await stock.items.list({ where: { "_meta.owner": "u1" } });
  for await (const item of stock.items.iterate({ where: { "dimensions.width_mm": { $lt: 5 } } }))
    same<typeof item.price, number | undefined>(true);
}

export async function expansions({ support }: Helpdesk, { content }: Blog): Promise<void> {
  const reply = await support.replies.get("r1", { expand: ["ticket", "ticket.customer(name,address.city)"] });
  const { ticket } = reply._expanded;
  same<NonNullable<typeof ticket>["subject"], string>(true);
  const customer = ticket?._expanded.customer;
  same<typeof customer, Pick<NonNullable<typeof customer>, "id" | "name" | "address"> | null | undefined>(
    true,
  );
  same<NonNullable<typeof customer>["name"], string>(true);
  same<NonNullable<typeof customer>["address"], { city: string } | undefined>(true);
  // @ts-expect-error may be null
  ticket.subject;
  // @ts-expect-error not selected
  customer?.email;

  const { items } = await content.posts.list({ expand: ["author(name)", "tags"] });
  for (const post of items) {
    const { author, tags } = post._expanded;
    same<typeof author, { id: string; name: string } | null>(true);
    for (const tag of Array.isArray(tags) ? tags : (tags?.items ?? []))
      same<NonNullable<typeof tag>["name"], string>(true);
    // @ts-expect-error not expanded
    post._expanded.comments;
  }
  // @ts-expect-error not a reference
  await content.posts.list({ expand: ["writer"] });
  // @ts-expect-error not a reference of the author
  await content.posts.get("p", { expand: ["author.posts"] });
  // @ts-expect-error not a field of the author
  await content.posts.get("p", { expand: ["author(name,title)"] });
  // @ts-expect-error nothing to expand
  await content.tags.get("t", { expand: ["posts"] });
}

export async function aggregations({ support }: Helpdesk): Promise<void> {
  const { groups } = await support.tickets.aggregate({
    group_by: ["status", "due_at:month"],
    metrics: ["count", "avg:priority"],
    order_by: ["-count", "due_at"],
  });
  for (const group of groups) {
    same<typeof group.key.due_at, string | null>(true);
    same<typeof group.key.status, "open" | "pending" | "solved" | "closed" | null>(true);
    same<(typeof group)["avg:priority"], number | null>(true);
    // @ts-expect-error not measured
    group["max:priority"];
    // @ts-expect-error not grouped by
    group.key.priority;
  }
  const [whole] = (await support.tickets.aggregate()).groups;
  same<NonNullable<typeof whole>["count"], number>(true);
  // @ts-expect-error not declared
  await support.tickets.aggregate({ group_by: ["subject"] });
  // @ts-expect-error no date
  await support.tickets.aggregate({ group_by: ["status:month"] });
  // @ts-expect-error not declared
  await support.tickets.aggregate({ metrics: ["sum:priority"] });
  // @ts-expect-error not asked for
  await support.tickets.aggregate({ group_by: ["status"], order_by: ["priority"] });
  // @ts-expect-error nothing is aggregated
  await support.replies.aggregate();
}

export async function batches({ support }: Helpdesk, { content }: Blog): Promise<void> {
  const [made, changed, gone] = await support.$batch([
    { op: "create", collection: "tickets", document: { subject: "Help", status: "open" } },
    { op: "patch", collection: "customers", id: "c1", patch: { plan: "team" }, if_match: "3" },
    { op: "delete", collection: "replies", id: "r1" },
  ]);
  same<typeof made.status, "open" | "pending" | "solved" | "closed">(true);
  same<typeof changed.name, string>(true);
  same<typeof gone, { id: string }>(true);
  // @ts-expect-error required
  await support.$batch([{ op: "create", collection: "tickets", document: { subject: "Help" } }]);
  // @ts-expect-error of another database
  await support.$batch([{ op: "delete", collection: "posts", id: "p" }]);
  // @ts-expect-error chooses its id
  await content.$batch([{ op: "create", collection: "tags", document: { name: "News" } }]);
}

export async function organizations({ $orgs, $admin }: Helpdesk, blog: Blog): Promise<void> {
  const { effective_roles, status } = await $orgs.accept("svi_x");
  same<(typeof effective_roles)[number]["role"], "agent" | "manager" | "member" | "planner">(true);
  same<typeof status, "active" | "orphaned">(true);
  await $orgs.invite("o1", { email: "ada@example.com", roles: ["agent"], send: true });
  // @ts-expect-error a role of the realm, not of organizations
  await $orgs.setRoles("o1", "u1", ["auditor"]);
  await $orgs.teams.giveRole("o1", "t1", { user: "u1", role: "lead", until: new Date() });
  // @ts-expect-error no role of teams
  await $orgs.teams.giveRole("o1", "t1", { user: "u1", role: "agent" });
  const found = await $admin.getOrganization("o1");
  same<typeof found.status, "active" | "orphaned" | "deleted">(true);
  // @ts-expect-error blog has no organizations
  blog.$orgs;
}

export async function errors({ content, $admin }: Blog, { $auth }: Helpdesk): Promise<string> {
  const made = await outcome(content.tags.create({ id: "news", name: "News" }));
  if (made.ok) return made.value.name;
  switch (made.error.code) {
    case "id_taken":
      return "taken";
    case "validation_error":
      return made.error.details.map(({ path }) => path).join();
    // @ts-expect-error no unique index
    case "conflict":
      return "";
  }
  const kept = await outcome($admin.data.content.tags.get("news"));
  if (!kept.ok && kept.error.code === "reauth_required") return kept.error.request_id;
  const login = await outcome($auth.logIn({ email: "ada@example.com", password: "correct horse" }));
  if (!login.ok && login.error.code === "mfa_required") return "code";
  return "";
}

export async function people({ $auth, $admin }: Helpdesk, blog: Blog, inventory: Inventory): Promise<void> {
  await $auth.signUp({ email: "ada@example.com", password: "correct horse", profile: { name: "Ada" } });
  // @ts-expect-error not in the profile
  await $auth.patchMe({ profile: { age: 36 } });
  await $admin.patchUser("u1", { roles: ["agent"] });
  // @ts-expect-error not a role
  await $admin.patchUser("u1", { roles: ["boss"] });
  // @ts-expect-error not a collection
  await $admin.createKey({ name: "k", scopes: { read: ["support/orders"] } });
  // @ts-expect-error by invitation only
  await blog.$auth.signUp({ email: "ada@example.com", password: "correct horse" });
  // @ts-expect-error no second factors
  await blog.$auth.enrolTotp();
  // @ts-expect-error no accounts
  inventory.$auth;
  // @ts-expect-error no accounts
  await inventory.$admin.listUsers();
}
