import type { Connection } from "./connection.ts";
import type { Call } from "./request.ts";

/** A connection whose answers may be streams. */
export class StreamConnection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The answer of now: none that a cache has kept. What was stored before a stream began would else be missed. */
  fresh<T>(call: Call): Promise<T> {
    const uncached = { cache: "no-store" } as const;
    return this.#connection
      .fetching((fetch) => (url, request) => fetch(url, { ...request, ...uncached }))
      .call<T, never>(call);
  }

  /**
   * A request like any other, with its credential, its headers and its errors, but for the answer: its bytes as they come,
   * until the signal is aborted.
   */
  async open(call: Call, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    let body: ReadableStream<Uint8Array> | undefined;
    const opening = this.#connection.fetching(
      (fetch) => async (url, request) => {
        // The signal of a request ends with it; this one's answer goes on.
        const response = await fetch(url, { ...request, signal });
        const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
        if (response.status !== 200 || !isStream) return response;
        if (!("body" in response && response.body instanceof ReadableStream))
          throw new TypeError("fetch gives no stream");
        body = response.body;
        return { status: 200, headers: response.headers, text: async () => "{}" };
      },
      { timeout: Number.POSITIVE_INFINITY, retries: 0 },
    );
    await opening.call({ ...call, options: { signal } });
    if (body === undefined) throw new TypeError("no stream");
    return body;
  }
}
