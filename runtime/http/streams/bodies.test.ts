import { hash } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../errors.ts";
import { type Answer, BUFFER, type RouteTable, type StreamExchange } from "../../realm/exchange.ts";
import { untilHolds } from "../../testing/until.ts";
import { Incoming } from "../incoming.ts";
import { listening, ok, open, parseResponse, realmOf, silent, type TestServer } from "../testing/server.ts";

let server: TestServer;
afterEach(() => server.server.close(0));

const mebibyte = 1024 * 1024;
const limit = 4 * mebibyte;
const turn = () => new Promise((go) => setImmediate(go));

type Handle = (exchange: StreamExchange) => Promise<Answer> | Answer;

/** What the handlers of a test were given and told. */
let pieces: Buffer[] = [];
let failures: unknown[] = [];
/** The server's side of the connection of the last request. */
let taking: Socket | undefined;
/** Handlers that hold back wait for it, while they are to. */
let release: () => void = () => undefined;
let holding = true;

function noted(exchange: StreamExchange): AsyncIterable<Buffer> {
  if (exchange instanceof Incoming) taking = exchange.raw.socket;
  return exchange.stream(limit);
}

const handlers: Readonly<Record<string, Handle>> = {
  async digest(exchange) {
    const chunks: Buffer[] = [];
    try {
      for await (const piece of noted(exchange)) chunks.push(piece);
    } catch (error) {
      failures.push(error);
      throw error;
    }
    pieces = chunks;
    return ok({ digest: hash("sha256", Buffer.concat(chunks)) });
  },
  refused: () => {
    throw new ApiError("unauthenticated", "Nobody.");
  },
  async first(exchange) {
    for await (const piece of noted(exchange)) return ok({ first: piece.length });
    return ok({});
  },
  async slow(exchange) {
    let bytes = 0;
    for await (const piece of noted(exchange)) {
      bytes += piece.length;
      pieces.push(piece);
      await new Promise<void>((resolve) => {
        release = resolve;
        if (!holding) resolve();
      });
    }
    return ok({ bytes });
  },
  idle: async (exchange) => {
    noted(exchange);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return ok({});
  },
};

const table: RouteTable = Object.fromEntries(
  Object.entries(handlers).map(([name, handle]) => [
    `/v1/shop/${name}`,
    { POST: () => ({ class: "document" as const, body: "stream" as const, handle }) },
  ]),
);
const shop = realmOf(table);

async function serving(options: Parameters<typeof listening>[1] = {}): Promise<void> {
  pieces = [];
  failures = [];
  holding = true;
  server = await listening([shop], { bodyMemory: 64 * mebibyte, ...options });
}

function head(route: string, ...lines: readonly string[]): string {
  return [`POST /v1/shop/${route} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");
}

async function begin(route: string, ...lines: readonly string[]): Promise<Socket> {
  const socket = await open(server.port);
  socket.on("error", () => undefined);
  socket.write(head(route, ...lines));
  return socket;
}

/** The first that a connection is answered. */
async function answerOn(socket: Socket) {
  const [bytes]: Buffer[] = await once(socket, "data");
  return parseResponse(String(bytes));
}

/** When nothing more of a body has come for some turns of the event loop. */
async function settled(): Promise<number> {
  let read = -1;
  for (let quiet = 0; quiet < 500; quiet += 1) {
    const { bytesRead } = taking ?? { bytesRead: 0 };
    if (bytesRead !== read) quiet = 0;
    read = bytesRead;
    await turn();
  }
  return read;
}

const post = (route: string, body: RequestInit["body"]) =>
  fetch(`${server.url}/v1/shop/${route}`, { method: "POST", body: body ?? null });

const bytesOf = (length: number) => Buffer.alloc(length, "0123456789abcdefghijklmnopqrstuvw");

describe("A request body may be a stream", () => {
  it.each([0, 1, 1000, BUFFER, 3 * mebibyte, limit])("of %d bytes, of a declared length", async (length) => {
    await serving();
    const body = bytesOf(length);
    const response = await post("digest", body);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ digest: hash("sha256", body) });
    expect(Buffer.concat(pieces).length).toBe(length);
  });

  it.each([1, 1000, 3 * mebibyte])("in chunks of %d bytes", async (size) => {
    await serving();
    const text = bytesOf(Math.min(limit, size * 1000));
    const socket = await begin("digest", "Transfer-Encoding: chunked");
    for (let at = 0; at < text.length; at += size) {
      const chunk = text.subarray(at, at + size);
      socket.write(
        Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
      );
    }
    socket.write("0\r\n\r\n");
    expect(JSON.parse((await answerOn(socket)).body)).toEqual({ digest: hash("sha256", text) });
    socket.destroy();
  });

  it("its connection serves on, and Expect: 100-continue is continued when it is read", async () => {
    await serving();
    const socket = await begin("digest", "Content-Length: 3", "Expect: 100-continue");
    expect((await answerOn(socket)).status).toBe(100);
    for (let n = 0; n < 3; n += 1) {
      const answer = answerOn(socket);
      socket.write("abc");
      const { status, headers } = await answer;
      expect([status, headers.get("connection")]).toEqual([200, "keep-alive"]);
      socket.write(head("digest", "Content-Length: 3"));
    }
    socket.destroy();
  });

  it("nothing of it is read of who is refused, and the connection ends", async () => {
    await serving();
    const socket = await begin("refused", "Transfer-Encoding: chunked", "Expect: 100-continue");
    const { status, headers } = await answerOn(socket);
    expect([status, headers.get("connection")]).toEqual([401, "close"]);
    socket.destroy();
  });

  it("with a Content-Encoding: 415", async () => {
    await serving();
    const response = await fetch(`${server.url}/v1/shop/digest`, {
      method: "POST",
      body: "abc",
      headers: { "content-encoding": "gzip" },
    });
    expect(response.status).toBe(415);
  });
});

describe("It is bounded in bytes", () => {
  it("413 by its declared length, before anything of it is read", async () => {
    await serving();
    const socket = await begin("digest", `Content-Length: ${limit + 1}`, "Expect: 100-continue");
    const { status, headers } = await answerOn(socket);
    expect([status, headers.get("connection")]).toEqual([413, "close"]);
    socket.destroy();
  });

  it("413 in the middle of its chunks, which ends it and its connection", async () => {
    await serving();
    const socket = await begin("digest", "Transfer-Encoding: chunked");
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), bytesOf(mebibyte), Buffer.from("\r\n")]);
    const answer = answerOn(socket);
    for (let n = 0; n < 5; n += 1) socket.write(chunk);
    const { status, headers, body } = await answer;
    expect([status, headers.get("connection")]).toEqual([413, "close"]);
    expect(body).toContain("payload_too_large");
    expect(failures).toMatchObject([{ code: "payload_too_large" }]);
    socket.end("0\r\n\r\n");
    await once(socket, "close");
  });

  it("what a handler leaves unread is dropped within bounds, its answer arrives, and the connection ends", async () => {
    await serving();
    const body = bytesOf(3 * mebibyte);
    const socket = await begin("first", `Content-Length: ${body.length}`);
    const answer = answerOn(socket);
    socket.write(body);
    const { status, headers } = await answer;
    expect([status, headers.get("connection")]).toEqual([200, "close"]);
    await once(socket, "close");
  });

  it("a slow consumer holds its buffer and what Node holds, and the client waits", async () => {
    await serving();
    const body = bytesOf(limit);
    const socket = await begin("slow", `Content-Length: ${body.length}`);
    let answered: ReturnType<typeof parseResponse> | undefined;
    const answer = answerOn(socket).then((given) => {
      answered = given;
    });
    socket.write(body);
    await untilHolds(() => pieces.length > 0);
    let most = 0;
    while (answered === undefined) {
      const read = await settled();
      most = Math.max(most, read - pieces.reduce((sum, { length }) => sum + length, 0));
      release();
      await turn();
    }
    await answer;
    expect(JSON.parse(answered.body)).toEqual({ bytes: limit });
    // Two packets of 64 KiB that came when there was still room, and Node's buffer.
    expect(most).toBeLessThanOrEqual(BUFFER + 2 * 65_536 + 16_384 + 1024);
    socket.destroy();
  });

  it("SVC_BODY_MEMORY: what waits counts, and where there is no room the one goes that has not come on for longest", async () => {
    await serving({ bodyMemory: 6 * BUFFER });
    const sockets: Socket[] = [];
    const answers: Promise<ReturnType<typeof parseResponse>>[] = [];
    const releases: (() => void)[] = [];
    for (let n = 0; n < 8; n += 1) {
      const before = release;
      const socket = await begin("slow", `Content-Length: ${mebibyte}`);
      socket.write(bytesOf(mebibyte));
      await untilHolds(() => release !== before);
      releases.push(release);
      await settled();
      sockets.push(socket);
      answers.push(answerOn(socket));
    }
    // The first one hears of it when it asks for more.
    releases[0]?.();
    const { status, headers } = (await answers[0]) ?? {};
    expect([status, headers?.get("retry-after")]).toEqual([503, "1"]);
    for (const socket of sockets) socket.destroy();
    holding = false;
    for (const go of releases) go();
  });
});

describe("It is bounded in time", () => {
  it("408 where nothing more comes in the time of a request, however long the whole takes", async () => {
    await serving({ requestTimeout: 300, timeoutInterval: 20 });
    const started = performance.now();
    const lively = await begin("digest", "Content-Length: 200");
    const idle = await begin("digest", "Content-Length: 1000");
    idle.write("abc");
    const refused = answerOn(idle);
    const answer = answerOn(lively);
    let sent = 0;
    // Longer than a request as a whole may take.
    while (performance.now() - started < 900) {
      if (sent < 198) lively.write("x");
      sent = Math.min(sent + 1, 198);
      await new Promise((go) => setTimeout(go, 5));
    }
    const { status, headers, body } = await refused;
    expect([status, headers.get("connection")]).toEqual([408, "close"]);
    expect(body).toContain("request_timeout");
    expect(failures).toMatchObject([{ code: "request_timeout" }]);
    lively.write("x".repeat(200 - sent));
    expect((await answer).status).toBe(200);
    lively.destroy();
    idle.destroy();
  });

  it("not while it is we who do not take it", async () => {
    await serving({ requestTimeout: 100, timeoutInterval: 20 });
    const socket = await begin("slow", `Content-Length: ${2 * mebibyte}`);
    socket.write(bytesOf(2 * mebibyte));
    await untilHolds(() => pieces.length > 0);
    // Several times as long as a client has.
    await new Promise((go) => setTimeout(go, 500));
    const answer = answerOn(socket);
    let answered = false;
    void answer.then(() => {
      answered = true;
    });
    while (!answered) {
      release();
      await turn();
    }
    expect((await answer).status).toBe(200);
    socket.destroy();
  });

  it("a request that never comes to its stream is bounded as any other", async () => {
    await serving({ requestTimeout: 200, timeoutInterval: 20 });
    const socket = await begin("idle", "Content-Length: 10");
    expect((await answerOn(socket)).status).toBe(408);
    socket.destroy();
    release();
  });
});

describe("A client that leaves in the middle", () => {
  it("ends it: nobody waits for an answer, and the handler is told", async () => {
    const errors: object[] = [];
    await serving({ log: { ...silent, error: (fields: object) => errors.push(fields) } });
    const socket = await begin("digest", "Content-Length: 10");
    socket.write("abc");
    await untilHolds(() => taking?.bytesRead === socket.bytesWritten);
    socket.destroy();
    await untilHolds(() => failures.length > 0);
    expect(errors).toEqual([]);
    await server.server.close(60_000);
  });
});
