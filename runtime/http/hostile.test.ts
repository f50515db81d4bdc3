import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Exchange } from "../realm/exchange.ts";
import {
  exchangeBytes,
  listening,
  ok,
  open,
  parseResponse,
  realmOf,
  routes,
  type TestServer,
  untilClosed,
} from "./testing/server.ts";

const handled: string[] = [];
const shop = realmOf({
  "/v1/shop/main/items": routes(["GET", "POST"], async (exchange: Exchange) => {
    const { body, method } = await exchange.receive();
    handled.push(method);
    return ok({ body: typeof body === "string" ? body : body.length });
  }),
  "/v1/shop/main/headers": routes(["GET"], ({ headers }: Exchange) => ok({ match: headers["if-match"] })),
});

let server: TestServer;
beforeAll(async () => {
  server = await listening([shop], { requestTimeout: 200, timeoutInterval: 20 });
});
afterAll(() => server.server.close(0));

const send = async (bytes: string | Buffer) => parseResponse(await exchangeBytes(server.port, bytes));
const close = "Host: x\r\nConnection: close\r\n";

function expectError(response: ReturnType<typeof parseResponse>, status: number, code: string): void {
  expect(response.status).toBe(status);
  expect(JSON.parse(response.body)).toEqual({
    error: { code, message: expect.any(String), request_id: response.headers.get("x-request-id") },
  });
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.get("content-length")).toBe(String(response.body.length));
}

describe("Every error of framework, router and parser has our envelope", () => {
  it.each([
    ["no HTTP at all", "hello\r\n\r\n"],
    ["a TLS greeting", Buffer.from("16030100a5010000a10303", "hex")],
    ["an unknown method", "FOO / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["a malformed header", "GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n"],
    ["a NUL in a header", "GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    [
      "length and chunks",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a bad length", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
    ["a space in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("400 for %s", async (_what, bytes) => {
    expectError(await send(bytes), 400, "bad_request");
  });

  it("400 for a malformed chunk in a body that is being read", async () => {
    const head = "POST /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    expectError(await send(`${head}3\r\nabc\r\nzz\r\n`), 400, "bad_request");
  });

  it("400 invalid_header for a missing Host", async () => {
    expectError(await send("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"), 400, "invalid_header");
    expect((await send("GET /healthz HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  it("400 invalid_header for two Host headers, also where they are equal", async () => {
    for (const second of ["x", "y", ""]) {
      const twice = `GET /healthz HTTP/1.1\r\n${close}Host: ${second}\r\n\r\n`;
      expectError(await send(twice), 400, "invalid_header");
    }
  });

  it("headers are bounded by their bytes, not by their number: none is dropped", async () => {
    const request = (count: number) =>
      `GET /v1/shop/main/headers HTTP/1.1\r\n${close}${"a:\r\n".repeat(count)}If-Match: "1"\r\n\r\n`;
    for (const count of [2_000, 20_000])
      expect((await send(request(count))).body).toBe('{"match":"\\"1\\""}');
    expectError(await send(request(33_000)), 431, "request_header_fields_too_large");
  });

  it("431 for headers over 32 KiB in all, and not for less", async () => {
    const request = (bytes: number) =>
      `GET /healthz HTTP/1.1\r\n${close}X-Filler: ${"x".repeat(bytes)}\r\n\r\n`;
    expectError(await send(request(33 * 1024)), 431, "request_header_fields_too_large");
    expect((await send(request(31 * 1024))).status).toBe(200);
  });

  it("408 for a request that does not arrive in time", async () => {
    expectError(await send("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Sl"), 408, "request_timeout");
    const head = "POST /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n";
    expectError(await send(`${head}abc`), 408, "request_timeout");
  });

  it("405 for CONNECT, 404 for OPTIONS *", async () => {
    const refused = await send(`CONNECT example.com:443 HTTP/1.1\r\n${close}\r\n`);
    expectError(refused, 405, "method_not_allowed");
    expect(refused.headers.get("allow")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    expectError(await send(`OPTIONS * HTTP/1.1\r\n${close}\r\n`), 404, "not_found");
  });

  it("404 for malformed percent-encoding", async () => {
    expectError(await send(`GET /v1/shop/main/%E0%A4%A HTTP/1.1\r\n${close}\r\n`), 404, "not_found");
    expectError(await send(`GET /v1/shop/main/items%00 HTTP/1.1\r\n${close}\r\n`), 404, "not_found");
  });
});

describe("Unusual but valid requests", () => {
  it.each([
    ["an absolute target", `GET http://x/v1/shop/main/items HTTP/1.1\r\n${close}\r\n`],
    ["Expect: something", `GET /v1/shop/main/items HTTP/1.1\r\n${close}Expect: gold\r\n\r\n`],
    [
      "Upgrade",
      "GET /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n",
    ],
    ["Accept-Version", `GET /v1/shop/main/items HTTP/1.1\r\n${close}Accept-Version: 2.x\r\n\r\n`],
    ["a body on GET", `GET /v1/shop/main/items HTTP/1.1\r\n${close}Content-Length: 3\r\n\r\nabc`],
    ["a fragment", `GET /v1/shop/main/items#top HTTP/1.1\r\n${close}\r\n`],
  ])("are answered: %s", async (_what, bytes) => {
    expect((await send(bytes)).status).toBe(200);
  });

  it("a chunked body is read whole, an empty one is none", async () => {
    const head = `POST /v1/shop/main/items HTTP/1.1\r\n${close}Transfer-Encoding: chunked\r\n\r\n`;
    expect((await send(`${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`)).body).toBe('{"body":5}');
    expect((await send(`${head}0\r\n\r\n`)).body).toBe('{"body":"none"}');
  });

  it("Expect: 100-continue is continued", async () => {
    const socket = await open(server.port);
    socket.write(
      `POST /v1/shop/main/items HTTP/1.1\r\n${close}Content-Length: 3\r\nExpect: 100-continue\r\n\r\n`,
    );
    const [first]: Buffer[] = await once(socket, "data");
    expect(String(first)).toMatch(/^HTTP\/1.1 100 /);
    socket.write("abc");
    expect(parseResponse(await untilClosed(socket)).body).toBe('{"body":3}');
  });
});

describe("Common request rules 3: a body beyond the limit", () => {
  it("is answered at once, by its declared length or by its chunks, and its rest is dropped", async () => {
    const much = "x".repeat(300_000);
    const declared = `POST /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nContent-Length: ${much.length}\r\n\r\n${much}`;
    const chunked = `POST /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${much.length.toString(16)}\r\n${much}\r\n0\r\n\r\n`;
    for (const bytes of [declared, chunked]) {
      const response = await send(bytes);
      expect(response.status).toBe(200);
      expect(response.body).toBe('{"body":"too-large"}');
      expect(response.headers.get("connection")).toBe("close");
    }
  });

  it("is answered before the client has sent it", async () => {
    const socket = await open(server.port);
    socket.write("POST /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n");
    const [first]: Buffer[] = await once(socket, "data");
    expect(parseResponse(String(first)).status).toBe(200);
    socket.destroy();
  });

  it("nobody reads a body sent to no route", async () => {
    const much = "x".repeat(300_000);
    const response = await send(
      `POST /v1/shop/main/none HTTP/1.1\r\nHost: x\r\nContent-Length: ${much.length}\r\n\r\n${much}`,
    );
    expectError(response, 404, "not_found");
  });
});

describe("Connections", () => {
  it("stay open after errors whose request was read whole", async () => {
    const first = "POST /v1/shop/main/none HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc";
    const raw = await exchangeBytes(server.port, `${first}GET /healthz HTTP/1.1\r\n${close}\r\n`);
    expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 404", "HTTP/1.1 200"]);
  });

  it("answer the request before a malformed one first", async () => {
    const raw = await exchangeBytes(
      server.port,
      "GET /v1/shop/main/items HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n",
    );
    expect(raw.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });

  it("a client that leaves in the middle of its body is never handled", async () => {
    handled.length = 0;
    const socket = await open(server.port);
    socket.write("POST /v1/shop/main/items HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
    socket.destroy();
    await once(socket, "close");
    expect((await send(`GET /v1/shop/main/items HTTP/1.1\r\n${close}\r\n`)).status).toBe(200);
    expect(handled).toEqual(["GET"]);
  });
});
