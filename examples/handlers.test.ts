/** The handlers of helpdesk, each by itself, as its team would test them: what a conversation cannot show, or not so soon. */
import { createHmac } from "node:crypto";
import type { WebhookRequest } from "realmc/functions";
import { type TestRealm, testRealm } from "realmc/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Collections } from "../generated/helpdesk/functions.ts";
import { helpdesk } from "../generated/helpdesk/realm.ts";
import type { Handler as Assigned } from "../generated/helpdesk/support/_func/assigned/$types.ts";
import type { Handler as Close } from "../generated/helpdesk/support/_func/close/$types.ts";
import type { Handler as Inbound } from "../generated/helpdesk/support/_func/inbound/$types.ts";
import type { Handler as Reopen } from "../generated/helpdesk/support/_func/reopen/$types.ts";
import type { Handler as Tidy } from "../generated/helpdesk/support/_func/tidy/$types.ts";
import assigned from "./helpdesk/support/_func/assigned/handler.ts";
import close from "./helpdesk/support/_func/close/handler.ts";
import inbound from "./helpdesk/support/_func/inbound/handler.ts";
import reopen from "./helpdesk/support/_func/reopen/handler.ts";
import tidy from "./helpdesk/support/_func/tidy/handler.ts";

const key = "known to the mail provider";

let realm: TestRealm<Collections>;
let ada: string;
let org: string;
beforeEach(async () => {
  realm = await testRealm<Collections>(helpdesk, { now: "2026-03-01T12:00:00Z" });
  ({ id: ada } = await realm.addUser({ email: "ada@example.com" }));
  ({ id: org } = await realm.addOrganization({ name: "Acme", members: { [ada]: ["agent"] } }));
});
afterEach(() => realm.close());

const ticket = (more: object = {}) =>
  realm.db.support.tickets.create({ subject: "No light", status: "open", ...more }, { org });

describe("inbound", () => {
  /** What the provider posts. @param signature default: as it signs */
  function posted(mail: object, signature?: string): WebhookRequest {
    const text = JSON.stringify({ to: `${org}@in.helpdesk.example.com`, from: "a@example.com", ...mail });
    return {
      method: "POST",
      path: "/v1/helpdesk/support/_func/inbound",
      query: new URLSearchParams(),
      headers: { "x-mail-signature": signature ?? createHmac("sha256", key).update(text).digest("hex") },
      body: Buffer.from(text),
      text: () => text,
      json: () => JSON.parse(text),
    };
  }
  const answerTo = async (request: WebhookRequest) => {
    const ctx = await realm.context<Inbound>("support/inbound", { secrets: { INBOUND_MAIL_KEY: key } });
    const answer = await inbound(request, ctx);
    return JSON.parse(String(answer?.body));
  };

  test("makes one ticket of a mail that comes twice, be it at once", async () => {
    const mail = { id: "m-1", subject: "Help", text: "It is dark." };
    const both = await Promise.allSettled([answerTo(posted(mail)), answerTo(posted(mail))]);
    expect(both.map(({ status }) => status)).toContain("fulfilled");
    const again = await answerTo(posted(mail));
    const { items } = await realm.db.support.tickets.list();
    expect(items).toMatchObject([
      { subject: "Help", body: "a@example.com wrote:\n\nIt is dark.", mail_id: "m-1" },
    ]);
    expect(again).toEqual({ ticket: items[0]?.id });
  });

  test("makes one reply of a mail that names a ticket of the company; of another's it makes a ticket", async () => {
    const { id } = await ticket();
    const mail = { id: "m-1", subject: `Re: No light [#${id}]`, text: "Still dark." };
    const first = await answerTo(posted(mail));
    expect(await answerTo(posted(mail))).toEqual(first);
    expect((await realm.db.support.replies.list()).items).toMatchObject([
      { id: first.reply, ticket_id: id, text: "Still dark.", mail_id: "m-1" },
    ]);
    const other = await realm.addOrganization({ name: "Other", members: {} });
    const made = await answerTo(posted({ ...mail, to: `${other.id}@in.helpdesk.example.com` }));
    expect(made.ticket).not.toBe(id);
    expect(await realm.db.support.replies.count()).toBe(1);
  });

  test("takes mails without a subject, and as much as fits of those that are long", async () => {
    await answerTo(posted({ id: "m-1", subject: "", text: "" }));
    await answerTo(posted({ id: "m-2", subject: "\u{1f525}".repeat(201), text: "x".repeat(30_000) }));
    const { items } = await realm.db.support.tickets.list();
    expect(items.map(({ subject }) => subject).sort()).toEqual(["(no subject)", "\u{1f525}".repeat(200)]);
  });

  test.each([
    ["another key", createHmac("sha256", "guessed").update("{}").digest("hex")],
    ["nothing", ""],
    ["what are no digits", "zz"],
  ])("refuses what is signed with %s", async (_, signature) => {
    const refused = answerTo(posted({ id: "m-1", subject: "Help", text: "" }, signature));
    await expect(refused).rejects.toMatchObject({ status: 401, code: "bad_signature" });
    expect(await realm.db.support.tickets.count()).toBe(0);
  });

  test("refuses what is for nobody", async () => {
    const refused = answerTo(
      posted({ id: "m-1", to: "none@in.helpdesk.example.com", subject: "", text: "" }),
    );
    await expect(refused).rejects.toMatchObject({ status: 404, code: "no_such_company" });
  });
});

describe("close", () => {
  test("closes a ticket for who may, with a reply that says why; once", async () => {
    const { id } = await ticket();
    const ctx = await realm.context<Close>("support/close", { caller: { user: ada } });
    const { reply } = await close({ ticket: id, reason: "There is light." }, ctx);
    expect(await realm.db.support.tickets.get(id)).toMatchObject({ status: "closed" });
    expect(await realm.db.support.replies.get(reply)).toMatchObject({
      text: "There is light.",
      _meta: { owner: ada, org },
    });
    const again = close({ ticket: id, reason: "Really." }, ctx);
    await expect(again).rejects.toMatchObject({ status: 409, code: "already_closed" });
  });

  test("says why once, where two close it at once", async () => {
    const { id } = await ticket();
    const ctx = await realm.context<Close>("support/close", { caller: { user: ada } });
    const both = [close({ ticket: id, reason: "One." }, ctx), close({ ticket: id, reason: "Two." }, ctx)];
    expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual([
      "fulfilled",
      "rejected",
    ]);
    expect(await realm.db.support.replies.count()).toBe(1);
  });

  test("is not for customers, who may not close theirs, nor for strangers, who see none", async () => {
    const { id: bob } = await realm.addUser();
    const { id: eve } = await realm.addUser();
    const { id: company } = await realm.addOrganization({ name: "Bobs", members: { [bob]: ["member"] } });
    const { support } = await realm.as({ user: bob });
    const { id } = await support.tickets.create({ subject: "Mine", status: "open" }, { org: company });
    const closing = async (user: string) =>
      close({ ticket: id, reason: "?" }, await realm.context<Close>("support/close", { caller: { user } }));
    await expect(closing(bob)).rejects.toMatchObject({ status: 403, code: "forbidden" });
    await expect(closing(eve)).rejects.toMatchObject({ status: 404, code: "no_such_ticket" });
    expect(await realm.db.support.tickets.get(id)).toMatchObject({ status: "open" });
  });
});

describe("reopen", () => {
  const at = "2026-03-01T12:00:00Z";
  async function told(id: string) {
    const document = await realm.db.support.replies.create(
      { ticket_id: id, text: "It is dark again." },
      { org },
    );
    const ctx = await realm.context<Reopen>("support/reopen");
    const collection = "support/replies";
    return () =>
      reopen({ kind: "trigger", event: "create", collection, document, previous: null, at, attempt: 1 }, ctx);
  }

  test("has what was solved open again, one step more urgent; told twice, it does nothing more", async () => {
    const { id } = await ticket({ status: "solved", priority: 2 });
    realm.advance("1h");
    const tell = await told(id);
    await tell();
    expect(await realm.db.support.tickets.get(id)).toMatchObject({ status: "open", priority: 1 });
    realm.advance("1h");
    await realm.db.support.tickets.patch(id, { status: "solved" });
    await tell();
    expect(await realm.db.support.tickets.get(id)).toMatchObject({ status: "solved", priority: 1 });
  });

  test("leaves alone what is not solved, and what is not there", async () => {
    const { id } = await ticket({ status: "pending" });
    await (await told(id))();
    await (await told("none"))();
    expect(await realm.db.support.tickets.get(id)).toMatchObject({
      status: "pending",
      _meta: { version: 1 },
    });
  });
});

test("assigned mails the agent", async () => {
  const document = await ticket({ assignee_id: ada });
  const ctx = await realm.context<Assigned>("support/assigned");
  const event = { kind: "trigger", event: "create", collection: "support/tickets", previous: null } as const;
  await assigned({ ...event, document, at: "2026-03-01T12:00:00Z", attempt: 1 }, ctx);
  expect(realm.mails).toMatchObject([{ to: "ada@example.com", subject: "Yours now: No light" }]);
});

test("tidy closes what was solved two weeks ago and nobody came back to", async () => {
  const [old, touched, open] = [
    await ticket({ status: "solved" }),
    await ticket({ status: "solved" }),
    await ticket(),
  ];
  realm.advance("13d");
  await realm.db.support.tickets.patch(touched.id, { priority: 2 });
  realm.advance("2d");
  const ctx = await realm.context<Tidy>("support/tidy");
  await tidy({ kind: "schedule", at: "2026-03-16T12:00:00Z", attempt: 1 }, ctx);
  const statuses = [old, touched, open].map(
    async ({ id }) => (await realm.db.support.tickets.get(id))?.status,
  );
  expect(await Promise.all(statuses)).toEqual(["closed", "solved", "open"]);
  expect(realm.logs).toMatchObject([{ message: "tickets closed", fields: { closed: 1 } }]);
});
