import { type Call, type ClientOptions, Connection, type Fetch } from "./connection.ts";

/** A connection whose answers may be streams. */
export class StreamConnection extends Connection {
  readonly #realm: string;
  readonly #options: ClientOptions;
  #own: string | undefined;
  /** Called when somebody signs in: what was opened before was so for somebody else. */
  onSignIn: () => void = () => undefined;

  constructor(realm: string, keyed: boolean, options: ClientOptions) {
    super(realm, keyed, options);
    this.#realm = realm;
    this.#options = options;
  }

  override set session(token: string | undefined) {
    super.session = token;
    this.#own = token;
    if (token !== undefined) this.onSignIn();
  }

  /** The answer of now: none that a cache has kept. What was stored before a stream began would else be missed. */
  fresh<T>(call: Call): Promise<T> {
    const { fetch = globalThis.fetch } = this.#options;
    const uncached = { cache: "no-store" } as const;
    return this.#with({}, (url, request) => fetch(url, { ...request, ...uncached })).call<T, never>(call);
  }

  /**
   * A request like any other, with its credential, its headers and its errors, but for the answer: its bytes as they come,
   * until the signal is aborted.
   */
  async open(call: Call, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { fetch = globalThis.fetch } = this.#options;
    let body: ReadableStream<Uint8Array> | undefined;
    const opening = this.#with({ timeout: Number.POSITIVE_INFINITY, retries: 0 }, async (url, request) => {
      // The signal of a request ends with it; this one's answer goes on.
      const response = await fetch(url, { ...request, signal });
      const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
      if (response.status !== 200 || !isStream) return response;
      if (!("body" in response && response.body instanceof ReadableStream))
        throw new TypeError("fetch gives no stream");
      body = response.body;
      return { status: 200, headers: response.headers, text: async () => "{}" };
    });
    await opening.call({ ...call, options: { signal } });
    if (body === undefined) throw new TypeError("no stream");
    return body;
  }

  /** The same connection with another way to fetch. */
  #with(options: Partial<ClientOptions>, fetch: Fetch): Connection {
    const token = this.#own ?? this.#options.token;
    return new Connection(this.#realm, false, { ...this.#options, ...options, token, fetch });
  }
}
