import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { accountRoutes, secondFactorRoutes } from "../accounts/routes.ts";
import { collections } from "../collections.ts";
import { type AuditRecord, writeAudit } from "../records.ts";
import { type Accounts, startAccounts, text } from "../testing/accounts.ts";
import { administrationRoutes, userAdministrationRoutes } from "./routes.ts";

let server: Accounts;
let token: string;
beforeAll(async () => {
  server = await startAccounts();
  token = await server.adminKey(["audit"], "other");
  server.clock.set(Date.UTC(2026, 1, 1));
});
afterAll(() => server.stop());

const list = (query: string, realm = "other", by = token) =>
  server.send("GET", `/_admin/audit?${query}`, { token: by }, realm);

async function targets(query: string): Promise<unknown[]> {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  const items: JsonObject[] = JSON.parse(JSON.stringify(body["items"]));
  return items.map(({ target }) => target);
}

describe("Administrator routes: GET /_admin/audit", () => {
  const hour = (at: number) => `2026-01-02T0${at}:00:00.000Z`;
  const given: readonly [at: string, action: string, actor: string, target: string][] = [
    [hour(1), "secret.put", "user:u1", "secret:A"],
    [hour(2), "user.roles", "key:ops", "user:u1"],
    [hour(3), "secret.put", "key:ops", "secret:B"],
    [hour(3), "secret.delete", "user:u1", "secret:B"],
    [hour(4), "secret.put", "user:u1", "secret:C"],
  ];
  beforeAll(async () => {
    const records = given.map(([at, action, actor, target], index): AuditRecord => {
      return {
        id: `a${index}`,
        at,
        action,
        actor,
        target,
        address: null,
        request_id: null,
        details: { index },
      };
    });
    const trail = server.store("other").collection(collections.audit);
    for (const record of records) await trail.insert(writeAudit(record));
  });

  it("newest first, each with who, what, when, from where and by which request", async () => {
    const { body } = await list("action=secret.delete");
    expect(body).toEqual({
      items: [
        {
          id: "a3",
          at: hour(3),
          action: "secret.delete",
          actor: "user:u1",
          target: "secret:B",
          address: null,
          request_id: null,
          details: { index: 3 },
        },
      ],
      has_more: false,
    });
    expect(await targets(`from=${hour(1)}`)).toEqual([
      "secret:C",
      "secret:B",
      "secret:B",
      "user:u1",
      "secret:A",
    ]);
  });

  it.each([
    ["action=secret.put", ["secret:C", "secret:B", "secret:A"]],
    ["actor=key:ops", ["secret:B", "user:u1"]],
    ["actor=user%3Au1&action=secret.put", ["secret:C", "secret:A"]],
    ["action=secret", []],
    ["actor=user", []],
    [`from=${hour(3)}`, ["secret:C", "secret:B", "secret:B"]],
    [`from=${hour(1)}&to=${hour(3)}`, ["user:u1", "secret:A"]],
    [`from=${encodeURIComponent("2026-01-02T05:00:00+02:00")}&to=${hour(4)}`, ["secret:B", "secret:B"]],
    [`from=${hour(3)}&action=secret.put`, ["secret:C", "secret:B"]],
    [`from=${hour(3)}&to=${hour(3)}`, []],
  ])("by action, actor and time (from included, to excluded): %s", async (query, expected) => {
    expect(await targets(query)).toEqual(expected);
  });

  it("pages go on where they ended, also while records come", async () => {
    const seen: unknown[] = [];
    let after = "";
    for (const more of [true, true, false]) {
      const { body } = await list(`actor=user:u1&limit=1${after}`);
      expect(body["has_more"]).toBe(more);
      const items: JsonObject[] = JSON.parse(JSON.stringify(body["items"]));
      seen.push(...items.map(({ id }) => id));
      if (more) after = `&after=${text(body, "next_cursor")}`;
      const record = { id: `b${seen.length}`, at: "2026-01-05T00:00:00.000Z", action: "user.create" };
      await server
        .store("other")
        .collection(collections.audit)
        .insert(
          writeAudit({
            ...record,
            actor: "user:u1",
            target: "user:x",
            address: null,
            request_id: null,
            details: {},
          }),
        );
    }
    expect(seen).toEqual(["a4", "a3", "a0"]);
  });

  it.each([
    "from=today",
    "to=2026-01-02",
    "from=1767225600000",
    "from=",
    "limit=101",
    "after=a1",
    "target=user:u1",
  ])("400 invalid_query: %s", async (query) => {
    expect(await list(query)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_query", details: [{ path: query.split("=")[0] }] } },
    });
  });

  it("tells what requests did: who, from where, by which request", async () => {
    const root = await server.adminKey();
    server.clock.advance(1);
    const headers = { "x-request-id": "my-request" };
    await server.send("PUT", "/_admin/secrets/X", { token: root, headers, body: { value: "v" } });
    const { body } = await list("limit=1", "shop", root);
    expect(body["items"]).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-z]{20}$/),
        at: "2026-02-01T00:00:00.001Z",
        action: "secret.put",
        actor: expect.stringMatching(/^key:admin-/),
        target: "secret:X",
        address: "127.0.0.1",
        request_id: "my-request",
        details: { replaced: false },
      },
    ]);
  });

  it("works with auth: disabled too", async () => {
    const plain = await server.adminKey(["audit"], "plain");
    expect((await list("action=key.create", "plain", plain)).body).toMatchObject({
      items: [{ action: "key.create", actor: "command-line" }],
    });
  });
});

describe("Audit records: appended to, never changed", () => {
  it("no route changes or deletes them", () => {
    const tables = [accountRoutes, secondFactorRoutes, administrationRoutes, userAdministrationRoutes];
    const audit = tables
      .flatMap((table) => Object.entries(table("shop")))
      .filter(([path]) => path.includes("audit"))
      .map(([path, methods]) => [path, Object.keys(methods)]);
    expect(audit).toEqual([["/v1/shop/_admin/audit", ["GET"]]]);
  });

  it("405 for every other method, 404 for one record", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      expect((await server.send(method, "/_admin/audit", { token })).status).toBe(405);
      expect((await server.send(method, "/_admin/audit/a1", { token }, "other")).status).toBe(404);
    }
  });
});
