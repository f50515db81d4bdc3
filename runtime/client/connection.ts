import type { AnyErrorCode } from "./codes.ts";
import { ApiError, type ApiPromise, ConnectionError } from "./errors.ts";
import { type Call, merged, type RequestOptions, requestOf } from "./request.ts";

/** As much of `fetch` as this client uses. */
export type Fetch = (
  url: string,
  request: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    signal?: AbortSignal;
    credentials?: "include" | "omit" | "same-origin";
  },
) => Promise<{ status: number; headers: { get(name: string): string | null }; text(): Promise<string> }>;

export interface ClientOptions {
  /** Where the server is: `https://api.example.com`. */
  baseUrl: string;
  /** A session token or an API key, or what finds one for each request. */
  token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** `include`: for browsers of another origin that keep the session in a cookie. */
  credentials?: "include" | "omit" | "same-origin" | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds that one attempt may take; default 30,000. */
  timeout?: number | undefined;
  /** How often a request is repeated that fails on the way, where that is safe; default 2. */
  retries?: number | undefined;
  /** Milliseconds before repetition number `attempt`, from 1, where the server names none. */
  retryDelay?: ((attempt: number) => number) | undefined;
  fetch?: Fetch | undefined;
}

export interface OnceOptions extends RequestOptions {
  /** Whoever repeats a request with its key has its effect once, for 24 hours. */
  idempotencyKey?: string | undefined;
}

export interface Answer<T> {
  status: number;
  value: T;
}

/** Waits of more than this, in milliseconds, are left to the caller. */
const longestWait = 10_000;

/** Longer ones, in milliseconds, end at once. */
const longestTimer = 2 ** 31 - 1;

/** Answers that may be without content. */
const empty: readonly number[] = [202, 204, 304];

/** Sends requests: credentials, timeouts, repetitions, errors. */
export class Connection {
  /** Called when somebody signs in: what was opened before was so for somebody else. */
  readonly signIns = new Set<() => void>();
  readonly #realm: string;
  readonly #base: string;
  readonly #keyed: boolean;
  readonly #options: ClientOptions;
  readonly #tags = new WeakMap<object, string>();
  #session: string | undefined;

  /** @param keyed whether the realm knows idempotency keys */
  constructor(realm: string, keyed: boolean, options: ClientOptions) {
    this.#realm = realm;
    this.#base = `${options.baseUrl.replace(/\/+$/, "")}/v1/${realm}/`;
    this.#keyed = keyed;
    this.#options = options;
  }

  /** The token that goes before the one of the options, from a login until the logout. */
  set session(token: string | undefined) {
    this.#session = token;
    if (token !== undefined) for (const listener of this.signIns) listener();
  }

  get retryDelay(): ClientOptions["retryDelay"] {
    return this.#options.retryDelay;
  }

  /** The same connection with another way to fetch, for one request that has its effect however often it is sent. */
  fetching(change: (fetch: Fetch) => Fetch, options: Partial<ClientOptions> = {}): Connection {
    const { fetch = globalThis.fetch } = this.#options;
    const token = this.#session ?? this.#options.token;
    return new Connection(this.#realm, false, { ...this.#options, ...options, token, fetch: change(fetch) });
  }

  async #token(): Promise<string | undefined> {
    const { token } = this.#options;
    return this.#session ?? (typeof token === "function" ? await token() : token);
  }

  /** The value of a request that has its effect once, however often it is sent. */
  once<T, Code extends AnyErrorCode>(
    call: Call & { options?: OnceOptions | undefined },
  ): ApiPromise<T, Code> {
    return this.#keyFor(call.options).then(async (key) => {
      const headers = { "Idempotency-Key": key };
      return (await this.answer<T>({ ...call, headers, repeatable: key !== undefined })).value;
    });
  }

  /** The given key, or one made for the request where it may be repeated. */
  async #keyFor(options: OnceOptions | undefined): Promise<string | undefined> {
    if (options?.idempotencyKey !== undefined) return options.idempotencyKey;
    // Anonymous callers have no keys.
    if (!this.#keyed || this.#retries(options) === 0 || (await this.#token()) === undefined) return undefined;
    return newKey();
  }

  /** The value of the answer; its tag is kept for {@link tagOf}. */
  call<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.answer<T>(call).then(({ value }) => value);
  }

  /** The value, or the one that the caller has where the server says that it is still the same. */
  unlessKnown<T extends object, Code extends AnyErrorCode>(
    call: Call,
    known: T | undefined,
  ): ApiPromise<T, Code> {
    const headers = { "If-None-Match": known && this.tagOf(known) };
    return this.answer<T>({ ...call, headers }).then(({ status, value }) =>
      status === 304 && known ? known : value,
    );
  }

  /** The tag with which the server answered this very object. */
  tagOf(value: object): string | undefined {
    return this.#tags.get(value);
  }

  async answer<T>(call: Call): Promise<Answer<T>> {
    const retries = call.repeatable ? this.#retries(call.options) : 0;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send<T>(call);
      } catch (error) {
        const wait = attempt > retries ? undefined : this.#waitAfter(error, attempt);
        if (wait === undefined) throw error;
        await pause(wait, call.options?.signal);
      }
    }
  }

  #retries(options: RequestOptions | undefined): number {
    return options?.retries ?? this.#options.retries ?? 2;
  }

  /** Milliseconds until a repetition; undefined for what a repetition does not mend. */
  #waitAfter(error: unknown, attempt: number): number | undefined {
    const { retryDelay = (count: number) => 2 ** count * 100 * (0.5 + Math.random()) } = this.#options;
    if (error instanceof ConnectionError) return retryDelay(attempt);
    if (!(error instanceof ApiError)) return undefined;
    const passes = error.status === 503 || error.status === 429 || error.code === "request_in_progress";
    const wait = error.retry_after === undefined ? retryDelay(attempt) : error.retry_after * 1_000;
    return passes && wait <= longestWait ? wait : undefined;
  }

  async #send<T>(call: Call): Promise<Answer<T>> {
    const { timeout = this.#options.timeout ?? 30_000, signal } = call.options ?? {};
    signal?.throwIfAborted();
    const controller = new AbortController();
    const stop = () => controller.abort();
    const timer = setTimeout(stop, Math.min(timeout, longestTimer));
    signal?.addEventListener("abort", stop);
    const stopped = new Promise<never>((_, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason));
    });
    try {
      return await Promise.race([this.#exchange<T>(call, controller.signal), stopped]);
    } catch (error) {
      signal?.throwIfAborted();
      if (!controller.signal.aborted) throw error;
      throw new ConnectionError(`${call.method} ${call.path}: no answer within ${timeout} ms`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  async #exchange<T>(call: Call, signal: AbortSignal): Promise<Answer<T>> {
    const { method, path, search, body, ...request } = requestOf(call);
    const { credentials, fetch = globalThis.fetch } = this.#options;
    const headers = merged(this.#options.headers, request.headers, await this.#credential(call));
    let status: number | undefined;
    try {
      const response = await fetch(this.#base + path + (search === "" ? "" : `?${search}`), {
        method,
        headers,
        signal,
        ...(body !== undefined && { body }),
        ...(credentials && { credentials }),
      });
      status = response.status;
      const text = await response.text();
      const value = text === "" && empty.includes(status) ? undefined : JSON.parse(text);
      if (value !== undefined && Object(value) !== value && !call.isAnyJson) throw new TypeError("no object");
      if (status >= 400) {
        if (typeof value.error?.code !== "string") throw new TypeError("no error code");
        const wait = response.headers.get("Retry-After") ?? "";
        throw new ApiError(status, value.error, /^\d+$/.test(wait) ? Number(wait) : undefined);
      }
      const etag = response.headers.get("ETag");
      if (etag !== null && value !== undefined) this.#tags.set(value, etag);
      return { status, value };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (status === undefined) throw new ConnectionError(`${method} ${path}: no answer`, { cause: error });
      const reason = `an answer ${status} that is not this server's`;
      throw new ConnectionError(`${method} ${path}: ${reason}`, { cause: error, status });
    }
  }

  /**
   * Sends bytes to an address that the server gave, and no credential; a path is one of the server's.
   * @returns the status of the answer
   * @throws ConnectionError
   */
  async deliver(url: string, request: Parameters<Fetch>[1], body: object): Promise<number> {
    const { baseUrl, fetch = globalThis.fetch } = this.#options;
    const at = url.startsWith("/") ? baseUrl.replace(/\/+$/, "") + url : url;
    try {
      const response = await fetch(at, Object.assign({ ...request }, { body }));
      await response.text();
      return response.status;
    } catch (cause) {
      request.signal?.throwIfAborted();
      throw new ConnectionError(`${request.method} of an upload: no answer`, { cause });
    }
  }

  async #credential({ options }: Call): Promise<Call["headers"]> {
    const token = await this.#token();
    return {
      Authorization: token === undefined ? undefined : `Bearer ${token}`,
      "X-Svc-On-Behalf-Of": options?.onBehalfOf,
    };
  }
}

/** An idempotency key that nobody else has. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** @throws the signal's reason when it is aborted meanwhile */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
  });
  signal?.throwIfAborted();
}
