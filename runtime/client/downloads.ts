/** The bytes of files, as they come. */
import type { Connection, Fetch } from "./connection.ts";
import type { Call, RequestOptions } from "./request.ts";

export interface DownloadOptions<Version extends string> extends RequestOptions {
  /** Of an image, in place of itself. */
  version?: Version | undefined;
  /** Bytes, from the first to the last of them; without one to the end. */
  range?: { first: number; last?: number | undefined } | undefined;
}

/** The bytes of a file, or the part of them that was asked for, as they come. */
export interface Download {
  readonly body: ReadableStream<Uint8Array>;
  /** Media type. */
  readonly type: string;
  /** Bytes of the body; undefined where the server does not say. */
  readonly size: number | undefined;
  /** Whether it is a part. */
  readonly partial: boolean;
  /** All of it in memory. */
  blob(): Promise<Blob>;
}

export async function download(
  connection: Connection,
  path: string,
  { version, range, ...options }: DownloadOptions<string> = {},
): Promise<Download> {
  let found: Download | undefined;
  const opening = connection.fetching(
    (fetch) => (url, request) =>
      // The signal of a request ends with it; the bytes go on.
      opened(fetch, url, request, options.signal, (download) => {
        found = download;
      }),
  );
  const call: Call = {
    method: "GET",
    path,
    query: { version },
    headers: { Range: range && `bytes=${range.first}-${range.last ?? ""}` },
    options,
    repeatable: true,
  };
  await opening.call(call);
  if (found === undefined) throw new TypeError("no bytes");
  return found;
}

type Fetched = Awaited<ReturnType<Fetch>>;

/** @param signal of the whole download @returns the answer, without the bytes where there are any */
async function opened(
  fetch: Fetch,
  url: string,
  request: Parameters<Fetch>[1],
  signal: AbortSignal | undefined,
  found: (download: Download) => void,
): Promise<Fetched> {
  const either = new Either([request.signal, signal].flatMap((each) => each ?? []));
  try {
    const response = await fetch(url, { ...request, signal: either.signal });
    const { status, headers } = response;
    if (status !== 200 && status !== 206)
      return { status, headers, text: () => response.text().finally(() => either.end()) };
    if (!("body" in response && response.body instanceof ReadableStream))
      throw new TypeError("fetch gives no stream");
    const body = toldAtEnd(response.body, () => either.end());
    found(downloadOf(status, headers, body));
    return { status: 200, headers, text: async () => "{}" };
  } catch (error) {
    either.end();
    throw error;
  }
}

function downloadOf(status: number, headers: Fetched["headers"], body: ReadableStream): Download {
  const type = headers.get("Content-Type") ?? "application/octet-stream";
  const length = headers.get("Content-Length");
  return {
    body,
    type,
    size: length === null ? undefined : Number(length),
    partial: status === 206,
    blob: () => new Response(body, { headers: { "Content-Type": type } }).blob(),
  };
}

/**
 * Aborted when one of several is, until its end: a signal outlives the downloads that it could abort. `AbortSignal.any` is
 * younger than some of the compilers that clients have.
 */
class Either {
  readonly #controller = new AbortController();
  readonly #listeners: readonly (readonly [AbortSignal, () => void])[];

  constructor(signals: readonly AbortSignal[]) {
    this.#listeners = signals.map((signal) => [signal, () => this.#controller.abort(signal.reason)]);
    for (const [signal, abort] of this.#listeners) {
      if (signal.aborted) abort();
      else signal.addEventListener("abort", abort);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    for (const [signal, abort] of this.#listeners) signal.removeEventListener("abort", abort);
  }
}

/** The same bytes, none read ahead. @param over called at their end, however they end */
function toldAtEnd(body: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { value } = await reader.read();
          if (value !== undefined) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        over();
      },
      cancel(reason) {
        over();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
