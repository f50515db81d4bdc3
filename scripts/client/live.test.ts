/** Live queries of the emitted client with a running server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Client,
  createClient,
  type Live,
  type LiveState,
  type SubscriptionEnd,
  type SupportTicketsDocument,
} from "../../generated/helpdesk/client.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { createKey } from "../../runtime/auth/command-keys.ts";
import {
  type HeldClock,
  type Started,
  startRealm,
  testSettings,
} from "../../runtime/instance/testing/servers.ts";
import { until, untilHolds } from "../../runtime/testing/until.ts";

/** Streams may be opened as often as it takes: the server's clock stands still. */
const quick = {
  ...testSettings.realtime,
  limits: { ...testSettings.realtime.limits, streamsPerSecond: 1_000 },
};
const password = "correct horse";
let server: Started<HeldClock>;
/** With an administrator's key. */
let operator: Client;
/** Created the organization, and sees all of its tickets. */
let manager: Client;
/** Works on the organization's tickets. */
let agent: Client;
/** Member of the organization: sees tickets of their own. */
let member: Client;
let org: string;
/** Connections of the clients, which the test cuts. */
const connections = new Set<AbortController>();

/** `fetch` over connections that {@link cut} breaks. */
const breakable: typeof fetch = (input, init) => {
  const connection = new AbortController();
  connections.add(connection);
  init?.signal?.addEventListener("abort", () => connection.abort());
  return fetch(input, { ...init, signal: connection.signal });
};

function cut(): void {
  for (const connection of connections) connection.abort();
  connections.clear();
}

const clientOf = (token?: string): Client =>
  createClient({
    baseUrl: server.url,
    fetch: breakable,
    token,
    retryDelay: () => 20,
  });

async function joined(name: string): Promise<Client> {
  const client = clientOf();
  await client.$auth.signUp({ email: `${name}@example.com`, password, profile: { name } });
  return client;
}

beforeAll(async () => {
  server = await startRealm(helpdesk, { settings: { realtime: quick } });
  operator = clientOf(await createKey(server.store("helpdesk"), server.clock, { name: "op", admin: true }));
  manager = await joined("manager");
  org = (await manager.$orgs.create({ name: "Engines" })).id;
  agent = await joined("agent");
  await operator.$admin.putMember(org, (await agent.$auth.me()).id, ["agent"]);
  member = await joined("member");
  await operator.$admin.putMember(org, (await member.$auth.me()).id, ["member"]);
});
afterAll(() => server.stop());

type Ticket = SupportTicketsDocument;

/** Until what it shows is what is wanted. */
async function shows(live: Live<Ticket>, wanted: (documents: readonly Ticket[]) => boolean): Promise<void> {
  await untilHolds(() => wanted(live.documents));
}

const subjects = (documents: readonly Ticket[]) => documents.map(({ subject }) => subject).join();

async function reached(live: Live<Ticket>, state: LiveState): Promise<void> {
  await until(() => expect(live.state).toBe(state));
}

describe("a live query", () => {
  it("shows each caller what their own list answers, while others write, through cuts", async () => {
    const all = manager.support.tickets.live({ order_by: ["-priority", "subject"] });
    const open = manager.support.tickets.live({ where: { status: "open" }, limit: 3 });
    const own = member.support.tickets.live({ order_by: ["subject"] });
    await Promise.all([all, open, own].map((live) => reached(live, "live")));
    const ids: string[] = [];
    for (let number = 0; number < 30; number++) {
      const writer = number % 3 === 0 ? member : agent;
      const ticket = { subject: `T${number}`, status: "open", priority: (number % 4) + 1 } as const;
      ids.push((await writer.support.tickets.create(ticket, { org })).id);
      const id = ids[(number * 7) % ids.length] ?? "";
      if (number % 4 === 1) await agent.support.tickets.patch(id, { status: "pending", priority: null });
      if (number % 5 === 2) await agent.support.tickets.delete(ids.splice(0, 1)[0] ?? "");
      if (number % 10 === 5) cut();
    }
    for (const [live, client, query] of [
      [all, manager, { order_by: ["-priority", "subject"], limit: 100 }],
      [open, manager, { where: { status: "open" }, limit: 3 }],
      [own, member, { order_by: ["subject"], limit: 100 }],
    ] as const) {
      const { items } = await client.support.tickets.list({
        ...query,
        order_by: [...(query.order_by ?? [])],
      });
      await shows(live, (documents) => JSON.stringify(documents) === JSON.stringify(items));
      expect(live.documents).toEqual(items);
    }
    expect(own.documents.length).toBeLessThan(all.documents.length);
    for (const live of [all, open, own]) live.close();
  });

  it("follows one document by its id, to the trash and back", async () => {
    const { id } = await agent.support.tickets.create({ subject: "One", status: "open" }, { org });
    const steps: string[] = [];
    for await (const { documents } of manager.support.tickets.live(id)) {
      steps.push(subjects(documents));
      if (steps.length === 1) await agent.support.tickets.delete(id);
      if (steps.length === 2) await operator.support.tickets.restore(id);
      if (steps.length === 3) break;
    }
    expect(steps).toEqual(["One", "", "One"]);
  });

  it("loads anew what a change of roles lets the caller see, members of documents too", async () => {
    const { id } = await agent.support.tickets.create({ subject: "Triage", status: "open" }, { org });
    await agent.support.tickets.patch(id, { triage: { severity: "high" } });
    const { id: user } = await member.$auth.me();
    const live = member.support.tickets.live(id);
    await reached(live, "live");
    expect(live.documents).toEqual([]);
    await operator.$admin.putMember(org, user, ["agent"]);
    await shows(live, ([ticket]) => ticket?.triage?.severity === "high");
    await operator.$admin.putMember(org, user, ["member"]);
    await shows(live, ({ length }) => length === 0);
    live.close();
  });

  it("is over with the session, and says so", async () => {
    const guest = await joined("guest");
    const end = new Promise<SubscriptionEnd>((resolve) => {
      const live = guest.support.tickets.live({}, { ended: resolve });
      void reached(live, "live").then(() => guest.$auth.logOut());
    });
    expect(await end).toEqual({ reason: "session_ended", why: "signed_out" });
  });

  it("that the server refuses is over, and says why; another one of the client goes on", async () => {
    const good = manager.support.tickets.live({ where: { subject: "Shared" } });
    await reached(good, "live");
    const end = new Promise<SubscriptionEnd>((resolve) => {
      manager.support.tickets.live(
        { where: { $or: Array.from({ length: 40 }, () => ({ subject: "a" })) } },
        { ended: resolve },
      );
    });
    expect(await end).toMatchObject({ reason: "refused", error: { code: "invalid_query", status: 400 } });
    await agent.support.tickets.create({ subject: "Shared", status: "open" }, { org });
    await shows(good, ({ length }) => length === 1);
    good.close();
  });
});

it("a subscription tells what the server does", async () => {
  const told: string[] = [];
  const finished = new Promise<void>((resolve) => {
    const subscribed = manager.support.tickets.subscribe(
      { subject: "Raw" },
      {
        ready: async () => {
          const made = await agent.support.tickets.create({ subject: "Raw", status: "open" }, { org });
          await agent.support.tickets.patch(made.id, { priority: 2 });
          await agent.support.tickets.delete(made.id);
        },
        created: ({ _meta }) => told.push(`created ${_meta.version}`),
        updated: ({ priority }) => told.push(`updated ${priority}`),
        removed: ({ version }) => {
          told.push(`removed ${version}`);
          subscribed.close();
          resolve();
        },
      },
    );
  });
  await finished;
  expect(told).toEqual(["created 1", "updated 2", "removed 3"]);
});
