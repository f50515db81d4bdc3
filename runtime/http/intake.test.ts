import { hash } from "node:crypto";
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import type { Exchange } from "../realm/exchange.ts";
import { Incoming } from "./incoming.ts";
import {
  exchangeBytes,
  listening,
  ok,
  open,
  parseResponse,
  realmOf,
  routes,
  silent,
  type TestServer,
  untilClosed,
} from "./testing/server.ts";

const mebibyte = 1024 ** 2;
const refusal = () => new ApiError("unauthenticated", "Nobody.");

/** What handlers were told of bodies, in the order of their ends. */
const received: (number | string)[] = [];
/** Turns of the event loop that bodies were waited for. */
const turns: number[] = [];
/** The server's side of connections, by the client's port. */
const taking = new Map<number | undefined, Socket>();
let held: () => void = () => undefined;

async function take(exchange: Exchange, refused?: () => ApiError) {
  if (exchange instanceof Incoming) taking.set(exchange.raw.socket.remotePort, exchange.raw.socket);
  const { body, inPieces } = await exchange.receive(refused);
  received.push(typeof body === "string" ? body : body.length);
  return ok({ body: typeof body === "string" ? body : body.toString("latin1", 0, 20), inPieces });
}

const shop = realmOf({
  "/v1/shop/main/refused": routes(["POST"], () => Promise.reject(refusal())),
  "/v1/shop/main/doomed": routes(["POST"], (exchange: Exchange) => take(exchange, refusal)),
  "/v1/shop/main/taken": routes(["POST"], (exchange: Exchange) => take(exchange)),
  "/v1/shop/main/prompt": routes(["POST"], async (exchange: Exchange) => {
    let turn = 0;
    setImmediate(() => {
      turn += 1;
    });
    const { body } = await exchange.receive();
    turns.push(turn);
    return ok({ body: String(body) });
  }),
  "/v1/shop/main/wrong": routes(["POST"], async (exchange: Exchange) => {
    await exchange.receive();
    throw new ApiError("invalid_json", "No.");
  }),
  "/v1/shop/main/whole": routes(["POST"], async (exchange: Exchange) => {
    const { body } = await exchange.receive();
    return ok({}, { "x-body": hash("sha256", body) });
  }),
  "/v1/shop/main/held": routes(["POST"], async (exchange: Exchange) => {
    const answer = await take(exchange);
    await new Promise<void>((resolve) => {
      held = resolve;
    });
    return answer;
  }),
});

let server: TestServer;
const warnings: object[] = [];
beforeAll(async () => {
  const log = { ...silent, warn: (fields: object) => warnings.push(fields) };
  server = await listening([shop], { maxBodyBytes: mebibyte, bodyMemory: 2 * mebibyte, log });
});
afterAll(() => server.server.close(0));

function head(route: string, ...lines: readonly string[]): string {
  return [`POST /v1/shop/main/${route} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");
}

async function begin(route: string, body: string | Buffer, length = mebibyte): Promise<Socket> {
  const socket = await open(server.port);
  socket.write(head(route, `Content-Length: ${length}`));
  socket.write(body);
  return socket;
}

/** The first that a connection is answered. */
async function answerOn(socket: Socket) {
  const [bytes]: Buffer[] = await once(socket, "data");
  return parseResponse(String(bytes));
}

const post = (route: string, body: string) =>
  fetch(`${server.url}/v1/shop/main/${route}`, { method: "POST", body });

describe("A body is read when its handler asks for it", () => {
  it("a refusal is answered before anything of the body is sent, and ends the connection", async () => {
    for (const lines of [["Content-Length: 1000000"], ["Transfer-Encoding: chunked"]]) {
      const socket = await open(server.port);
      socket.write(head("refused", ...lines));
      const { status, headers } = await answerOn(socket);
      expect(status).toBe(401);
      expect(headers.get("connection")).toBe("close");
      socket.end();
    }
  });

  it("Expect: 100-continue is continued for a body that is wanted alone", async () => {
    const expecting = ["Content-Length: 3", "Expect: 100-continue"];
    const refused = await open(server.port);
    refused.write(head("refused", ...expecting));
    const { status, headers } = await answerOn(refused);
    expect([status, headers.get("connection")]).toEqual([401, "close"]);
    refused.end();
    const taken = await open(server.port);
    taken.write(head("taken", ...expecting));
    expect((await answerOn(taken)).status).toBe(100);
    taken.write("abc");
    expect((await answerOn(taken)).status).toBe(200);
    taken.destroy();
  });

  it("a client that leaves in the middle of its body is never handled further, nor waited for", async () => {
    received.length = 0;
    const other = await listening([shop]);
    const socket = await open(other.port);
    socket.write(`${head("taken", "Content-Length: 10")}abc`);
    await fetch(`${other.url}/healthz`);
    socket.destroy();
    await other.server.close(60_000);
    expect(received).toEqual([]);
  });

  it("what came in pieces says so: its caller is to be asked for again", async () => {
    const socket = await begin("taken", "ab", 4);
    await settled(socket);
    const answer = answerOn(socket);
    socket.write("cd");
    expect(JSON.parse((await answer).body)).toEqual({ body: "abcd", inPieces: true });
    socket.destroy();
    expect(await (await post("taken", "abcd")).json()).toEqual({ body: "abcd", inPieces: false });
  });
});

describe("A body that comes along with its headers", () => {
  it("is there without a turn of the event loop, and its connection serves on, also where it is refused at once", async () => {
    turns.length = 0;
    const socket = await open(server.port);
    const request = (route: string) => `${head(route, "Content-Length: 3")}abc`;
    socket.write(["prompt", "prompt", "wrong", "prompt"].map(request).join(""));
    socket.write(`${head("prompt", "Content-Length: 3", "Connection: close")}abc`);
    const answers = (await untilClosed(socket)).split(/(?=HTTP\/1\.1 )/).map(parseResponse);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 200, 200]);
    expect(answers.map(({ headers }) => headers.get("connection"))).toEqual([
      ...Array.from({ length: 4 }, () => "keep-alive"),
      "close",
    ]);
    expect(turns).toEqual([0, 0, 0, 0]);
  });
});

describe("A caller who is refused whatever the body holds", () => {
  it("is told of a small body, so that what is wrong with it may be said first", async () => {
    expect((await post("doomed", "x".repeat(65_536))).status).toBe(200);
  });

  it("is refused before more than 64 KiB of it are read, by its length or by its chunks", async () => {
    received.length = 0;
    expect((await post("doomed", "x".repeat(65_537))).status).toBe(401);
    const chunk = `8000\r\n${"x".repeat(0x8000)}\r\n`;
    const raw = await exchangeBytes(
      server.port,
      `${head("doomed", "Transfer-Encoding: chunked")}${chunk}${chunk}${chunk}0\r\n\r\n`,
    );
    expect(parseResponse(raw).status).toBe(401);
    expect(received).toEqual([]);
  });

  it("of one beyond MAX_BODY_BYTES that is told", async () => {
    expect(await (await post("doomed", "x".repeat(mebibyte + 1))).json()).toMatchObject({
      body: "too-large",
    });
  });
});

describe("SVC_BODY_MEMORY: bytes of bodies that are held at a time", () => {
  it("where there is no room, the body goes that has not come on for longest: 503 unavailable, Retry-After", async () => {
    const part = Buffer.alloc(mebibyte - 2, "x");
    const first = await begin("taken", part);
    const second = await begin("taken", part);
    await settled(first);
    await settled(second);
    first.write("x");
    await settled(first);
    const evicted = answerOn(second);
    expect((await post("taken", "x".repeat(1000))).status).toBe(200);
    const { status, headers } = await evicted;
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("connection")).toBe("close");
    second.destroy();
    const answer = answerOn(first);
    first.write("x");
    expect((await answer).status).toBe(200);
    first.destroy();
  });

  it("bodies whose requests are not answered yet keep theirs: a newcomer is refused, and served once they are", async () => {
    const releases: (() => void)[] = [];
    const answers: Promise<Response>[] = [];
    for (let n = 0; n < 2; n += 1) {
      const before = received.length;
      answers.push(post("held", "x".repeat(mebibyte - 10)));
      while (received.length === before) await new Promise((go) => setImmediate(go));
      await new Promise((go) => setImmediate(go));
      releases.push(held);
    }
    const refused = await post("taken", "x".repeat(1000));
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "unavailable" } });
    expect((await post("taken", "x")).status).toBe(200);
    for (const release of releases) release();
    for (const answer of answers) expect((await answer).status).toBe(200);
    expect((await post("taken", "x".repeat(1000))).status).toBe(200);
  });

  it("what is left unfinished and leaves gives its room back", async () => {
    for (let n = 0; n < 8; n += 1) {
      const socket = await begin("taken", Buffer.alloc(mebibyte - 1, "x"));
      await settled(socket);
      socket.destroy();
    }
    const whole = await Promise.all([1, 2].map(() => post("taken", "x".repeat(mebibyte - 10))));
    expect(whole.map(({ status }) => status)).toEqual([200, 200]);
  });

  it("a body in very many pieces is put together as it was sent", async () => {
    const text = Array.from({ length: 20_000 }, (_, n) => String(n)).join(" ");
    const socket = await open(server.port);
    const pieces = [...text].map((character) => `1\r\n${character}\r\n`).join("");
    socket.write(`${head("whole", "Transfer-Encoding: chunked")}${pieces}0\r\n\r\n`);
    expect((await answerOn(socket)).headers.get("x-body")).toBe(hash("sha256", text));
    socket.destroy();
  });
});

describe("SVC_MAX_CONNECTIONS", () => {
  it("connections beyond are closed, which is logged; others are served once there is room", async () => {
    warnings.length = 0;
    const log = { ...silent, warn: (fields: object) => warnings.push(fields) };
    const small = await listening([shop], { maxConnections: 2, log });
    const request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    const [one, two] = [await open(small.port), await open(small.port)];
    for (const socket of [one, two]) {
      socket.write(request);
      expect((await answerOn(socket)).status).toBe(200);
    }
    for (let n = 0; n < 3; n += 1) {
      const third = await open(small.port);
      third.on("error", () => undefined);
      third.write(request);
      expect(await untilClosed(third)).toBe("");
    }
    expect(warnings).toEqual([{ connections: 2 }]);
    one.destroy();
    two.write(request);
    expect((await answerOn(two)).status).toBe(200);
    two.destroy();
    await small.server.close(0);
  });
});

/** When the server has read all that a client of `taken` has sent. */
async function settled(client: Socket): Promise<void> {
  const isRead = () => taking.get(client.localPort)?.bytesRead === client.bytesWritten;
  while (!isRead()) await new Promise((go) => setImmediate(go));
  await new Promise((go) => setImmediate(go));
}
