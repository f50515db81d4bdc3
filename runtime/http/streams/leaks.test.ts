/** What 10,000 connects and cuts leave behind: a tenth of them unless all is tried (`runs`), which takes some seconds. */
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Ending, Exchange, RouteTable } from "../../realm/exchange.ts";
import { runs } from "../../testing/random.ts";
import { growthOf, heapUsed, TRACE } from "../../testing/resources.ts";
import { listening, open, realmOf, type TestServer } from "../testing/server.ts";

let server: TestServer;
/** Requests that were answered with a stream, and their bodies. */
const asked: { exchange: Exchange; size: number; body: WeakRef<ArrayBufferLike> }[] = [];
/** Sources and bodies under way. */
let underWay = 0;

async function* following({ gone, closing }: Ending) {
  underWay += 1;
  // A source may listen to both and clean up after neither.
  const left = new Promise<void>((resolve) => {
    gone.addEventListener("abort", () => resolve());
    closing.addEventListener("abort", () => resolve());
  });
  try {
    yield "data: hello\n\n";
    await left;
  } finally {
    underWay -= 1;
  }
}

async function* endless() {
  underWay += 1;
  const piece = Buffer.alloc(64 * 1024);
  try {
    for (;;) yield piece;
  } finally {
    underWay -= 1;
  }
}

const table: RouteTable = {
  "/v1/shop/following": {
    GET: () => ({
      class: "document",
      handle: () => ({ status: 200, body: { kind: "stream", open: following } }),
    }),
  },
  "/v1/shop/asked": {
    POST: () => ({
      class: "document",
      async handle(exchange) {
        const { body } = await exchange.receive();
        if (!(body instanceof Buffer)) throw new Error("a body");
        asked.push({ exchange, size: body.length, body: new WeakRef(body.buffer) });
        return { status: 200, body: { kind: "stream", open: following } };
      },
    }),
  },
  "/v1/shop/endless": {
    GET: () => ({
      class: "document",
      handle: () => ({ status: 200, body: { kind: "stream", open: endless } }),
    }),
  },
  "/v1/shop/upload": {
    POST: () => ({
      class: "document",
      body: "stream",
      async handle(exchange) {
        underWay += 1;
        try {
          for await (const _ of exchange.stream(1_000_000));
        } finally {
          underWay -= 1;
        }
        return { status: 204 };
      },
    }),
  },
};

beforeAll(async () => {
  server = await listening([realmOf(table)], { maxBodyBytes: 500_000 });
});
afterAll(() => server.server.close(0));

const asks = [
  "GET /v1/shop/following HTTP/1.1\r\nHost: x\r\n\r\n",
  "GET /v1/shop/endless HTTP/1.1\r\nHost: x\r\n\r\n",
  "POST /v1/shop/upload HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\nabc",
];

/** One asks for something, gets the first of it, and is cut. */
async function visit(number: number): Promise<void> {
  const socket = await open(server.port);
  socket.on("error", () => undefined);
  const first = once(socket, "data");
  socket.write(asks[number % asks.length] ?? "");
  await first;
  if (number % 2 === 0) socket.resetAndDestroy();
  else socket.destroy();
  await once(socket, "close");
}

async function visits(count: number): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      next += 1;
      await visit(next);
    }
  };
  await Promise.all(Array.from({ length: 20 }, one));
  while (underWay > 0) await new Promise((go) => setImmediate(go));
}

it("connects and cuts, of streams both ways, leave memory, timers and descriptors as they were", async () => {
  await visits(300);
  expect(await growthOf(() => visits(runs(10_000)))).toBeLessThan(TRACE);
}, 300_000);

it.each([
  ["at once", 1_000],
  ["in pieces", 200_000],
])(
  "a stream keeps of its request who sends it, neither a body that came %s nor other headers",
  async (_how, size) => {
    asked.length = 0;
    const socket = await open(server.port);
    const first = once(socket, "data");
    const known = { authorization: "Bearer x", cookie: "a=b", origin: "https://a.example" };
    const lines = Object.entries({ ...known, "x-forwarded-for": "192.0.2.1", "x-large": "x".repeat(5_000) });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    socket.write(`POST /v1/shop/asked HTTP/1.1\r\nHost: x\r\n${head}Content-Length: ${size}\r\n\r\n`);
    socket.write(Buffer.alloc(size, "x"));
    await first;
    const [{ exchange, body, size: received } = {}] = asked;
    expect(received).toBe(size);
    await expect
      .poll(() => {
        heapUsed();
        return body?.deref();
      })
      .toBeUndefined();
    expect(exchange?.headers).toMatchObject({ ...known, "x-forwarded-for": "192.0.2.1" });
    expect(JSON.stringify(exchange?.headers).length).toBeLessThan(300);
    socket.destroy();
    while (underWay > 0) await new Promise((go) => setImmediate(go));
  },
);
