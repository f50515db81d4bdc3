/** The tus protocol 1.0 (https://tus.io/protocols/resumable-upload): what stands in headers. */
import type { IncomingHttpHeaders } from "node:http";
import { type Access, requireWrite } from "../../documents/access.ts";
import { ApiError } from "../../errors.ts";
import { apiError } from "../../http/failures.ts";
import { Abandoned } from "../../http/intake.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import { fileError, invalidHeader } from "../errors.ts";
import type { Place } from "../place.ts";

const version = "1.0.0";

/** Of bodies that are a part of a file. */
export const partType = "application/offset+octet-stream";

/** By the names that the protocol has for them: as `Upload-Checksum` begins, and as Node's hashes are called. */
export const algorithms = ["sha1", "sha256", "sha512", "md5"] as const;

/** What OPTIONS tells of a field. @param most bytes of a file */
export function capabilities(most: number): Readonly<Record<string, string>> {
  return {
    "tus-resumable": version,
    "tus-version": version,
    "tus-extension": "creation,creation-with-upload,checksum,termination,expiration",
    "tus-max-size": String(most),
    "tus-checksum-algorithm": algorithms.join(","),
  };
}

/** Names of headers, for browsers of other origins. */
export const tusHeaders = {
  sent: "Tus-Resumable, Upload-Length, Upload-Metadata, Upload-Offset, Upload-Checksum, Upload-Defer-Length, Upload-Concat, X-HTTP-Method-Override",
  read: "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, Upload-Length, Upload-Metadata, Upload-Offset, Upload-Expires, X-Svc-File",
};

/**
 * A route of the protocol, for who may update documents: all that it answers says which protocol it is, refusals, too.
 * @param handle what is done for whom the rules let, as far as they can be asked before a document is known
 */
export function inTus<Asked extends Exchange>(
  { definition, entrance }: Place,
  handle: (exchange: Asked, access: Access) => Promise<Answer>,
): (exchange: Asked) => Promise<Answer> {
  return async (exchange) => {
    try {
      const access = await entrance.writer(exchange);
      requireWrite(definition, access, "update");
      requireVersion(exchange);
      const answer = await handle(exchange, access);
      return {
        ...answer,
        headers: { "cache-control": "no-store", ...answer.headers, "tus-resumable": version },
      };
    } catch (error) {
      if (error instanceof Abandoned) throw error;
      const { code, message, details, headers, cause } = apiError(fileError(error));
      const own = { ...headers, "cache-control": "no-store", "tus-resumable": version };
      throw new ApiError(code, message, { details, headers: own, cause });
    }
  };
}

/** `GET` is ours, and answers JSON: it may be asked by who knows nothing of the protocol. */
function requireVersion({ method, headers }: Exchange): void {
  if (headers["tus-resumable"] === version || method === "GET") return;
  throw new ApiError("unsupported_tus_version", `The header Tus-Resumable must be ${version}.`, {
    headers: { "tus-version": version },
  });
}

/** `Upload-Length` of a creation. @throws ApiError `invalid_header` */
export function lengthIn(headers: IncomingHttpHeaders): number {
  const deferred = one(headers, "Upload-Defer-Length");
  if (deferred !== undefined)
    throw invalidHeader("Upload-Defer-Length", "is not supported: the length must be known at the beginning");
  if (one(headers, "Upload-Concat") !== undefined)
    throw invalidHeader("Upload-Concat", "is not supported: a file is one upload");
  return numberIn(headers, "Upload-Length");
}

/** `Upload-Offset` of a part. @throws ApiError `invalid_header` */
export function offsetIn(headers: IncomingHttpHeaders): number {
  return numberIn(headers, "Upload-Offset");
}

function numberIn(headers: IncomingHttpHeaders, name: string): number {
  const text = one(headers, name);
  const value = text !== undefined && /^(?:0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw invalidHeader(name, "must be a number of bytes");
  return value;
}

/** A header of which there is one at most. @throws ApiError `invalid_header` */
export function one(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return undefined;
  // Node joins what came twice.
  if (Array.isArray(value)) throw invalidHeader(name, "must appear once");
  return value;
}

/** A body as parts have it. @throws ApiError `unsupported_media_type` */
export function requirePartType({ headers }: Pick<Exchange, "headers">): void {
  if (headers["content-type"]?.trim().toLowerCase() === partType) return;
  throw new ApiError("unsupported_media_type", `The Content-Type must be ${partType}.`);
}

/** Whether a request brings a body. */
export function hasBody({ headers }: Pick<Exchange, "headers">): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && Number(length) > 0);
}
