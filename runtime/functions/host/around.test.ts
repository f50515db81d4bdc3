import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collection, routesOf, validatorOf } from "../../documents/testing/shop.ts";
import { findJob } from "../../jobs/queue.ts";
import type { JsonObject } from "../../json.ts";
import { type Organizations, startOrganizations } from "../../organizations/testing/realm.ts";
import { allowed } from "../../rules/index.ts";
import type { HostReply, HostRequest, Run } from "../invocation.ts";
import { functionRoutes } from "../routes.ts";
import { InProcessRunner } from "../testing/runner.ts";
import { call, codeOf, documents, output } from "../testing/shop.ts";

const tickets = collection("tickets", {
  organization: { required: true, teams: "optional", onDelete: "delete" },
  asksMemberships: true,
  rules: { create: allowed, read: allowed },
});
const functions = [
  call("go", { mail: true }),
  call("silent"),
  call("later", { validateInput: validatorOf({ properties: { n: { const: 1 } } }) }),
];

/** What the handlers of `go` and `silent` do next. */
let go: (run: Run) => Promise<JsonObject>;
const later: Run[] = [];
let shop: Organizations;

beforeAll(async () => {
  const handle = async (run: Run) => output(await go(run));
  shop = await startOrganizations(
    {},
    {
      runner: new InProcessRunner({
        "main/go": handle,
        "main/silent": handle,
        "main/later": (run) => {
          later.push(run);
          return output({});
        },
      }),
      definition: { collections: [tickets], functions },
      routes: (realm) =>
        realm === "shop" ? { ...functionRoutes("shop", functions), ...routesOf(tickets) } : {},
    },
  );
});
afterAll(() => shop.stop());

async function run(handler: typeof go, token?: string, name = "go"): Promise<JsonObject> {
  go = handler;
  const { status, body } = await shop.send("POST", `/main/_func/${name}`, {
    body: {},
    ...(token && { token }),
  });
  expect(status).toBe(200);
  return body;
}

/** A request to the host: what it answers, with its body read. */
async function ask(by: Run, request: HostRequest): Promise<HostReply & { readonly json: JsonObject }> {
  const reply = await by.host.answer(request);
  return { ...reply, json: reply.body === undefined ? {} : JSON.parse(reply.body) };
}

describe("organizations", () => {
  test("are shown, and claims put in place of theirs, audited as done by the function", async () => {
    const { ann } = await shop.people("ann");
    const org = await shop.createOrg(ann, { name: "Acme", claims: { plan: "free" } });
    const body = await run(async (by) => ({
      before: (await ask(by, { kind: "organization", id: org.id })).json,
      put: (await ask(by, { kind: "claims", id: org.id, claims: '{"plan":"pro"}' })).json,
    }));
    expect(body["before"]).toMatchObject({ id: org.id, name: "Acme", claims: { plan: "free" } });
    expect(body["put"]).toMatchObject({ claims: { plan: "pro" } });
    expect((await shop.org(org))?.claims).toEqual({ plan: "pro" });
    expect((await shop.auditOf(org, "org.claims")).map(({ actor }) => actor)).toEqual(["key:main/go"]);
  });

  test("that are none or deleted are 404; claims that are no object, or too large, are refused", async () => {
    const { ben } = await shop.people("ben");
    const gone = await shop.createOrg(ben, { status: "deleted" });
    const org = await shop.createOrg(ben);
    const put = (by: Run, claims: string, id = org.id) => ask(by, { kind: "claims", id, claims });
    const body = await run(async (by) => ({
      codes: [
        codeOf(await ask(by, { kind: "organization", id: "nothing" })),
        codeOf(await ask(by, { kind: "organization", id: gone.id })),
        codeOf(await put(by, "{}", "nothing")),
        codeOf(await put(by, "{}", gone.id)),
        codeOf(await put(by, "[]")),
        codeOf(await put(by, JSON.stringify({ a: "x".repeat(16_384) }))),
      ],
    }));
    expect(body["codes"]).toEqual([
      "not_found",
      "not_found",
      "not_found",
      "conflict",
      "invalid_json",
      "validation_error",
    ]);
  });

  test("a function creates in any of them, as administrators do; its caller where they are a member", async () => {
    const { cid, dan } = await shop.people("cid", "dan");
    const org = await shop.createOrg(cid);
    const create = (by: Run, as: "function" | "caller", id: string) =>
      documents(by, "POST", "main/tickets", { as, body: { title: "a" }, search: `org=${id}` });
    const both = async (by: Run): Promise<JsonObject> => ({
      orgs: by.caller?.orgs ?? [],
      statuses: [(await create(by, "function", org.id)).status, (await create(by, "caller", org.id)).status],
      nowhere: codeOf(await create(by, "function", "nothing")),
    });
    expect(await run(both, cid.token)).toEqual({
      orgs: [org.id],
      statuses: [201, 201],
      nowhere: "not_org_member",
    });
    expect(await run(both, dan.token)).toMatchObject({ orgs: [], statuses: [201, 403] });
  });
});

describe("mail", () => {
  const mail = { kind: "mail", to: "to@example.com", subject: "Hello", text: "A text." } as const;

  test("leaves by the realm's jobs, from the realm's address, to an address or a user", async () => {
    const { eve } = await shop.people("eve");
    const body = await run(async (by) => ({
      statuses: [
        (await ask(by, { ...mail, html: "<p>A text.</p>" })).status,
        (await ask(by, { ...mail, to: { user: eve.id }, subject: "For eve" })).status,
      ],
    }));
    expect(body["statuses"]).toEqual([202, 202]);
    expect(await shop.mailTo("to@example.com")).toEqual({
      from: "Shop <shop@example.com>",
      to: "to@example.com",
      subject: "Hello",
      text: "A text.",
      html: "<p>A text.</p>",
    });
    expect(await shop.mailTo(eve.email)).toMatchObject({ subject: "For eve" });
  });

  test("is refused to who is none, with what no mail has, and where it is not declared", async () => {
    const refused = async (by: Run): Promise<JsonObject> => ({
      codes: [
        codeOf(await ask(by, { ...mail, to: { user: "nobody" } })),
        codeOf(await ask(by, { ...mail, to: "a@example.com, b@example.com" })),
        codeOf(await ask(by, { ...mail, subject: "a\r\nBcc: b@example.com" })),
        codeOf(await ask(by, { ...mail, text: "x".repeat(262_145) })),
      ],
    });
    expect((await run(refused))["codes"]).toEqual([
      "not_found",
      "validation_error",
      "validation_error",
      "validation_error",
    ]);
    const silent = await run(async (by) => ({ code: codeOf(await ask(by, mail)) }), undefined, "silent");
    expect(silent["code"]).toBe("forbidden");
  });
});

describe("ctx.jobs.enqueue", () => {
  const enqueue = { kind: "enqueue", function: "main/later", input: '{"n":1}' } as const;

  async function ran(id: unknown): Promise<Run | undefined> {
    const status = async () => (await findJob(shop.store("shop"), String(id)))?.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("succeeded");
    return later.at(-1);
  }

  test("has a call made for who called the function, without a session of theirs", async () => {
    const { fay } = await shop.people("fay");
    const body = await run(async (by) => (await ask(by, enqueue)).json, fay.token);
    const made = await ran(body["id"]);
    expect(made?.input).toEqual({ kind: "call", input: '{"n":1}' });
    expect(made?.caller).toMatchObject({ kind: "user", id: fay.id });
  });

  test("of the same key is queued once while it waits", async () => {
    const delayed = { ...enqueue, delay: 60_000, key: "daily" };
    const body = await run(async (by) => ({
      ids: [(await ask(by, delayed)).json["id"] ?? null, (await ask(by, delayed)).json["id"] ?? null],
    }));
    const [one, other] = Array.isArray(body["ids"]) ? body["ids"] : [];
    expect(one).toBe(other);
  });

  test("is refused for what is no call, an input that does not fit, and a key or delay that cannot be", async () => {
    const body = await run(async (by) => ({
      codes: [
        codeOf(await ask(by, { ...enqueue, function: "main/nothing" })),
        codeOf(await ask(by, { ...enqueue, input: '{"n":2}' })),
        codeOf(await ask(by, { ...enqueue, input: "1" })),
        codeOf(await ask(by, { ...enqueue, key: "" })),
        codeOf(await ask(by, { ...enqueue, delay: -1 })),
      ],
    }));
    expect(body["codes"]).toEqual([
      "not_found",
      "validation_error",
      "invalid_json",
      "validation_error",
      "validation_error",
    ]);
  });

  test("by a user who is disabled when it is due ends there", async () => {
    const { gus } = await shop.people("gus");
    const admin = await shop.adminKey();
    const before = later.length;
    const body = await run(async (by) => (await ask(by, { ...enqueue, delay: 60_000 })).json, gus.token);
    await shop.send("PATCH", `/_admin/users/${gus.id}`, { token: admin, body: { disabled: true } });
    shop.clock.advance(60_000);
    await run(async (by) => (await ask(by, enqueue)).json);
    const job = async () => await findJob(shop.store("shop"), String(body["id"]));
    await expect.poll(async () => (await job())?.status, { timeout: 20_000 }).toBe("failed");
    expect((await job())?.error).toContain("caller_gone");
    expect(later.slice(before).every(({ caller }) => caller?.id !== gus.id)).toBe(true);
  });
});
