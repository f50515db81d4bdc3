/** What streams leave behind that are cut at any byte: a tenth of 10,000 unless all is tried (`runs`). */
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collection, type Shop, startShop } from "../documents/testing/shop.ts";
import { testSettings } from "../instance/testing/servers.ts";
import { allowed } from "../rules/index.ts";
import { runs } from "../testing/random.ts";
import { growthOf, TRACE } from "../testing/resources.ts";
import { realtimeRoutes } from "./route.ts";

const notes = collection("notes", { realtime: true, rules: { create: allowed, read: allowed } });
const { realtime } = testSettings;
const limits = { ...realtime.limits, maxStreamsPerCaller: 1_000, streamsPerSecond: 1_000_000 };

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("enabled", [notes], {
    routes: [realtimeRoutes("shop")],
    settings: { realtime: { ...realtime, limits }, metrics: "on" },
  });
});
afterAll(() => shop.stop());

const body = JSON.stringify({
  subscriptions: [
    { id: "all", db: "main", collection: "notes" },
    { id: "some", db: "main", collection: "notes", where: { qty: { $gte: 5 } } },
  ],
});
const request = [
  "POST /v1/shop/_realtime HTTP/1.1",
  "Host: x",
  "Content-Type: application/json",
  `Content-Length: ${body.length}`,
  "",
  body,
].join("\r\n");

/** What a stream sends of itself at first, about. */
const answer = 600;

/** Connects, and is cut at a byte of the request or of the answer; about one in three is cut while events are on their way. */
async function visit(at: number): Promise<void> {
  const socket = connect({ port: Number(new URL(shop.url).port), host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const closed = once(socket, "close");
  const cut = () => (at % 2 === 0 ? socket.resetAndDestroy() : socket.destroy());
  let left = (at % (request.length + answer)) - request.length;
  if (left < 0) socket.write(request.slice(0, request.length + left), cut);
  else {
    socket.on("data", ({ length }) => {
      left -= length;
      if (left <= 0) cut();
    });
    socket.write(request);
    if (at % 3 === 0) await shop.send("POST", "notes", { body: { title: "x", qty: at % 10 } });
    // Of a stream that says no more there may be fewer bytes.
    setTimeout(cut, 20).unref();
  }
  await closed;
}

async function visits(count: number): Promise<void> {
  // Every byte has its turn.
  const stride = 7_919;
  let left = count;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      await visit(left * stride);
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
  await expect.poll(figures, { timeout: 30_000 }).toEqual({
    svc_realtime_streams: 0,
    'svc_realtime_subscriptions{kind="all"}': 0,
    'svc_realtime_subscriptions{kind="shared"}': 0,
    svc_realtime_buffered_bytes: 0,
    svc_http_streams: 0,
  });
}

/** What there is of streams, by the server's own count. */
async function figures(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${shop.url}/metrics`)).text();
  const lines = text
    .split("\n")
    .filter((line) => /^svc_(?:realtime_(?:streams|subs|buff)|http_streams)/.test(line));
  return Object.fromEntries(
    lines.map((line) => line.split(" ")).map(([name = "", value]) => [name, Number(value)]),
  );
}

test("Realtime: streams cut at any byte leave memory, timers, descriptors and figures as they were", async () => {
  await visits(200);
  expect(await growthOf(() => visits(runs(10_000)))).toBeLessThan(TRACE);
}, 300_000);
