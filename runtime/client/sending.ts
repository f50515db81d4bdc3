/** Requests whose bodies are no JSON. */
import type { Connection } from "./connection.ts";

/** The connection for one request with this body, which takes as long as it takes. */
export function sending(
  connection: Connection,
  body: Blob | ReadableStream<Uint8Array> | FormData,
): Connection {
  // Every `fetch` takes these; ours says no more than what other requests need.
  const more = { body, ...(body instanceof ReadableStream && { duplex: "half" }) };
  return connection.fetching((fetch) => (url, request) => fetch(url, Object.assign({ ...request }, more)), {
    timeout: Number.POSITIVE_INFINITY,
  });
}
