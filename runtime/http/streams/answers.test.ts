import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../errors.ts";
import type { Answer, Ending, Exchange, StreamedBody } from "../../realm/exchange.ts";
import {
  exchangeBytes,
  listening,
  open,
  parseResponse,
  realmOf,
  routes,
  silent,
  type TestServer,
} from "../testing/server.ts";

let server: TestServer;
afterEach(() => server.server.close(0));

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
/** More than the buffers between two sockets of one machine take. */
const large = 24 * mebibyte;
const turn = () => new Promise((go) => setImmediate(go));

/** A source that counts what is asked of it. */
class Source {
  given = 0;
  /** How it heard of its end, in order. */
  readonly heard: string[] = [];
  readonly #whole: number;
  readonly #piece: Buffer;

  constructor(whole: number, piece = 64 * kibibyte) {
    this.#whole = whole;
    this.#piece = Buffer.alloc(piece, "x");
  }

  async *[Symbol.asyncIterator]() {
    try {
      while (this.given < this.#whole) {
        const piece = this.#piece.subarray(0, Math.min(this.#piece.length, this.#whole - this.given));
        this.given += piece.length;
        yield piece;
      }
    } finally {
      this.heard.push("return");
    }
  }

  open({ gone, closing }: Ending): this {
    gone.addEventListener("abort", () => this.heard.push("gone"));
    closing.addEventListener("abort", () => this.heard.push("closing"));
    return this;
  }
}

/** The body that `GET /v1/shop/streamed` answers next. */
let body: StreamedBody;
const logged: object[] = [];
const log = { ...silent, error: (fields: object) => logged.push(fields) };

const streamed = (): Answer => ({ status: 200, body, headers: { "content-type": "text/plain" } });
const shop = realmOf({
  "/v1/shop/streamed": routes(["GET"], streamed),
  "/v1/shop/posted": routes(["POST"], streamed),
  "/v1/shop/small": routes(["GET"], () => ({ status: 200, body: "{}" })),
});

function of(source: AsyncIterable<Uint8Array | string>, length?: number): StreamedBody {
  return { kind: "stream", length, open: () => source };
}

async function asking(path = "streamed", times = 1): Promise<Socket> {
  const socket = await open(server.port);
  socket.on("error", () => undefined);
  socket.write(`GET /v1/shop/${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(times));
  return socket;
}

const get = (init?: RequestInit) => fetch(`${server.url}/v1/shop/streamed`, init);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}

/** When a source has not been asked for more for some turns of the event loop. */
async function settled(source: Source): Promise<void> {
  for (let quiet = 0, given = -1; quiet < 500; quiet += 1) {
    if (source.given !== given) quiet = 0;
    given = source.given;
    await turn();
  }
}

describe("An answer may be a stream", () => {
  it("of unknown length, sent in chunks as its source gives them; text is UTF-8", async () => {
    server = await listening([shop]);
    async function* pieces() {
      yield "a";
      yield "";
      yield Buffer.from("b");
      yield "字";
    }
    body = of(pieces());
    const raw = await exchangeBytes(
      server.port,
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
    server = await listening([shop]);
    const socket = await open(server.port);
    for (const size of [0, 1, 100_000]) {
      body = of(new Source(size), size);
      socket.write("GET /v1/shop/streamed HTTP/1.1\r\nhost: a\r\n\r\n");
      const bytes = await received(socket, size);
      expect(bytes.headers.get("content-length")).toBe(String(size));
      expect(bytes.headers.get("transfer-encoding")).toBeUndefined();
      expect(bytes.body.length).toBe(size);
    }
    socket.destroy();
  });

  it("its head is there before its first bytes are", async () => {
    server = await listening([shop]);
    let give: () => void = () => undefined;
    const given = new Promise<void>((resolve) => {
      give = resolve;
    });
    async function* late() {
      await given;
      yield "late";
    }
    body = of(late());
    const response = await get();
    expect(response.status).toBe(200);
    give();
    expect(await response.text()).toBe("late");
  });

  it("HEAD never opens its source", async () => {
    server = await listening([shop]);
    let opened = 0;
    body = {
      kind: "stream",
      length: 7,
      open() {
        opened += 1;
        return new Source(7);
      },
    };
    const response = await get({ method: "HEAD" });
    expect([response.status, response.headers.get("content-length")]).toEqual([200, "7"]);
    expect(opened).toBe(0);
    expect(await (await get()).text()).toBe("xxxxxxx");
    expect(opened).toBe(1);
  });

  it("what hinders opening its source is answered in its place", async () => {
    server = await listening([shop], { log });
    body = {
      kind: "stream",
      open: async () => {
        throw new ApiError("not_found", "Gone.");
      },
    };
    const response = await get();
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: "not_found", message: "Gone." } });
  });

  it("answers to requests that came together go one after another, each source opened at its turn", async () => {
    server = await listening([shop]);
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
    await server.server.close(0);
    server = await listening([realmOf({ "/v1/shop/streamed": routes(["GET"], at) })]);
    const socket = await asking("streamed", 2);
    await until(() => asked === 2);
    await settled(sources[0] ?? new Source(0));
    expect(opened).toEqual([0]);
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await until(() => bytes >= large + 10 && opened.length === 2);
    expect(opened).toEqual([0, 1]);
    socket.destroy();
  });

  it("a stream in answer to a body that nobody read goes out whole, and ends the connection", async () => {
    server = await listening([shop]);
    body = of(new Source(200_000), 200_000);
    const socket = await open(server.port);
    socket.write("POST /v1/shop/posted HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nabc");
    const answer = received(socket, 200_000);
    expect((await answer).headers.get("connection")).toBe("close");
    socket.write(Buffer.alloc(1_000_000 - 3));
    await once(socket, "close");
  });
});

describe("Back-pressure", () => {
  it("a slow client stalls its source, which goes on when it takes more", async () => {
    server = await listening([shop]);
    const source = new Source(large);
    body = of(source);
    const socket = await asking();
    await until(() => source.given > 0);
    await settled(source);
    expect(source.given).toBeLessThan(large);
    expect(source.heard).toEqual([]);
    socket.resume();
    await until(() => source.heard.length > 0);
    expect(source.given).toBe(large);
    socket.destroy();
  });

  it("a source that gives at once what a client takes at once leaves others their turns", async () => {
    server = await listening([shop]);
    let given = 0;
    const piece = Buffer.alloc(64 * kibibyte);
    let stop = false;
    async function* endless() {
      while (!stop) {
        given += piece.length;
        yield piece;
      }
    }
    body = of(endless());
    const socket = await asking();
    socket.resume();
    await until(() => given > large);
    expect((await fetch(`${server.url}/v1/shop/small`)).status).toBe(200);
    stop = true;
    socket.destroy();
  });

  it("what waits for slow clients is answer memory, and only that: idle streams take none", async () => {
    server = await listening([shop], { answerMemory: 100_000 });
    body = { kind: "stream", open: (ending) => waiting(ending, []) };
    const sockets = [];
    for (let n = 0; n < 50; n += 1) {
      const socket = await asking();
      await once(socket, "data");
      sockets.push(socket);
    }
    expect((await fetch(`${server.url}/v1/shop/small`)).status).toBe(200);
    for (const socket of sockets) expect(socket.destroyed).toBe(false);
    for (const socket of sockets) socket.destroy();
  });

  it("where streams hold more than half of SVC_ANSWER_MEMORY for slow clients, those end that wait for longest", async () => {
    const piece = mebibyte;
    server = await listening([shop], { answerMemory: 8 * mebibyte });
    const sources: Source[] = [];
    const sockets: Socket[] = [];
    for (let n = 0; n < 8; n += 1) {
      const source = new Source(large, piece);
      body = of(source);
      sources.push(source);
      sockets.push(await asking());
      await until(() => source.given > 0);
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
    server = await listening([shop]);
    const source = new Source(large);
    body = { kind: "stream", open: (ending) => source.open(ending) };
    const socket = await asking();
    await until(() => source.given > 0);
    await settled(source);
    socket.destroy();
    await until(() => source.heard.length === 2);
    expect(source.heard).toEqual(["gone", "return"]);
  });

  it("also one that waits for what does not come, and one that half-closes", async () => {
    server = await listening([shop]);
    for (const leave of ["destroy", "end"] as const) {
      const heard: string[] = [];
      body = { kind: "stream", open: (ending) => waiting(ending, heard) };
      const socket = await asking();
      socket.resume();
      await until(() => heard.length > 0);
      socket[leave]();
      await until(() => heard.length === 3);
      expect(heard).toEqual(["open", "gone", "return"]);
    }
  });

  it("a client that is gone before its turn opens no source", async () => {
    server = await listening([shop], { answerPatience: 600 });
    const heard: string[] = [];
    body = { kind: "stream", open: (ending) => waiting(ending, heard) };
    const socket = await asking("streamed", 3);
    await until(() => heard.length > 0);
    socket.destroy();
    await until(() => heard.length === 3);
    expect(heard).toEqual(["open", "gone", "return"]);
  });

  it("a client that takes nothing for the answer patience is cut; one that a source keeps waiting is not", async () => {
    server = await listening([shop], { answerPatience: 150 });
    const heard: string[] = [];
    body = { kind: "stream", open: (ending) => waiting(ending, heard) };
    const patient = await asking();
    await once(patient, "data");
    const source = new Source(large);
    body = { kind: "stream", open: (ending) => source.open(ending) };
    const socket = await asking();
    await until(() => source.heard.length === 2);
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
      server = await listening([shop], { log });
      logged.length = 0;
      let returned = false;
      async function* broken() {
        try {
          yield "abcde";
          if (fails !== undefined) throw new Error("disk on fire");
        } finally {
          returned = true;
        }
      }
      body = of(broken(), length);
      const response = await get({ headers: { "x-request-id": "r-1" } });
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
      expect(logged).toMatchObject([
        { request_id: "r-1", method: "GET", route: "/v1/shop/streamed", err: expect.any(Error) },
      ]);
      expect(returned).toBe(true);
    },
  );

  it.each(["HTTP/1.1", "HTTP/1.0"])(
    "a broken stream of unknown length never looks whole: %s",
    async (version) => {
      server = await listening([shop], { log });
      const socket = await open(server.port);
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
        await until(() => text.includes("abcde"));
        throw new Error("disk on fire");
      }
      body = of(broken());
      socket.write(`GET /v1/shop/streamed ${version}\r\nHost: x\r\n\r\n`);
      expect(await ends).toBe(version === "HTTP/1.0" ? "reset" : "end");
      expect(text).not.toContain("\r\n0\r\n");
    },
  );
});

describe("Shutdown", () => {
  it("streams are told, have the grace to end, and their connections are closed when they have", async () => {
    server = await listening([shop]);
    const heard: string[] = [];
    body = {
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
    const response = await get();
    const closed = server.server.close(60_000);
    expect(await response.text()).toBe("hello goodbye");
    await closed;
    expect(heard).toEqual(["closing"]);
  });

  it("those that do not end are cut by the grace, and waited for until their sources have ended", async () => {
    server = await listening([shop]);
    const heard: string[] = [];
    body = { kind: "stream", open: (ending) => waiting(ending, heard) };
    const response = await get();
    await until(() => heard.length > 0);
    await server.server.close(1);
    expect(heard).toEqual(["open", "gone", "return"]);
    await expect(response.text()).rejects.toThrow();
  });
});

describe("Who watches is told of a stream at its end", () => {
  it("with the bytes that were sent", async () => {
    const told: object[] = [];
    server = await listening([shop], { observe: (_exchange: Exchange, answered) => told.push(answered) });
    body = of(new Source(200_000), 200_000);
    await (await get()).arrayBuffer();
    await until(() => told.length > 0);
    await get({ method: "HEAD" });
    expect(told).toMatchObject([
      { pattern: "/v1/shop/streamed", status: 200, bytes: 200_000 },
      { pattern: "/v1/shop/streamed", status: 200, bytes: 0 },
    ]);
  });
});

/** A source that gives one byte and then waits until its client is gone. */
async function* waiting({ gone }: Ending, heard: string[]) {
  heard.push("open");
  const left = new Promise<void>((resolve) => {
    gone.addEventListener("abort", () => {
      heard.push("gone");
      resolve();
    });
  });
  try {
    yield "x";
    await left;
  } finally {
    heard.push("return");
  }
}

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
