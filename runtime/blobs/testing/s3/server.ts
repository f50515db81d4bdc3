/**
 * A server that speaks as much of S3 as the driver needs, and is as strict as S3 about it: signatures of headers and of
 * addresses, clocks, checksums, parts of multipart uploads. What goes wrong with storages is injected. (s3rver, the one of
 * the npm registry that is used most, dates from 2020: it knows no checksums and no trailers.)
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { bodyOf } from "./bodies.ts";
import { ClientSockets } from "./client-sockets.ts";
import { S3Error } from "./errors.ts";
import { Objects, type StoredObject } from "./objects.ts";
import { type Key, verify } from "./signature.ts";

/** What goes wrong with requests: those whose `METHOD operation` it matches, so many of them. */
export interface Fault {
  readonly of: RegExp;
  /** So many go well before; default: none. */
  after?: number;
  times: number;
  readonly does:
    | { readonly kind: "answer"; readonly status: number; readonly code: string }
    /** The connection ends: before anything is answered, or within the body. */
    | { readonly kind: "cut"; readonly at: "start" | "body" }
    /** A byte of what was sent is another one. */
    | { readonly kind: "corrupt" }
    /** Nothing is answered; a client of this process hears at once that its time for that has passed. */
    | { readonly kind: "silence" };
}

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: Key;
  readonly objects: Objects;
  readonly faults: Fault[];
  /** `METHOD operation` of all that was asked, whatever came of it. */
  readonly asked: string[];
  /** What its clock is ahead of ours, in milliseconds. */
  skew: number;
  /** Keys of a page of a list. */
  pageSize: number;
  close(): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const key = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret/of+tests", region: "eu-test-1" };
  const objects = new Objects();
  const sockets = new ClientSockets();
  const bucket = "files";
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://s3");
    const operation = `${request.method} ${operationOf(request, url, bucket) ?? url.pathname}`;
    s3.asked.push(operation);
    const fault = s3.faults.find(({ of, times }) => times > 0 && of.test(operation));
    const goesWell = fault === undefined || (fault.after ?? 0) > 0;
    if (goesWell && fault !== undefined) fault.after = (fault.after ?? 0) - 1;
    else if (fault !== undefined) fault.times -= 1;
    const does = goesWell ? undefined : fault.does;
    if (does?.kind === "silence") return void setImmediate(() => sockets.timeOut(request.socket.remotePort));
    answer(s3, request, response, url, does).catch((error: unknown) => {
      // What is still to come is dropped, as by S3.
      request.resume();
      if (response.headersSent) response.destroy();
      else refuse(s3, response, error);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const s3: S3Server = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket,
    key,
    objects,
    faults: [],
    asked: [],
    skew: 0,
    pageSize: 1_000,
    close: () =>
      new Promise((resolve) => {
        sockets.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return s3;
}

async function answer(
  s3: S3Server,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  fault: Fault["does"] | undefined,
): Promise<void> {
  if (fault?.kind === "cut" && fault.at === "start") return void request.destroy();
  response.setHeader("date", new Date(Date.now() + s3.skew).toUTCString());
  const signedHash = verify(request, url, s3.key, Date.now() + s3.skew);
  if (fault?.kind === "answer") throw new S3Error(fault.status, fault.code);
  const body = await bodyOf(
    request,
    fault?.kind === "corrupt" && request.headers["content-length"] !== undefined
      ? "0".repeat(64)
      : signedHash,
  );
  const [, bucket = "", ...path] = url.pathname.split("/").map(decodeURIComponent);
  if (bucket !== s3.bucket) throw new S3Error(404, "NoSuchBucket");
  const key = path.join("/");
  if (fault?.kind === "cut") return sendCut(s3.objects.get(key), response);
  handle(s3, { request, response, url, key, body });
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly key: string;
  readonly body: Buffer;
}

function handle(s3: S3Server, { request, response, url, key, body }: Asked): unknown {
  const { objects } = s3;
  const { searchParams: query } = url;
  const type = request.headers["content-type"] ?? "binary/octet-stream";
  const id = query.get("uploadId") ?? "";
  switch (operationOf(request, url, s3.bucket)) {
    case "bucket":
      return response.end();
    case "list":
      return send(response, listed(s3, query));
    case "uploads":
      return send(response, underway(s3, query));
    case "delete": {
      const keys = [...String(body).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, each = ""]) => each);
      for (const each of keys) objects.all.delete(each);
      return send(response, "<DeleteResult/>");
    }
    case "begin":
      return send(
        response,
        `<InitiateMultipartUploadResult><UploadId>${objects.begin(key, type)}</UploadId></InitiateMultipartUploadResult>`,
      );
    case "part": {
      const { etag } = objects.part(id, key, Number(query.get("partNumber")), body);
      return response.setHeader("etag", etag).end();
    }
    case "complete": {
      const parts = [...String(body).matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
        number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
        etag: (/<ETag>([^<]*)</.exec(part)?.[1] ?? "").replaceAll("&quot;", '"'),
      }));
      const { etag } = objects.complete(id, key, parts);
      return send(
        response,
        `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`,
      );
    }
    case "abort":
      objects.abort(id, key);
      return response.writeHead(204).end();
    case "copy": {
      const [, , from = ""] =
        /^\/?([^/]+)\/(.*)$/.exec(decodeURIComponent(String(request.headers["x-amz-copy-source"]))) ?? [];
      const source = objects.get(from);
      const { etag } = objects.put(key, source.body, source.type, source.sha256);
      return send(response, `<CopyObjectResult><ETag>${etag}</ETag></CopyObjectResult>`);
    }
    case "put": {
      const sum = request.headers["x-amz-checksum-sha256"];
      const { etag } = objects.put(key, body, type, Array.isArray(sum) ? sum[0] : sum);
      return response.setHeader("etag", etag).end();
    }
    case "remove":
      objects.all.delete(key);
      return response.writeHead(204).end();
    case "object":
      return sendObject(objects.get(key), request, response, query);
    case undefined:
      throw new S3Error(501, "NotImplemented");
  }
}

type Operation =
  | "bucket"
  | "list"
  | "uploads"
  | "delete"
  | "begin"
  | "part"
  | "complete"
  | "abort"
  | "copy"
  | "put"
  | "remove"
  | "object";

function operationOf(
  { method, headers }: IncomingMessage,
  { pathname, searchParams }: URL,
  bucket: string,
): Operation | undefined {
  const has = (name: string) => searchParams.has(name);
  if (pathname === `/${bucket}` || pathname === `/${bucket}/`) {
    if (method === "GET" && searchParams.get("list-type") === "2") return "list";
    if (method === "GET" && has("uploads")) return "uploads";
    if (method === "POST" && has("delete")) return "delete";
    if (method === "HEAD") return "bucket";
  } else if (method === "POST") {
    if (has("uploads")) return "begin";
    if (has("uploadId")) return "complete";
  } else if (method === "PUT") {
    if (has("uploadId")) return "part";
    return headers["x-amz-copy-source"] === undefined ? "put" : "copy";
  } else if (method === "DELETE") return has("uploadId") ? "abort" : "remove";
  else if (method === "GET" || method === "HEAD") return "object";
  return undefined;
}

function listed({ objects, pageSize }: S3Server, query: URLSearchParams): string {
  const most = Math.min(Number(query.get("max-keys") ?? pageSize), pageSize);
  const { keys, isWhole } = objects.page(
    query.get("prefix") ?? "",
    query.get("continuation-token") ?? "",
    most,
  );
  const contents = keys.map((key) => {
    const { body, etag, changedAt } = objects.get(key);
    return `<Contents><Key>${key}</Key><Size>${body.length}</Size><ETag>${etag}</ETag><LastModified>${new Date(changedAt).toISOString()}</LastModified></Contents>`;
  });
  const next = isWhole ? "" : `<NextContinuationToken>${keys.at(-1)}</NextContinuationToken>`;
  return `<ListBucketResult><IsTruncated>${!isWhole}</IsTruncated>${next}<KeyCount>${keys.length}</KeyCount>${contents.join("")}</ListBucketResult>`;
}

function underway({ objects, pageSize }: S3Server, query: URLSearchParams): string {
  const after = [query.get("key-marker") ?? "", query.get("upload-id-marker") ?? ""] as const;
  const { uploads, isWhole } = objects.underway(query.get("prefix") ?? "", after, pageSize);
  const listed = uploads.map(
    ({ key, id, at }) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${new Date(at).toISOString()}</Initiated></Upload>`,
  );
  const { key = "", id = "" } = uploads.at(-1) ?? {};
  const next = isWhole
    ? ""
    : `<NextKeyMarker>${key}</NextKeyMarker><NextUploadIdMarker>${id}</NextUploadIdMarker>`;
  return `<ListMultipartUploadsResult><IsTruncated>${!isWhole}</IsTruncated>${next}${listed.join("")}</ListMultipartUploadsResult>`;
}

function sendObject(
  { body, type, etag, sha256 }: StoredObject,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): void {
  response.setHeader("content-type", query.get("response-content-type") ?? type);
  const disposition = query.get("response-content-disposition");
  if (disposition !== null) response.setHeader("content-disposition", disposition);
  response.setHeader("etag", etag);
  response.setHeader("accept-ranges", "bytes");
  if (sha256 !== undefined && headers["x-amz-checksum-mode"] === "ENABLED" && headers.range === undefined) {
    response.setHeader("x-amz-checksum-sha256", sha256);
  }
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? "") ?? [];
  let sent = body;
  if (from !== undefined) {
    if (Number(from) >= body.length) throw new S3Error(416, "InvalidRange");
    sent = body.subarray(Number(from), to === "" ? undefined : Number(to) + 1);
    response.statusCode = 206;
    response.setHeader("content-range", `bytes ${from}-${Number(from) + sent.length - 1}/${body.length}`);
  }
  response.setHeader("content-length", sent.length);
  response.end(method === "HEAD" ? undefined : sent);
}

function sendCut({ body }: StoredObject, response: ServerResponse): void {
  response.setHeader("content-length", body.length);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

function send(response: ServerResponse, xml: string): void {
  response.setHeader("content-type", "application/xml");
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}

function refuse(s3: S3Server, response: ServerResponse, error: unknown): void {
  const { status, code, message } =
    error instanceof S3Error
      ? error
      : new S3Error(500, "InternalError", error instanceof Error ? error.message : "");
  response.statusCode = status;
  const serverTime = new Date(Date.now() + s3.skew).toISOString();
  const escaped = message.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  send(
    response,
    `<Error><Code>${code}</Code><Message>${escaped}</Message><ServerTime>${serverTime}</ServerTime></Error>`,
  );
}
