/** Uploads that go to an address of their own, past the routes that take files as bodies. */
import type { Connection } from "./connection.ts";
import { ConnectionError } from "./errors.ts";
import type { RequestOptions } from "./request.ts";

/** What is said of a file before it is sent. */
export interface DirectUpload {
  /** Of the field, below `/v1/{realm}/`. */
  readonly path: string;
  readonly bytes: Blob;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly replace: boolean | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

interface Begun {
  readonly upload: string;
  readonly method: "PUT";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Its digest needs all of it in memory: there is no other in browsers. */
export async function uploadDirectly<T>(
  connection: Connection,
  { path, bytes, name, type, replace, headers }: DirectUpload,
  options: RequestOptions,
): Promise<T> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await bytes.arrayBuffer()));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const uploads = `${path}/_uploads`;
  const begun = await connection.call<Begun, never>({
    method: "POST",
    path: uploads,
    query: { replace },
    headers,
    body: { name, type, size: bytes.size, sha256 },
    options,
  });
  await sendTo(connection, begun, bytes, options);
  return connection.call<T, never>({
    method: "POST",
    path: `${uploads}/${begun.upload}/complete`,
    headers,
    options,
    repeatable: true,
  });
}

/** Without a credential: the address is one. */
async function sendTo(
  connection: Connection,
  { method, url, headers }: Begun,
  body: Blob,
  { signal }: RequestOptions,
): Promise<void> {
  // Whoever sends the bytes says how many they are.
  const own = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-length");
  const request = { method, headers: Object.fromEntries(own), ...(signal && { signal }) };
  const status = await connection.deliver(url, request, body);
  if (status >= 400) throw new ConnectionError(`${method} of an upload: an answer ${status}`, { status });
}
