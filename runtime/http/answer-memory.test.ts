import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { Handler } from "../realm/exchange.ts";
import { until } from "../testing/until.ts";
import { listening, open, realmOf, routes, type TestServer } from "./testing/server.ts";

let server: TestServer;
afterEach(() => server.server.close(0));

const mebibyte = 1024 * 1024;

/** More than the buffers between two sockets of one machine take. */
const large = "x".repeat(24 * mebibyte);
/** Room for so many of these, and beside them for nothing that is not small. */
const roomFor = (answers: number) => answers * large.length + 50_000;
const medium = "y".repeat(100_000);
const small = "z".repeat(60_000);

let largeAnswers = 0;
let release: () => void;
const held = new Promise<void>((resolve) => {
  release = resolve;
});
const bodies: Readonly<Record<string, Handler>> = {
  large() {
    largeAnswers += 1;
    return { status: 200, body: large };
  },
  medium: () => ({ status: 200, body: medium }),
  small: () => ({ status: 200, body: small }),
  reserving(exchange) {
    exchange.reserve(medium.length);
    throw new Error("nobody gets this far");
  },
  async held() {
    await held;
    return { status: 200, body: small };
  },
};
const realm = realmOf(
  Object.fromEntries(
    Object.entries(bodies).map(([name, handle]) => [`/v1/shop/${name}`, routes(["GET", "POST"], handle)]),
  ),
);

const request = (...names: readonly string[]) =>
  names.map((name) => `GET /v1/shop/${name} HTTP/1.1\r\nhost: a\r\n\r\n`).join("");
const get = (name: string) => fetch(`${server.url}/v1/shop/${name}`);

/** A connection that has asked for something, and reads nothing of it. */
async function unread(...names: readonly string[]): Promise<Socket> {
  const socket = await open(server.port);
  socket.on("error", () => undefined);
  socket.write(request(...names));
  return socket;
}

/** Waits until the answer to a request is what is expected: another one may be on its way to a socket. */
function answering(name: string, status: number): Promise<Response> {
  return until(async () => {
    const response = await get(name);
    await response.arrayBuffer();
    expect(response.status).toBe(status);
    return response;
  });
}

describe("Answers under way are bounded per instance", () => {
  it("beyond SVC_ANSWER_MEMORY: 503 unavailable with Retry-After, small answers as ever; what is taken is free again", async () => {
    server = await listening([realm], { answerMemory: roomFor(1) });
    const socket = await unread("large");
    const refused = await answering("medium", 503);
    expect(refused.headers.get("retry-after")).toBe("1");
    const again = await get("medium");
    expect(await again.json()).toMatchObject({ error: { code: "unavailable" } });
    // Judged before anything is read for it.
    expect((await get("reserving")).status).toBe(503);
    for (let n = 0; n < 20; n += 1) expect((await get("small")).status).toBe(200);
    // What was written is told, however long it is.
    const written = await fetch(`${server.url}/v1/shop/medium`, { method: "POST" });
    expect([written.status, await written.text()]).toEqual([200, medium]);
    socket.resume();
    await answering("medium", 200);
    expect((await get("reserving")).status).toBe(500);
    expect((await get("medium")).status).toBe(200);
    socket.destroy();
  });

  it("one answer alone may take more than there is", async () => {
    server = await listening([realm], { answerMemory: 1 });
    expect((await (await get("large")).text()).length).toBe(large.length);
    expect((await get("medium")).status).toBe(200);
  });

  it("the memory of a connection that its client gives up is free again", async () => {
    server = await listening([realm], { answerMemory: roomFor(2), answerPatience: 10_000 });
    for (const asked of [
      ["large", "large"],
      ["small", "large", "large"],
    ]) {
      const socket = await unread(...asked);
      await answering("medium", 503);
      socket.destroy();
      await answering("medium", 200);
    }
  });

  it("small answers are never refused, but connections that take none of them end where there is no more memory", async () => {
    server = await listening([realm], { answerMemory: 1 });
    const socket = await unread(...Array.from({ length: 500 }, () => "small"));
    // Reading nothing, it hears of the end by what it is sent no more.
    await answering("medium", 200);
    socket.resume();
    await once(socket, "close");
  });
});

describe("Connections that take nothing of an answer are ended", () => {
  it("in their time, and their memory is free again", async () => {
    server = await listening([realm], { answerMemory: roomFor(2), answerPatience: 150 });
    const answered = largeAnswers + 2;
    const sockets = [await unread("large"), await unread("large")];
    // Heard of from the beginning: they are ended at about the same time.
    const closed = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
    await until(() => expect(largeAnswers).toBeGreaterThanOrEqual(answered));
    await answering("medium", 200);
    for (const [at, socket] of sockets.entries()) {
      let bytes = 0;
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      await closed[at];
      expect(bytes).toBeLessThan(large.length);
    }
  });

  it("not those that take a little at a time", async () => {
    server = await listening([realm], { answerPatience: 150 });
    const socket = await unread("large");
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
      if (bytes >= large.length) break;
      await setTimeout(1);
    }
    expect(bytes).toBeGreaterThanOrEqual(large.length);
  });

  it("not those that wait for the answer to an earlier request", async () => {
    server = await listening([realm], { answerPatience: 60 });
    const socket = await unread("held", "large");
    await setTimeout(300);
    release();
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
      if (bytes >= small.length + large.length) break;
    }
    expect(bytes).toBeGreaterThanOrEqual(small.length + large.length);
  });
});
