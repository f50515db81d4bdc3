import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inventory } from "../../generated/inventory/realm.ts";
import { startedRealms } from "../../runtime/instance/testing/started.ts";
import { faults } from "./watch.ts";

type Fields = Readonly<Record<string, string>>;

const items = "/v1/inventory/stock/items";
const page = '{"items":[],"limit":20,"skip":0,"has_more":false}';
const good: Fields = {
  "content-type": "application/json; charset=utf-8",
  "x-request-id": "1",
  etag: 'W/"1"',
};

function found(method: string, path: string, status: number, text: string, headers: Fields = good) {
  return faults([inventory], method, path, { status, text, headers: new Headers(headers) });
}

it("an answer that is described has no faults", () => {
  expect(found("GET", items, 200, page)).toEqual([]);
  expect(found("HEAD", items, 200, "")).toEqual([]);
  expect(found("GET", items, 304, "", { "x-request-id": "1" })).toEqual([]);
});

it.each<[string, number, string, Fields]>([
  ["a status", 418, page, good],
  ["a body", 200, page.replace("false", '"no"'), good],
  [
    "a code of an error",
    400,
    '{"error":{"code":"odd","message":"","request_id":"1"}}',
    { "content-type": "application/json; charset=utf-8", "x-request-id": "1" },
  ],
  ["a type", 200, page, { ...good, "content-type": "text/plain" }],
  ["a header", 200, page, { ...good, "retry-after": "1" }],
  ["the lack of a header", 200, page, { "content-type": "application/json; charset=utf-8" }],
])("%s that is not described is a fault", (_, status, text, headers) => {
  expect(found("GET", items, status, text, headers)).toHaveLength(1);
});

it("what no document describes is passed over: other paths, other methods", () => {
  expect(found("GET", "/healthz", 200, "odd")).toEqual([]);
  expect(found("PUT", items, 405, "odd")).toEqual([]);
  // `_aggregate` is no id.
  expect(found("DELETE", "/v1/inventory/stock/movements/_aggregate", 405, "odd")).toEqual([]);
});

const odd = createServer((_, response) => response.writeHead(200, good).end('{"odd":true}'));
let url: string;
beforeAll(async () => {
  await once(odd.listen(0, "127.0.0.1"), "listening");
  const address = odd.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  url = `http://127.0.0.1:${address.port}`;
  startedRealms.set(url, [inventory]);
});
afterAll(() => {
  startedRealms.delete(url);
  odd.close();
});

it("a test that fetches an answer with a fault fails there", async () => {
  await expect(fetch(url + items)).rejects.toThrow("which its OpenAPI document does not describe");
  await expect(fetch(new Request(url + items, { method: "PUT" }))).resolves.toHaveProperty("status", 200);
});
