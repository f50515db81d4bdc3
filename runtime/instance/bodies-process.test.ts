/** Bodies that clients begin and do not finish, over bare sockets, to a server in a process of its own. */
import type { Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { open } from "../http/testing/server.ts";
import { type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { type ServerProcess, startProcess, urlOf } from "./testing/process.ts";

const mebibyte = 1024 ** 2;
const clients = 300;
/** Of a body of one mebibyte, what a client sends of it. */
const part = Buffer.alloc(1_000_000, " ");

let place: ProcessPlace;
let server: ServerProcess;
let url: string;
let sockets: Socket[] = [];
beforeAll(async () => {
  place = processPlace();
  server = startProcess(place, { SVC_BODY_MEMORY: "16MiB" });
  url = `${await urlOf(server)}/v1/${place.realm}`;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.ended;
  await place.discard();
});

async function memory(): Promise<number> {
  const { rss } = Object(await (await fetch(`${url}/main/memory`)).json());
  return Number(rss);
}

function create(id: string): Promise<Response> {
  const body = JSON.stringify({ sku: id });
  return fetch(`${url}/main/items`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
}

interface Client {
  readonly socket: Socket;
  /** The head of what it was answered; empty where the connection ended without. */
  readonly answer: Promise<string>;
}

/** A client that has begun a request with a body. */
async function begun(path: string, head: string): Promise<Client> {
  const { port, pathname } = new URL(`${url}${path}`);
  const socket = await open(Number(port));
  sockets.push(socket);
  let text = "";
  const answer = new Promise<string>((resolve) => {
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
      if (text.includes("\r\n\r\n")) resolve(text);
    });
    socket.on("close", () => resolve(text));
  });
  socket.write(`POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${head}\r\n\r\n`);
  return { socket, answer };
}

function crowd(path: string, head: string): Promise<readonly Client[]> {
  return Promise.all(Array.from({ length: clients }, () => begun(path, head)));
}

const declared = `Content-Length: ${mebibyte}`;
const chunked = "Transfer-Encoding: chunked";

describe("Bodies: nobody's are read before it is known who sends them", () => {
  it.each([
    ["of a declared length", declared, ""],
    ["in chunks", chunked, `${part.length.toString(16)}\r\n`],
  ])("300 unfinished ones to a route that answers 401 take no memory: %s", async (_what, head, before) => {
    await create("warm");
    const idle = await memory();
    const attackers = await crowd("/_admin/data/main/items", head);
    for (const { socket } of attackers) {
      socket.write(before);
      socket.write(part);
    }
    for (const { answer } of attackers) expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(await memory()).toBeLessThan(idle + 100 * mebibyte);
  });
});

describe("SVC_BODY_MEMORY: bodies that a route takes", () => {
  it("of 300 unfinished ones as many are held as fit, others answer 503 unavailable, and whoever finishes is served", async () => {
    const idle = await memory();
    const attackers = await crowd("/main/items", declared);
    const refused = new Set<string>();
    let left = clients;
    await new Promise<void>((resolve) => {
      for (const { socket, answer } of attackers) {
        socket.write(part);
        void answer.then((text) => {
          refused.add(text.replace(/(x-request-id|date): .*/g, ""));
          left -= 1;
          if (left === 16) resolve();
        });
      }
    });

    expect(await memory()).toBeLessThan(idle + 150 * mebibyte);
    for (let n = 0; n < 20; n += 1) expect((await create(`n${n}`)).status).toBe(201);
    expect((await fetch(`${url}/main/items/${"n".repeat(20)}`)).status).toBe(404);
    for (const text of refused) expect(text).toMatch(/^HTTP\/1\.1 503 /);
    for (const text of refused) expect(text).toMatch(/\r\nretry-after: 1\r\n/);
  });
});
