/** Keys that call functions: their makers give what they may invoke themselves, and need no area of administration for that. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Accounts, type Person, startAccounts } from "../../auth/testing/accounts.ts";
import { collection } from "../../documents/testing/shop.ts";
import type { JsonObject } from "../../json.ts";
import { allowed, byCaller } from "../../rules/index.ts";
import { call, webhook, without } from "../testing/shop.ts";

const functions = [
  call("echo"),
  call("close", { invoke: byCaller(({ user }) => user?.roles.includes("agent") === true) }),
  // It depends on the input alone.
  call("small", { invoke: { check: (_, __, data) => Object.keys(data).length === 0 } }),
  without(call("nobody"), "invoke"),
  webhook("inbound", { invoke: allowed }),
];

let server: Accounts;
const makers = new Map<string, string>();

beforeAll(async () => {
  server = await startAccounts({}, { definition: { collections: [collection("notes", {})], functions } });
  const people: Record<string, readonly string[]> = {
    keymaster: ["keymaster"],
    agent: ["keymaster", "agent"],
    librarian: ["keymaster", "librarian"],
    boss: ["boss"],
  };
  for (const [name, roles] of Object.entries(people)) {
    const { token }: Person = await server.person(`${name}@example.com`, [...roles]);
    makers.set(name, token);
  }
  makers.set("operator's key", await server.adminKey(["apikeys", "data"]));
  makers.set("narrow key", await server.adminKey(["apikeys"], "shop", { scopes: { call: ["main/close"] } }));
});
afterAll(() => server.stop());

let count = 0;

async function made(maker: string, scopes: JsonObject | null) {
  const body = { name: `key ${++count}`, scopes };
  return server.send("POST", "/_admin/keys", { body, token: makers.get(maker) ?? "" });
}

const yes = 201;
const no = 403;

test.each<[string, JsonObject | null, number]>([
  ["keymaster", { call: ["main/echo"] }, yes],
  ["keymaster", { call: ["main/small"] }, yes],
  ["keymaster", { call: ["main/echo", "main/small"] }, yes],
  ["keymaster", { call: ["main/close"] }, no],
  ["keymaster", { call: ["main/echo", "main/close"] }, no],
  ["keymaster", { call: ["main/nobody"] }, no],
  ["keymaster", { call: ["main/echo"], read: ["main"] }, no],
  ["keymaster", { call: ["main"] }, no],
  ["keymaster", { call: "*" }, no],
  ["keymaster", null, no],
  ["agent", { call: ["main/close"] }, yes],
  ["agent", { call: ["main/close", "main/echo"] }, yes],
  ["agent", { call: ["main/nobody"] }, no],
  ["librarian", { call: ["main/echo"] }, yes],
  ["librarian", { call: ["main/echo"], read: "*", write: ["main"] }, yes],
  ["librarian", { call: ["main/close"] }, no],
  ["librarian", { call: ["main"] }, no],
  ["librarian", { call: "*" }, no],
  ["librarian", null, no],
  ["boss", { call: ["main/echo"] }, yes],
  ["boss", { call: ["main/close"] }, no],
  ["operator's key", { call: ["main/nobody"] }, yes],
  ["operator's key", { call: "*" }, yes],
  ["operator's key", null, yes],
  ["narrow key", { call: ["main/close"] }, yes],
  ["narrow key", { call: ["main/echo"] }, no],
])("Authentication 10: %s makes a key with %j: %i", async (maker, scopes, status) => {
  const answer = await made(maker, scopes);
  expect([answer.status, answer.body]).toMatchObject([
    status,
    status === yes ? { scopes } : { error: { code: "forbidden" } },
  ]);
});

test("the refusal names the function", async () => {
  const { body } = await made("librarian", { call: ["main/echo", "main/close"] });
  expect(body).toMatchObject({ error: { message: expect.stringContaining("main/close") } });
});

test("an operator's key is rotated by whoever could make it", async () => {
  const { body } = await made("operator's key", { call: ["main/close"] });
  const rotate = (maker: string) =>
    server.send("POST", `/_admin/keys/${String(body["id"])}/rotate`, {
      body: {},
      token: makers.get(maker) ?? "",
    });
  expect((await rotate("librarian")).status).toBe(403);
  expect((await rotate("agent")).status).toBe(200);
});
