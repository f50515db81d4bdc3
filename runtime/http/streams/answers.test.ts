import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../errors.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { untilHolds } from "../../testing/until.ts";
import { exchangeBytes, open, parseResponse, realmOf, routes } from "../testing/server.ts";
import { large, of, Source, Streaming, settled } from "../testing/streaming.ts";

const streaming = Streaming.eachTest();

describe("An answer may be a stream", () => {
  it("of unknown length, sent in chunks as its source gives them; text is UTF-8", async () => {
    await streaming.listen();
    async function* pieces() {
      yield "a";
      yield "";
      yield Buffer.from("b");
      yield "字";
    }
    streaming.body = of(pieces());
    const raw = await exchangeBytes(
      streaming.server.port,
      "GET /v1/shop/streamed HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    const { status, headers, body: chunks } = parseResponse(raw);
    expect(status).toBe(200);
    expect(headers.get("transfer-encoding")).toBe("chunked");
    expect(headers.get("content-type")).toBe("text/plain");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(Buffer.from(chunks, "latin1").toString()).toBe("1\r\na\r\n1\r\nb\r\n3\r\n字\r\n0\r\n\r\n");
  });

  it("of known length, with Content-Length; its connection serves on", async () => {
    await streaming.listen();
    const socket = await open(streaming.server.port);
    for (const size of [0, 1, 100_000]) {
      streaming.body = of(new Source(size), size);
      socket.write("GET /v1/shop/streamed HTTP/1.1\r\nhost: a\r\n\r\n");
      const bytes = await received(socket, size);
      expect(bytes.headers.get("content-length")).toBe(String(size));
      expect(bytes.headers.get("transfer-encoding")).toBeUndefined();
      expect(bytes.body.length).toBe(size);
    }
    socket.destroy();
  });

  it("its head is there before its first bytes are", async () => {
    await streaming.listen();
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      give = resolve;
    });
    async function* late() {
      await given;
      yield "late";
    }
    streaming.body = of(late());
    const response = await streaming.get();
    expect(response.status).toBe(200);
    give();
    expect(await response.text()).toBe("late");
  });

  it("HEAD never opens its source", async () => {
    await streaming.listen();
    let opened = 0;
    streaming.body = {
      kind: "stream",
      length: 7,
      open() {
        opened += 1;
        return new Source(7);
      },
    };
    const response = await streaming.get({ method: "HEAD" });
    expect([response.status, response.headers.get("content-length")]).toEqual([200, "7"]);
    expect(opened).toBe(0);
    expect(await (await streaming.get()).text()).toBe("xxxxxxx");
    expect(opened).toBe(1);
  });

  it("what hinders opening its source is answered in its place", async () => {
    await streaming.listen({ log: streaming.log });
    streaming.body = {
      kind: "stream",
      open: async () => {
        throw new ApiError("not_found", "Gone.");
      },
    };
    const response = await streaming.get();
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found", message: "Gone." } });
  });

  it("what a source has whole is sent without asking for it, and refused where its length is another", async () => {
    await streaming.listen({ log: streaming.log });
    const whole = Buffer.from("here");
    const open = () => Object.assign(new Source(large), { whole });
    streaming.body = { kind: "stream", length: whole.length, open };
    const response = await streaming.get();
    expect([response.headers.get("content-length"), await response.text()]).toEqual(["4", "here"]);
    streaming.body = { kind: "stream", length: 5, open };
    expect((await streaming.get()).status).toBe(500);
  });

  it("answers to requests that came together go one after another, each source opened at its turn", async () => {
    await streaming.listen();
    const sources = [new Source(large), new Source(10)];
    const opened: number[] = [];
    let asked = 0;
    const at = () => {
      asked += 1;
      const number = asked - 1;
      return {
        status: 200,
        body: {
          kind: "stream" as const,
          length: number === 0 ? large : 10,
          open() {
            opened.push(number);
            return sources[number] ?? new Source(0);
          },
        },
      };
    };
    await streaming.server.server.close(0);
    await streaming.listen({}, realmOf({ "/v1/shop/streamed": routes(["GET"], at) }));
    const socket = await streaming.asking("streamed", 2);
    await untilHolds(() => asked === 2);
    await settled(sources[0] ?? new Source(0));
    expect(opened).toEqual([0]);
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await untilHolds(() => bytes >= large + 10 && opened.length === 2);
    expect(opened).toEqual([0, 1]);
    socket.destroy();
  });

  it("a stream in answer to a body that nobody read goes out whole, and ends the connection", async () => {
    await streaming.listen();
    streaming.body = of(new Source(200_000), 200_000);
    const socket = await open(streaming.server.port);
    socket.write("POST /v1/shop/posted HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc");
    const answer = received(socket, 200_000);
    expect((await answer).headers.get("connection")).toBe("close");
    socket.write(Buffer.alloc(1_000_000 - 3));
    await once(socket, "close");
  });
});

describe("Who watches is told of a stream at its end", () => {
  it("with the bytes that were sent", async () => {
    const told: object[] = [];
    await streaming.listen({ observe: (_exchange: Exchange, answered) => told.push(answered) });
    streaming.body = of(new Source(200_000), 200_000);
    await (await streaming.get()).arrayBuffer();
    await untilHolds(() => told.length > 0);
    await streaming.get({ method: "HEAD" });
    expect(told).toMatchObject([
      { pattern: "/v1/shop/streamed", status: 200, bytes: 200_000 },
      { pattern: "/v1/shop/streamed", status: 200, bytes: 0 },
    ]);
  });
});

/** One answer of a connection, with a body of so many bytes. */
async function received(socket: Socket, size: number): Promise<ReturnType<typeof parseResponse>> {
  let text = "";
  for (;;) {
    const [bytes]: Buffer[] = await once(socket, "data");
    text += bytes?.toString("latin1");
    const answer = parseResponse(text);
    if (text.includes("\r\n\r\n") && answer.body.length >= size) return answer;
  }
}
