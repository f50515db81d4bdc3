/** A server whose answers are streams, and sources that tell what becomes of them. */
import type { Socket } from "node:net";
import { afterEach } from "vitest";
import type { Answer, Ending, StreamedBody } from "../../realm/exchange.ts";
import { listening, open, realmOf, routes, silent, type TestServer } from "./server.ts";

export const kibibyte = 1024;
export const mebibyte = 1024 * kibibyte;
/** More than the buffers between two sockets of one machine take. */
export const large = 24 * mebibyte;
export const turn = () => new Promise((go) => setImmediate(go));

/** A source that counts what is asked of it. */
export class Source {
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

/** A source that gives one byte and then waits until its client is gone. */
export async function* waiting({ gone }: Ending, heard: string[]) {
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

export function of(source: AsyncIterable<Uint8Array | string>, length?: number): StreamedBody {
  return { kind: "stream", length, open: () => source };
}

/** When a source has not been asked for more for some turns of the event loop. */
export async function settled(source: Source): Promise<void> {
  for (let quiet = 0, given = -1; quiet < 500; quiet += 1) {
    if (source.given !== given) quiet = 0;
    given = source.given;
    await turn();
  }
}

/** A server for each test of a file, closed at its end. */
export class Streaming {
  /** What `GET /v1/shop/streamed` answers next. */
  body: StreamedBody = of(new Source(0));
  /** What was logged as an error. */
  readonly logged: object[] = [];
  readonly log = { ...silent, error: (fields: object) => this.logged.push(fields) };
  #server: TestServer | undefined;

  /** To be called at the top of a file. */
  static eachTest(): Streaming {
    const streaming = new Streaming();
    afterEach(() => streaming.#server?.server.close(0));
    return streaming;
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error("it does not listen yet");
    return this.#server;
  }

  /** @param realm in place of one with `streamed`, `posted` and `small` */
  async listen(
    options: Parameters<typeof listening>[1] = {},
    realm: ReturnType<typeof realmOf> = this.#shop(),
  ): Promise<TestServer> {
    this.#server = await listening([realm], options);
    return this.#server;
  }

  async asking(path = "streamed", times = 1): Promise<Socket> {
    const socket = await open(this.server.port);
    socket.on("error", () => undefined);
    socket.write(`GET /v1/shop/${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(times));
    return socket;
  }

  get(init?: RequestInit): Promise<Response> {
    return fetch(`${this.server.url}/v1/shop/streamed`, init);
  }

  #shop() {
    const streamed = (): Answer => ({
      status: 200,
      body: this.body,
      headers: { "content-type": "text/plain" },
    });
    return realmOf({
      "/v1/shop/streamed": routes(["GET"], streamed),
      "/v1/shop/posted": routes(["POST"], streamed),
      "/v1/shop/small": routes(["GET"], () => ({ status: 200, body: "{}" })),
    });
  }
}
