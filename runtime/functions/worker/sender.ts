import type { AnyErrorCode } from "../../client/codes.ts";
import type { Answer } from "../../client/connection.ts";
import type { Sender } from "../../client/documents.ts";
import type { ApiPromise } from "../../client/errors.ts";
import { type Call, requestOf } from "../../client/request.ts";
import type { HostReply } from "../invocation.ts";
import { operationOf } from "./operation.ts";
import { contentOf, refused } from "./replies.ts";
import type { Requests } from "./requests.ts";

/** Sends what clients' operations send over the network to the server that the thread belongs to. */
export class HostSender implements Sender {
  readonly #requests: Requests;
  readonly #as: "function" | "caller";
  readonly #most: number;
  readonly #requestId: string;
  readonly #tags = new WeakMap<object, string>();

  /** @param most bytes of a body */
  constructor(requests: Requests, as: "function" | "caller", most: number, requestId: string) {
    this.#requests = requests;
    this.#as = as;
    this.#most = most;
    this.#requestId = requestId;
  }

  call<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.answer<T>(call).then(({ value }) => value);
  }

  /** It gets to the server as long as the server is there: nothing is repeated. */
  once<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.call(call);
  }

  unlessKnown<T extends object, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.call(call);
  }

  tagOf(value: object): string | undefined {
    return this.#tags.get(value);
  }

  async answer<T>(call: Call): Promise<Answer<T>> {
    const reply = await this.#reply(call);
    const value = contentOf<T>(reply, () => operationOf(call), this.#as === "caller");
    const etag = reply.headers?.["etag"];
    if (etag !== undefined && typeof value === "object" && value !== null) this.#tags.set(value, etag);
    return { status: reply.status, value };
  }

  async #reply(call: Call): Promise<HostReply> {
    const request = addressed(call);
    if (request === undefined) {
      return refused(404, "not_found", "There is no such document.", this.#requestId);
    }
    const { method, path, search, headers, body } = request;
    if (body !== undefined && Buffer.byteLength(body) > this.#most) {
      return refused(413, "payload_too_large", "The request body is too large.", this.#requestId);
    }
    const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    return this.#requests.ask({
      kind: "documents",
      as: this.#as,
      method,
      path,
      search,
      headers: Object.fromEntries(entries),
      ...(body !== undefined && { body }),
    });
  }
}

/** Undefined for an id that no document has. */
function addressed(call: Call): ReturnType<typeof requestOf> | undefined {
  try {
    return requestOf(call);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
