import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { untilHolds } from "../../testing/until.ts";
import { open } from "../testing/server.ts";
import { kibibyte, large, mebibyte, of, Source, Streaming, settled, waiting } from "../testing/streaming.ts";

const streaming = Streaming.eachTest();

describe("Back-pressure", () => {
  it("a slow client stalls its source, which goes on when it takes more", async () => {
    await streaming.listen();
    const source = new Source(large);
    streaming.body = of(source);
    const socket = await streaming.asking();
    await untilHolds(() => source.given > 0);
    await settled(source);
    expect(source.given).toBeLessThan(large);
    expect(source.heard).toEqual([]);
    socket.resume();
    await untilHolds(() => source.heard.length > 0);
    expect(source.given).toBe(large);
    socket.destroy();
  });

  it("a source that gives at once what a client takes at once leaves others their turns", async () => {
    await streaming.listen();
    let given = 0;
    const piece = Buffer.alloc(64 * kibibyte);
    let stop = false;
    async function* endless() {
      while (!stop) {
        given += piece.length;
        yield piece;
      }
    }
    streaming.body = of(endless());
    const socket = await streaming.asking();
    socket.resume();
    await untilHolds(() => given > large);
    expect((await fetch(`${streaming.server.url}/v1/shop/small`)).status).toBe(200);
    stop = true;
    socket.destroy();
  });

  it("what waits for slow clients is answer memory, and only that: idle streams take none", async () => {
    await streaming.listen({ answerMemory: 100_000 });
    streaming.body = { kind: "stream", open: (ending) => waiting(ending, []) };
    const sockets = [];
    for (let n = 0; n < 50; n += 1) {
      const socket = await streaming.asking();
      await once(socket, "data");
      sockets.push(socket);
    }
    expect((await fetch(`${streaming.server.url}/v1/shop/small`)).status).toBe(200);
    for (const socket of sockets) expect(socket.destroyed).toBe(false);
    for (const socket of sockets) socket.destroy();
  });

  it("where streams hold more than half of SVC_ANSWER_MEMORY for slow clients, those end that wait for longest", async () => {
    const piece = mebibyte;
    await streaming.listen({ answerMemory: 8 * mebibyte });
    const sources: Source[] = [];
    const sockets: Socket[] = [];
    for (let n = 0; n < 8; n += 1) {
      const source = new Source(large, piece);
      streaming.body = of(source);
      sources.push(source);
      sockets.push(await streaming.asking());
      await untilHolds(() => source.given > 0);
      await settled(source);
    }
    const ended = sources.map(({ heard }) => heard.length > 0);
    expect(ended[0]).toBe(true);
    expect(ended.at(-1)).toBe(false);
    expect(ended).toEqual([...ended].sort().reverse());
    for (const socket of sockets) socket.destroy();
  });
});

describe("Ends of a stream", () => {
  it("a client that leaves ends its source: its signal and return()", async () => {
    await streaming.listen();
    const source = new Source(large);
    streaming.body = { kind: "stream", open: (ending) => source.open(ending) };
    const socket = await streaming.asking();
    await untilHolds(() => source.given > 0);
    await settled(source);
    socket.destroy();
    await untilHolds(() => source.heard.length === 2);
    expect(source.heard).toEqual(["gone", "return"]);
  });

  it("also one that waits for what does not come, and one that half-closes", async () => {
    await streaming.listen();
    for (const leave of ["destroy", "end"] as const) {
      const heard: string[] = [];
      streaming.body = { kind: "stream", open: (ending) => waiting(ending, heard) };
      const socket = await streaming.asking();
      socket.resume();
      await untilHolds(() => heard.length > 0);
      socket[leave]();
      await untilHolds(() => heard.length === 3);
      expect(heard).toEqual(["open", "gone", "return"]);
    }
  });

  it("a client that is gone before its turn opens no source", async () => {
    await streaming.listen({ answerPatience: 600 });
    const heard: string[] = [];
    streaming.body = { kind: "stream", open: (ending) => waiting(ending, heard) };
    const socket = await streaming.asking("streamed", 3);
    await untilHolds(() => heard.length > 0);
    socket.destroy();
    await untilHolds(() => heard.length === 3);
    expect(heard).toEqual(["open", "gone", "return"]);
  });

  it("a client that takes nothing for the answer patience is cut; one that a source keeps waiting is not", async () => {
    await streaming.listen({ answerPatience: 150 });
    const heard: string[] = [];
    streaming.body = { kind: "stream", open: (ending) => waiting(ending, heard) };
    const patient = await streaming.asking();
    await once(patient, "data");
    const source = new Source(large);
    streaming.body = { kind: "stream", open: (ending) => source.open(ending) };
    const socket = await streaming.asking();
    await untilHolds(() => source.heard.length === 2);
    expect(source.heard).toEqual(["gone", "return"]);
    expect(source.given).toBeLessThan(large);
    expect(heard).toEqual(["open"]);
    patient.destroy();
    socket.destroy();
  });

  it.each([
    ["throws", 100, 50],
    ["gives less than was said", 100, undefined],
    ["gives more than was said", 3, undefined],
  ])(
    "a source that %s ends the connection, and is logged with the request id",
    async (_what, length, fails) => {
      await streaming.listen({ log: streaming.log });
      streaming.logged.length = 0;
      let returned = false;
      async function* broken() {
        try {
          yield "abcde";
          if (fails !== undefined) throw new Error("disk on fire");
        } finally {
          returned = true;
        }
      }
      streaming.body = of(broken(), length);
      const response = await streaming.get({ headers: { "x-request-id": "r-1" } });
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      expect(streaming.logged).toMatchObject([
        { request_id: "r-1", method: "GET", route: "/v1/shop/streamed", err: expect.any(Error) },
      ]);
      expect(returned).toBe(true);
    },
  );

  it.each(["HTTP/1.1", "HTTP/1.0"])(
    "a broken stream of unknown length never looks whole: %s",
    async (version) => {
      await streaming.listen({ log: streaming.log });
      const socket = await open(streaming.server.port);
      const ends = new Promise<string>((resolve) => {
        socket.once("error", () => resolve("reset"));
        socket.once("end", () => resolve("end"));
      });
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString("latin1");
      });
      async function* broken() {
        yield "abcde";
        // Node's clients take a reset for an orderly end where it comes along with bytes.
        await untilHolds(() => text.includes("abcde"));
        throw new Error("disk on fire");
      }
      streaming.body = of(broken());
      socket.write(`GET /v1/shop/streamed ${version}\r\nHost: x\r\n\r\n`);
      expect(await ends).toBe(version === "HTTP/1.0" ? "reset" : "end");
      expect(text).not.toContain("\r\n0\r\n");
    },
  );
});

describe("Shutdown", () => {
  it("streams are told, have the grace to end, and their connections are closed when they have", async () => {
    await streaming.listen();
    const heard: string[] = [];
    streaming.body = {
      kind: "stream",
      open: (ending) => ({
        async *[Symbol.asyncIterator]() {
          yield "hello ";
          await once(ending.closing, "abort");
          heard.push("closing");
          yield "goodbye";
        },
      }),
    };
    const response = await streaming.get();
    const closed = streaming.server.server.close(60_000);
    expect(await response.text()).toBe("hello goodbye");
    await closed;
    expect(heard).toEqual(["closing"]);
  });

  it("those that do not end are cut by the grace, and waited for until their sources have ended", async () => {
    await streaming.listen();
    const heard: string[] = [];
    streaming.body = { kind: "stream", open: (ending) => waiting(ending, heard) };
    const response = await streaming.get();
    await untilHolds(() => heard.length > 0);
    await streaming.server.server.close(1);
    expect(heard).toEqual(["open", "gone", "return"]);
    await expect(response.text()).rejects.toThrow();
  });
});
