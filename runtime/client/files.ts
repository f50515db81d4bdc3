/** Files of documents: their bytes there and back. */
import type { FileObject } from "../documents/shape.ts";
import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Connection } from "./connection.ts";
import { uploadDirectly } from "./direct-uploads.ts";
import { type AlwaysOf, type DeleteError, tagFor } from "./documents.ts";
import { type Download, type DownloadOptions, download } from "./downloads.ts";
import type { ApiPromise } from "./errors.ts";
import { createByForm, type FormError, type NewFiles } from "./form-create.ts";
import type { CreateArguments, WriteOptions } from "./options.ts";
import type { Shape } from "./queries.ts";
import type { RealmTypes } from "./realm.ts";
import { uploadResumably } from "./resumable-uploads.ts";
import type { BodyError } from "./route-errors.ts";
import { sending } from "./sending.ts";

/** A collection whose documents have files. */
export interface FiledShape extends Shape {
  /** By the names of the fields: those of their versions. */
  files: object;
}

type FieldOf<S extends FiledShape> = keyof S["files"] & string;
type VersionOf<S extends FiledShape, Field extends FieldOf<S>> = S["files"][Field] & string;
type Stored<S extends FiledShape, Field extends FieldOf<S>> = FileObject<VersionOf<S, Field>>;

/** Bytes to be uploaded: a file of a page or of `openAsBlob`, what is in memory, or what comes piece by piece. */
export type FileSource =
  | Blob
  | ArrayBuffer
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

export interface UploadOptions extends WriteOptions {
  /**
   * How the bytes go: through the server (default); `direct` to an address that it gives, in fields with
   * `upload: direct` or `any`, for which all of it is in memory once; or `resumable`, in fields with `upload: resumable` or
   * `any`: over cuts and restarts of the server, by requests of 16 MiB. What comes piece by piece is gathered for these.
   */
  mode?: "proxy" | "direct" | "resumable" | undefined;
  /** The address of a resumable upload of the same bytes, begun before, here or elsewhere: what is there is not sent again. */
  resume?: string | undefined;
  /** Is told the address of a resumable upload that is begun: for `resume`, up to a day after its last bytes. */
  onBegin?: ((address: string) => void) | undefined;
  /** What the file is called; default: the name that a `File` has. */
  name?: string | undefined;
  /** Media type; default: what a `Blob` says. What counts is what the bytes are. */
  type?: string | undefined;
  /** Takes the place of all files that the document has there. */
  replace?: boolean | undefined;
  /**
   * Is told how many bytes are on their way, and of how many, where that is known. Of pieces as they are taken; of what is
   * whole when all of it is there, since `fetch` tells nothing in between.
   */
  onProgress?: ((sent: number, size: number | undefined) => void) | undefined;
}

/** The codes that each operation answers; of an upload, whichever way it goes. */
export type UploadError<S extends Shape = Shape> =
  | FileError<S>
  | BodyError
  | "too_many_requests"
  | "too_many_files"
  | "quota_exceeded"
  | "unsupported_file_type"
  | "upload_mismatch"
  | "upload_mode_mismatch"
  | "file_not_uploaded"
  | "upload_locked"
  | "upload_offset_mismatch"
  | "invalid_image"
  | "storage_unavailable";
export type DownloadError<S extends Shape = Shape> =
  | AlwaysOf<S>
  | "not_found"
  | "file_missing"
  | "range_not_satisfiable"
  | "storage_unavailable"
  | "version_unavailable";
export type FileError<S extends Shape = Shape> = DeleteError<S> | "validation_error";

/** What collections with files can do beside what all can. */
export interface FileTransfers<S extends FiledShape, Further extends AnyErrorCode = never> {
  /**
   * Creates a document with its files at once: all of it is there afterwards, or nothing. It is sent twice only with an
   * `idempotencyKey`, and takes as long as it takes unless `timeout` says otherwise.
   */
  createWithFiles(
    document: S["create"],
    files: NewFiles<FieldOf<S>>,
    ...options: CreateArguments<S>
  ): ApiPromise<S["document"], FormError<S> | Further>;
  /**
   * Sends a file into a field of a document, which is another version then. It is never sent twice by itself, and takes as
   * long as it takes unless `timeout` says otherwise.
   */
  upload<Field extends FieldOf<S>>(
    id: string,
    field: Field,
    source: FileSource,
    options?: UploadOptions,
  ): ApiPromise<Stored<S, Field>, UploadError<S> | Further>;
  /** `timeout` is about the answer's beginning; its bytes come until `signal` is aborted. */
  download<Field extends FieldOf<S>>(
    id: string,
    field: Field,
    file: { readonly id: string } | string,
    options?: DownloadOptions<VersionOf<S, Field>>,
  ): ApiPromise<Download, DownloadError<S> | Further>;
  /** The document is another version then. */
  removeFile(
    id: string,
    field: FieldOf<S>,
    file: { readonly id: string } | string,
    options?: WriteOptions,
  ): ApiPromise<void, FileError<S> | Further>;
}

export type FilesOf<S extends Shape, Further extends AnyErrorCode = never> = S extends FiledShape
  ? FileTransfers<S, Further>
  : unknown;

/** Those of all collections that have any, by database and name. */
export type FiledOf<
  All extends Record<string, Record<string, Shape>>,
  Further extends AnyErrorCode = never,
> = {
  readonly [Database in keyof All]: {
    readonly [Name in keyof All[Database] as All[Database][Name] extends FiledShape ? Name : never]: FilesOf<
      All[Database][Name],
      Further
    >;
  };
};

/** The files of one collection, where not the whole client is wanted. */
export function files<
  R extends RealmTypes,
  Further extends AnyErrorCode,
  Database extends keyof R["shapes"] & string,
  Name extends keyof R["shapes"][Database] & string,
>(
  { connection, base }: Connected<R, Further>,
  database: Database,
  name: Name,
): FilesOf<R["shapes"][Database][Name], Further>;
export function files(
  { connection, base }: { connection: Connection; base: string },
  database: string,
  name: string,
): FileTransfers<FiledShape, AnyErrorCode> {
  const at = (id: string, field: string, file?: { readonly id: string } | string): string =>
    [`${base}${database}/${name}`, id, "_files", field, ...(file === undefined ? [] : [idOf(file)])]
      .map((part, place) => (place === 0 ? part : encodeURIComponent(part)))
      .join("/");
  return {
    createWithFiles: (document, given, ...options) =>
      createByForm(connection, `${base}${database}/${name}`, document, given, options),
    upload: (id, field, source, options) => upload(connection, at(id, field), source, options),
    download: (id, field, file, options) => download(connection, at(id, field, file), options),
    removeFile: (id, field, file, { ifMatch, ...options } = {}) =>
      connection.call({
        method: "DELETE",
        path: at(id, field, file),
        headers: { "If-Match": tagFor(connection, ifMatch) },
        options,
      }),
  };
}

function idOf(file: { readonly id: string } | string): string {
  return typeof file === "string" ? file : file.id;
}

async function upload<T>(
  connection: Connection,
  path: string,
  source: FileSource,
  { mode, name, type, replace, resume, onBegin, onProgress, ifMatch, ...options }: UploadOptions = {},
): Promise<T> {
  const called = name ?? ("name" in source && typeof source.name === "string" ? source.name : undefined);
  const said = type ?? (source instanceof Blob && source.type !== "" ? source.type : undefined);
  if (mode === "direct") {
    const bytes = await gathered(source);
    const claim = { name: called ?? "file", type: said ?? "application/octet-stream", replace };
    const headers = { "If-Match": tagFor(connection, ifMatch) };
    onProgress?.(0, bytes.size);
    const file = await uploadDirectly<T>(connection, { path, bytes, ...claim, headers }, options);
    onProgress?.(bytes.size, bytes.size);
    return file;
  }
  if (mode === "resumable") {
    const bytes = await gathered(source);
    const headers = { "If-Match": tagFor(connection, ifMatch) };
    const told = { name: called, type: said, replace, resume, begun: onBegin, progress: onProgress };
    return uploadResumably<T>(connection, { path, bytes, headers, ...told }, options);
  }
  const { body, size } = await bodyOf(source, onProgress);
  onProgress?.(0, size);
  const answer = await sending(connection, body).call<T, never>({
    method: "POST",
    path,
    query: { replace },
    headers: {
      "Content-Type": said,
      "X-Svc-Filename": called === undefined ? undefined : `UTF-8''${percentEncoded(called)}`,
      "If-Match": tagFor(connection, ifMatch),
    },
    options,
  });
  if (body instanceof Blob) onProgress?.(body.size, size);
  return answer;
}

async function gathered(source: FileSource): Promise<Blob> {
  if (source instanceof Blob) return source;
  if (source instanceof ArrayBuffer || source instanceof Uint8Array)
    return new Blob([new Uint8Array(source)]);
  return new Response(streamOf(source, undefined)).blob();
}

/** What `fetch` is given: whole where it is, or where requests cannot be streams. */
async function bodyOf(
  source: FileSource,
  onProgress: UploadOptions["onProgress"],
): Promise<{ readonly body: Blob | ReadableStream<Uint8Array>; readonly size: number | undefined }> {
  const isWhole = source instanceof Blob || source instanceof ArrayBuffer || source instanceof Uint8Array;
  if (isWhole || !streamsRequests()) {
    const body = await gathered(source);
    return { body, size: body.size };
  }
  return { body: streamOf(source, onProgress), size: undefined };
}

/** Browsers that cannot stream requests make a text of a stream, and say so by its type. */
function streamsRequests(): boolean {
  const streamed = { duplex: "half" } as const;
  const init = Object.assign({ method: "POST", body: new ReadableStream() }, streamed);
  return !new Request("https://localhost", init).headers.has("Content-Type");
}

/** Its pieces, as they are asked for. */
function streamOf(
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
  onProgress: UploadOptions["onProgress"],
): ReadableStream {
  const pieces = source instanceof ReadableStream ? readerOf(source) : iteratorOf(source);
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      const piece = await pieces.next();
      if (piece === undefined) return controller.close();
      sent += piece.length;
      controller.enqueue(new Uint8Array(piece));
      onProgress?.(sent, undefined);
    },
    cancel: async (reason) => {
      await pieces.stop(reason);
    },
  });
}

interface Pieces {
  next(): Promise<Uint8Array | undefined>;
  stop(reason: unknown): Promise<unknown>;
}

function readerOf(source: ReadableStream<Uint8Array>): Pieces {
  const reader = source.getReader();
  return {
    next: async () => (await reader.read()).value,
    stop: (reason) => reader.cancel(reason),
  };
}

function iteratorOf(source: AsyncIterable<Uint8Array>): Pieces {
  const iterator = source[Symbol.asyncIterator]();
  return {
    async next() {
      const { done, value } = await iterator.next();
      return done === true ? undefined : value;
    },
    stop: async () => iterator.return?.(),
  };
}

/** RFC 8187; halves of characters are replaced. */
function percentEncoded(name: string): string {
  const text = new TextDecoder().decode(new TextEncoder().encode(name));
  return encodeURIComponent(text).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
