import { once } from "node:events";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Exchange } from "../../realm/exchange.ts";
import { runs } from "../../testing/random.ts";
import { listening, open, realmOf, routes, type TestServer } from "../testing/server.ts";
import { partOf, ranged } from "./ranged.ts";

const mebibyte = 1024 * 1024;
const large = Buffer.from(Array.from({ length: 3 * mebibyte }, (_, at) => (at * 7 + (at >> 8)) % 251));
const small = Buffer.from("0123456789");

/** What sources were opened for. */
let opened: (readonly [number, number])[] = [];

async function* read(bytes: Buffer, start: number, end: number) {
  for (let at = start; at < end; at += 50_000) yield bytes.subarray(at, Math.min(at + 50_000, end));
}

function file(bytes: Buffer, etag: string) {
  return (exchange: Exchange) =>
    ranged(exchange, {
      length: bytes.length,
      etag,
      headers: { "content-type": "text/plain", "cache-control": "private, max-age=600" },
      open(start, end) {
        opened.push([start, end]);
        return read(bytes, start, end);
      },
    });
}

const shop = realmOf({
  "/v1/shop/small": routes(["GET"], file(small, '"s"')),
  "/v1/shop/weak": routes(["GET"], file(small, 'W/"s"')),
  "/v1/shop/empty": routes(["GET"], file(Buffer.alloc(0), '"e"')),
  "/v1/shop/large": routes(["GET"], file(large, '"l"')),
});

let server: TestServer;
beforeEach(async () => {
  opened = [];
  server = await listening([shop]);
});
afterEach(() => server.server.close(0));

const get = (name: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${server.url}/v1/shop/${name}`, { headers, method });

describe("Range (RFC 9110, 14.2)", () => {
  it.each([
    ["bytes=0-0", "0", "0-0"],
    ["bytes=0-9", "0123456789", "0-9"],
    ["bytes=2-5", "2345", "2-5"],
    ["bytes=7-", "789", "7-9"],
    ["bytes=7-100", "789", "7-9"],
    ["bytes=-3", "789", "7-9"],
    ["bytes=-100", "0123456789", "0-9"],
    ["BYTES=1-1", "1", "1-1"],
    ["bytes= 1-1", "1", "1-1"],
    ["bytes=1-1,", "1", "1-1"],
    [`bytes=3-${"9".repeat(400)}`, "3456789", "3-9"],
  ])("%s: 206 with the part alone", async (range, text, content) => {
    const response = await get("small", { range });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe(text);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-range": `bytes ${content}/10`,
      "content-length": String(text.length),
      "accept-ranges": "bytes",
      etag: '"s"',
      "content-type": "text/plain",
      "cache-control": "private, max-age=600",
    });
    const [start = 0, end = 0] = content.split("-").map(Number);
    expect(opened).toEqual([[start, end + 1]]);
  });

  it.each(["bytes=10-", "bytes=10-20", "bytes=-0", `bytes=${"9".repeat(400)}-`])(
    "%s: 416 range_not_satisfiable, which says how much there is, and reads nothing",
    async (range) => {
      const response = await get("small", { range });
      expect(response.status).toBe(416);
      expect(response.headers.get("content-range")).toBe("bytes */10");
      expect(await response.json()).toMatchObject({ error: { code: "range_not_satisfiable" } });
      expect(opened).toEqual([]);
    },
  );

  it.each([
    "bytes=5-2",
    "bytes=a-b",
    "bytes=1",
    "bytes=-",
    "bytes=",
    "bytes=1-2-3",
    "bytes =1-2",
    "items=0-1",
    "bytes=0-1,3-4",
    "bytes=0-0, -1",
  ])("%s is malformed, of other units, or of several parts: 200 with all of it", async (range) => {
    const response = await get("small", { range });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-range")).toBeNull();
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(await response.text()).toBe("0123456789");
  });

  it("of nothing there is no part", async () => {
    for (const range of ["bytes=0-", "bytes=-5", "bytes=3-4"]) {
      const response = await get("empty", { range });
      expect([response.status, response.headers.get("content-length")]).toEqual([200, "0"]);
    }
  });

  it("HEAD answers as without it, and reads nothing", async () => {
    const { status, headers } = await get("small", { range: "bytes=2-5" }, "HEAD");
    expect([status, headers.get("content-length"), headers.get("accept-ranges")]).toEqual([
      200,
      "10",
      "bytes",
    ]);
    expect(opened).toEqual([]);
  });

  it("every part is the one that was asked for, or there is none", () => {
    const number = fc.oneof(fc.nat(30), fc.constant(""));
    fc.assert(
      fc.property(number, number, fc.nat(20), (from, to, length) => {
        const all = Array.from({ length }, (_, at) => at);
        const wanted =
          from === ""
            ? all.slice(Math.max(0, length - Number(to)))
            : all.filter((at) => at >= Number(from) && (to === "" || at <= Number(to)));
        const isMalformed = (from === "" && to === "") || (from !== "" && to !== "" && to < from);
        let expected: ReturnType<typeof partOf> = "unsatisfiable";
        if (isMalformed || length === 0) expected = "whole";
        else if (wanted[0] !== undefined) expected = { start: wanted[0], end: Number(wanted.at(-1)) + 1 };
        expect(partOf(`bytes=${from}-${to}`, length)).toEqual(expected);
      }),
      { numRuns: runs(10_000) },
    );
  });
});

describe("Conditions", () => {
  it.each([
    ["small", '"s"', 206],
    ["small", '"other"', 200],
    ["small", 'W/"s"', 200],
    ["weak", 'W/"s"', 200],
    ["weak", '"s"', 200],
    ["small", "Sun, 06 Nov 1994 08:49:37 GMT", 200],
    ["small", '"s", "t"', 200],
  ])("If-Range compares strongly, dates are never ours: %s, %s: %d", async (name, condition, status) => {
    const response = await get(name, { range: "bytes=1-2", "if-range": condition });
    expect([response.status, await response.text()]).toEqual([status, status === 206 ? "12" : "0123456789"]);
  });

  it("If-Range that does not hold makes no 416", async () => {
    expect((await get("small", { range: "bytes=50-", "if-range": '"other"' })).status).toBe(200);
  });

  it("If-None-Match comes first: 304 with what caches need", async () => {
    const response = await get("small", { range: "bytes=50-", "if-none-match": '"s"' });
    expect(response.status).toBe(304);
    expect(response.headers.get("etag")).toBe('"s"');
    expect(response.headers.get("cache-control")).toBe("private, max-age=600");
    expect(response.headers.get("content-type")).toBeNull();
    expect(opened).toEqual([]);
  });
});

it("a download that was cut goes on where it ended", async () => {
  const parts: Buffer[] = [];
  let had = 0;
  while (had < large.length) {
    const socket = await open(server.port);
    socket.write(`GET /v1/shop/large HTTP/1.1\r\nHost: x\r\nRange: bytes=${had}-\r\nIf-Range: "l"\r\n\r\n`);
    let answer = Buffer.alloc(0);
    while (answer.length < mebibyte && !answer.includes("\r\n\r\n")) answer = await more(socket, answer);
    const head = answer.indexOf("\r\n\r\n") + 4;
    expect(answer.toString("latin1", 0, 12)).toBe("HTTP/1.1 206");
    while (answer.length < Math.min(mebibyte, large.length - had + head)) answer = await more(socket, answer);
    socket.destroy();
    parts.push(answer.subarray(head));
    had += answer.length - head;
  }
  expect(parts.length).toBeGreaterThan(2);
  expect(Buffer.concat(parts).equals(large)).toBe(true);
});

async function more(socket: Awaited<ReturnType<typeof open>>, before: Buffer): Promise<Buffer<ArrayBuffer>> {
  const [bytes]: Buffer[] = await once(socket, "data");
  return Buffer.concat([before, bytes ?? Buffer.alloc(0)]);
}
