/** A file as a request brings it: as its body, or as the one file of a form (`multipart/form-data`). */
import { createHash } from "node:crypto";
import { ApiError } from "../errors.ts";
import { formParts } from "../http/form.ts";
import { boundaryIn, formType, isFilePart } from "../http/form-headers.ts";
import { isForm } from "../http/media-type.ts";
import type { StreamExchange } from "../realm/exchange.ts";
import { digestIn, requireSame } from "./digest.ts";
import { invalidHeader, tooLarge } from "./errors.ts";
import { nameIn, partName } from "./names.ts";
import type { Claim } from "./taking.ts";

export interface Sent {
  /** What is said of the file; of one in a form its name and type are known once its bytes have come. */
  readonly claim: Claim;
  /**
   * To be asked for once.
   * @param most bytes that the file may have
   * @throws (in iterating) ApiError `payload_too_large` where there are more; as the exchange's stream does; of a form
   *   `validation_error` | `unsupported_media_type` | `upload_mismatch`, too
   */
  bytes(most: number): AsyncIterable<Buffer>;
}

/** Bytes that a form may have beside its file. */
const envelope = 65_536;

/** @throws ApiError `invalid_header`; `unsupported_media_type` for forms that no file is taken out of */
export function sentIn(exchange: StreamExchange): Sent {
  const { headers } = exchange;
  const name = nameIn(one(headers["x-svc-filename"], "X-Svc-Filename"));
  const sha256 = digestIn(one(headers["content-digest"], "Content-Digest"));
  const header = headers["content-type"];
  const type = mediaType(header);
  if (type === formType && header !== undefined)
    return new FormFile(exchange, boundaryIn(header), name, sha256);
  // The text of another form would be kept in place of its file.
  if (type !== undefined && isForm(type)) throw oneFile(`The body is ${type}.`);
  const length = headers["content-length"];
  const size = length === undefined ? undefined : Number(length);
  return { claim: { name, type, sha256, size }, bytes: (most) => exchange.stream(most) };
}

class FormFile implements Sent {
  claim: Claim;
  readonly #exchange: StreamExchange;
  readonly #boundary: string;
  /** Of the whole form. */
  readonly #sha256: string | undefined;

  constructor(exchange: StreamExchange, boundary: string, name: string, sha256: string | undefined) {
    this.claim = { name, type: undefined, sha256: undefined, size: undefined };
    this.#exchange = exchange;
    this.#boundary = boundary;
    this.#sha256 = sha256;
  }

  async *bytes(most: number): AsyncGenerator<Buffer> {
    const hash = createHash("sha256");
    const body = this.#exchange.stream(most + envelope);
    const isDigested = this.#sha256 !== undefined;
    let files = 0;
    for await (const part of formParts(isDigested ? hashed(body, hash) : body, this.#boundary)) {
      if (!isFilePart(part)) continue;
      files += 1;
      if (files > 1) throw oneFile("The form has more than one file.");
      const { filename, type } = part;
      const name = filename === undefined ? this.claim.name : partName(filename);
      this.claim = { ...this.claim, name, type: mediaType(type) };
      yield* limited(part.bytes, most);
    }
    if (files === 0) throw oneFile("The form has no file.");
    if (isDigested) requireSame(this.#sha256, hash.digest("hex"));
  }
}

async function* hashed(
  source: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    hash.update(piece);
    yield piece;
  }
}

/** @throws (in iterating) ApiError `payload_too_large` */
export async function* limited(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > most) throw tooLarge(most);
    yield piece;
  }
}

function oneFile(found: string): ApiError {
  return new ApiError(
    "unsupported_media_type",
    `${found} Send the bytes of the file with its own Content-Type, or ${formType} with one part that has a filename.`,
  );
}

function one(value: string | string[] | undefined, name: string): string | undefined {
  if (Array.isArray(value)) throw invalidHeader(name, "must appear once");
  return value;
}

const essence = /^\s*([A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127})\s*(?:;|$)/;

/**
 * The media type in a `Content-Type`, without its parameters.
 * @throws ApiError `invalid_header`
 */
export function mediaType(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const type = essence.exec(header)?.[1]?.toLowerCase();
  if (type === undefined) throw invalidHeader("Content-Type", "must be a media type such as image/png");
  return type;
}
