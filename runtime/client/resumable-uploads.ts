/** Uploads that come in pieces, by the tus protocol 1.0: what is cut off goes on from where the server has it. */
import type { Connection } from "./connection.ts";
import { pause } from "./connection.ts";
import { ApiError, ConnectionError } from "./errors.ts";
import type { RequestOptions } from "./request.ts";

export interface ResumableUpload {
  /** Of the field, below `/v1/{realm}/`. */
  readonly path: string;
  readonly bytes: Blob;
  readonly name: string | undefined;
  /** Media type. */
  readonly type: string | undefined;
  readonly replace: boolean | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address of one that was begun before. */
  readonly resume: string | undefined;
  /** Is told the address of one that is begun. */
  readonly begun: ((address: string) => void) | undefined;
  readonly progress: ((sent: number, size: number) => void) | undefined;
}

/** Bytes of a request: what a cut may cost where the server is far. */
const pieceBytes = 16 * 1_048_576;

/** How often in turn nothing may come of a request. */
const mostLost = 6;

const tusVersion = { "Tus-Resumable": "1.0.0" };

/** Goes on until all is there, over cuts and restarts of the server. */
export async function uploadResumably<T>(
  connection: Connection,
  upload: ResumableUpload,
  options: RequestOptions,
): Promise<T> {
  const { bytes, progress } = upload;
  const steady = connection.fetching((fetch) => fetch, {
    timeout: options.timeout ?? Number.POSITIVE_INFINITY,
  });
  const at =
    upload.resume === undefined
      ? await beginUpload(steady, upload, options)
      : uploadPath(upload, upload.resume);
  // What was begun just now stands at its beginning.
  let offset = upload.resume === undefined ? 0 : undefined;
  for (let lost = 0; ; ) {
    try {
      if (offset === undefined) {
        const stands = await whereItStands(steady, upload, at, options);
        if (stands > 0) lost = 0;
        offset = stands;
      }
      progress?.(offset, bytes.size);
      if (offset === bytes.size) break;
      offset = await sendPiece(steady, upload, at, offset, options);
      lost = 0;
    } catch (error) {
      options.signal?.throwIfAborted();
      lost += 1;
      if (!mayGoOn(error) || lost > (options.retries ?? mostLost)) throw error;
      await pause(pauseAfter(error, lost, connection), options.signal);
      offset = undefined;
    }
  }
  const { file } = await connection.call<{ file: T }, never>({
    method: "GET",
    path: at,
    options,
    repeatable: true,
  });
  return file;
}

/** It is the upload of this field, whatever stands before it. */
function uploadPath({ path }: ResumableUpload, address: string): string {
  return `${path}/_tus/${encodeURIComponent(address.slice(address.lastIndexOf("/") + 1))}`;
}

async function beginUpload(
  connection: Connection,
  upload: ResumableUpload,
  options: RequestOptions,
): Promise<string> {
  const { path, bytes, name, type, replace, headers, begun } = upload;
  let location: string | undefined;
  const beginning = connection.fetching((fetch) => async (url, request) => {
    const response = await fetch(url, request);
    location = response.headers.get("Location") ?? undefined;
    return response.status === 201 ? { ...headersAlone, headers: response.headers } : response;
  });
  const said = [metadataPair("filename", name), metadataPair("filetype", type)].flatMap((each) => each ?? []);
  await beginning.call({
    method: "POST",
    path: `${path}/_tus`,
    query: { replace },
    headers: {
      ...headers,
      ...tusVersion,
      "Upload-Length": String(bytes.size),
      "Upload-Metadata": said.length === 0 ? undefined : said.join(","),
    },
    options,
  });
  if (location === undefined) throw new TypeError("the server names no address of the upload");
  begun?.(location);
  return uploadPath(upload, location);
}

/** Answers that say all in their headers. */
const headersAlone = { status: 200, text: async () => "{}" };

function metadataPair(key: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte));
  return `${key} ${btoa(bytes.join(""))}`;
}

/** By HEAD, which ends a request that may still hang somewhere. */
async function whereItStands(
  connection: Connection,
  { bytes }: ResumableUpload,
  path: string,
  options: RequestOptions,
): Promise<number> {
  let stands: number | undefined;
  let length: number | undefined;
  let status = 0;
  const asking = connection.fetching((fetch) => async (url, request) => {
    const response = await fetch(url, { ...request, method: "HEAD" });
    const { headers } = response;
    status = response.status;
    stands = byteCount(headers.get("Upload-Offset"));
    length = byteCount(headers.get("Upload-Length"));
    return { ...headersAlone, headers };
  });
  await asking.call({ method: "GET", path, headers: tusVersion, options });
  if (status === 423) throw new ConnectionError("HEAD of an upload: it is locked", { status });
  if (status !== 200 || stands === undefined) {
    // What an answer to HEAD cannot say.
    await connection.call({ method: "GET", path, options });
    throw new ConnectionError(`HEAD of an upload: an answer ${status}`, { status });
  }
  if (length !== bytes.size)
    throw new RangeError(`the upload is of ${length} bytes, and these are ${bytes.size}`);
  return stands;
}

/** @returns where it stands then */
async function sendPiece(
  connection: Connection,
  { bytes, headers }: ResumableUpload,
  path: string,
  offset: number,
  options: RequestOptions,
): Promise<number> {
  const body = bytes.slice(offset, offset + pieceBytes);
  let stands: number | undefined;
  const sending = connection.fetching((fetch) => async (url, request) => {
    // Every `fetch` takes bytes; ours says no more than what other requests need.
    const response = await fetch(url, Object.assign({ ...request }, { body }));
    stands = byteCount(response.headers.get("Upload-Offset"));
    return response;
  });
  await sending.call({
    method: "PATCH",
    path,
    headers: {
      ...headers,
      ...tusVersion,
      "Content-Type": "application/offset+octet-stream",
      "Upload-Offset": String(offset),
    },
    options,
  });
  return stands ?? offset + body.size;
}

function byteCount(header: string | null): number | undefined {
  return header !== null && /^[0-9]+$/.test(header) ? Number(header) : undefined;
}

/** Whether it may go on when the server is asked where the upload stands. */
function mayGoOn(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  return (
    error.status >= 500 || [408, 423, 429].includes(error.status) || error.code === "upload_offset_mismatch"
  );
}

function pauseAfter(error: unknown, lost: number, { retryDelay }: Connection): number {
  const told = error instanceof ApiError ? error.retry_after : undefined;
  if (told !== undefined) return told * 1_000;
  return retryDelay?.(lost) ?? 2 ** lost * 100 * (0.5 + Math.random());
}
