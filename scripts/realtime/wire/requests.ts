/** Requests and streams over plain sockets: many, cut, stalled, from other addresses. */
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";

export type Headers = Readonly<Record<string, string>>;

export interface Answered {
  /** 0: the connection broke, and whether anything was done is unknown. */
  readonly status: number;
  /** `{}` where there is none. */
  readonly body: JsonObject;
  /** The code of an error, else empty. */
  readonly code: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Destroys sockets that are kept for further requests: to servers that are about to stop. */
export function closeIdle(): void {
  agent.destroy();
}

/** Sends JSON, or a text as it is, and reads the whole answer. */
export function ask(
  method: string,
  url: string,
  { headers = {}, body }: { readonly headers?: Headers; readonly body?: JsonObject | string } = {},
): Promise<Answered> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return new Promise((resolve) => {
    const sent = httpRequest(url, {
      method,
      agent,
      headers: {
        ...(text !== undefined && { "content-type": type, "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    sent.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => resolve(answered(response, Buffer.concat(chunks).toString("utf8"))));
      response.once("error", () => resolve(broken));
    });
    sent.once("error", () => resolve(broken));
    sent.end(text);
  });
}

const broken: Answered = { status: 0, body: {}, code: "", headers: {} };

function answered({ statusCode = 0, headers }: IncomingMessage, text: string): Answered {
  const value: JsonValue = text === "" ? {} : JSON.parse(text);
  const body = isJsonObject(value) ? value : {};
  const error = isJsonObject(body["error"]) ? body["error"] : {};
  return { status: statusCode, body, code: typeof error["code"] === "string" ? error["code"] : "", headers };
}

/** A block of a stream. */
export interface Block {
  /** Empty for a comment, and for a block with a token alone. */
  readonly event: string;
  readonly data: JsonObject;
  readonly id: string | undefined;
  readonly comment: string | undefined;
}

export interface StreamListener {
  block(block: Block): void;
  /** The server ended it, or the socket broke; not called after `cut`. */
  closed(): void;
}

/** An open stream. */
export interface Stream {
  /** Takes nothing more from the socket. */
  pause(): void;
  resume(): void;
  /** Destroys the socket. */
  cut(): void;
}

export interface StreamRequest {
  readonly headers?: Headers;
  readonly body: JsonObject | string;
  /** From which of the addresses of loopback. */
  readonly localAddress?: string;
}

/** Opens a stream, or answers why not. */
export function openStream(
  url: string,
  { headers = {}, body, localAddress }: StreamRequest,
  listener: StreamListener,
): Promise<Stream | Answered> {
  return new Promise((resolve) => {
    const sent = httpRequest(url, {
      method: "POST",
      agent: false,
      headers: { "content-type": "application/json", ...headers },
      ...(localAddress !== undefined && { localAddress }),
    });
    sent.once("response", (response) => {
      if (response.statusCode === 200) return resolve(streamOf(sent, response, listener));
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => resolve(answered(response, Buffer.concat(chunks).toString("utf8"))));
      response.once("error", () => resolve(broken));
    });
    sent.once("error", () => resolve(broken));
    sent.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}

function streamOf(sent: ClientRequest, response: IncomingMessage, listener: StreamListener): Stream {
  const blocks = new Blocks((block) => isOpen && listener.block(block));
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    listener.closed();
  };
  response.setEncoding("utf8");
  response.on("data", (text: string) => blocks.take(text));
  response.once("end", close);
  response.once("close", close);
  response.on("error", close);
  sent.on("error", close);
  return {
    pause: () => response.pause(),
    resume: () => response.resume(),
    cut() {
      isOpen = false;
      sent.destroy();
    },
  };
}

/** Blocks out of pieces of text, wherever those are cut. */
export class Blocks {
  readonly #take: (block: Block) => void;
  #rest = "";

  constructor(take: (block: Block) => void) {
    this.#take = take;
  }

  take(text: string): void {
    this.#rest += text;
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      const block = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 2);
      this.#take(blockOf(block));
    }
  }
}

/** @throws Error for what no stream may hold */
function blockOf(text: string): Block {
  const fields = new Map<string, string>();
  for (const line of text.split("\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    if (colon < 0 || !["", "event", "data", "id"].includes(name)) throw new Error(`a stream with ${line}`);
    if (fields.has(name)) throw new Error(`a block with two lines of ${name}: ${text}`);
    fields.set(name, line.slice(colon + 1).replace(/^ /, ""));
  }
  const data: JsonValue = JSON.parse(fields.get("data") ?? "{}");
  if (!isJsonObject(data)) throw new Error(`data that is no object: ${text}`);
  return { event: fields.get("event") ?? "", data, id: fields.get("id"), comment: fields.get("") };
}
