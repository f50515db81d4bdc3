import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

const movement = (data: string) => `event: created\ndata: {"sub":"s","doc":${data}}\n\n`;
const ready = 'event: ready\ndata: {"subscriptions":["s"]}\nid: t\n\n';

describe("of an event stream, each event is held against its schema", () => {
  const path = "/v1/inventory/_realtime";
  const stream = { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "1" };

  it("described ones have no faults, nor have comments and tokens alone", () => {
    const document =
      '{"id":"m","item_id":"i","location_id":"l","quantity":1,"moved_at":"2026-01-01T00:00:00.000Z","_meta":{"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","version":1}}';
    const text = `${ready}: heartbeat\n\nid: u\n\n${movement(document)}`;
    expect(found("POST", path, 200, text, stream)).toEqual([]);
    expect(found("POST", path, 200, "", stream)).toEqual([]);
  });

  it.each([
    ["an unknown event", 'event: changed\ndata: {"sub":"s"}\n\n'],
    ["a ready event without a token", ready.replace("id: t\n", "")],
    ["a document that is none", movement('{"id":"m"}')],
    ["an unknown reason", 'event: reset\ndata: {"subs":["s"],"reason":"odd"}\nid: t\n\n'],
    ["a session that ends where there are none", 'event: session_ended\ndata: {"reason":"revoked"}\n\n'],
  ])("%s is a fault", (_, text) => {
    expect(found("POST", path, 200, text, stream)).toHaveLength(1);
  });

  it("its type is that of event streams", () => {
    expect(found("POST", path, 200, "", { ...stream, "content-type": "text/event-stream" })).toHaveLength(1);
  });
});

const odd = createServer((request, response) => {
  if (request.url?.endsWith("/_realtime") === true) {
    // Never ends.
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "x-request-id": "1" });
    response.write(`${ready}event: odd\ndata: {}\n\n`);
  } else response.writeHead(200, good).end('{"odd":true}');
});
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
  odd.closeAllConnections();
});

it("a test that fetches an answer with a fault fails there", async () => {
  await expect(fetch(url + items)).rejects.toThrow("which its OpenAPI document does not describe");
  await expect(fetch(new Request(url + items, { method: "PUT" }))).resolves.toHaveProperty("status", 200);
});

it("a test that reads an event with a fault fails there, and is not kept waiting for the end of a stream", async () => {
  const opened = await fetch(`${url}/v1/inventory/_realtime`, { method: "POST" });
  expect(opened.status).toBe(200);
  await expect(opened.text()).rejects.toThrow("has an event that its schema does not allow");
});
