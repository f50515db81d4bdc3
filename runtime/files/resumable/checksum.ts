/** `Upload-Checksum`: what the bytes of one request have to be. */
import { createHash } from "node:crypto";
import { ApiError } from "../../errors.ts";
import { invalidHeader } from "../errors.ts";
import { algorithms } from "./protocol.ts";

const name = "Upload-Checksum";

/** The bytes of a request as they pass, and what is said of them. */
export interface Checked {
  readonly bytes: AsyncIterable<Buffer>;
  /** When all have passed. @throws ApiError `checksum_mismatch` */
  require(): void;
}

/** How to check the bytes of a request; undefined where nothing is said of them. @throws ApiError `invalid_header` */
export function checksumIn(
  header: string | undefined,
): ((bytes: AsyncIterable<Buffer>) => Checked) | undefined {
  if (header === undefined) return undefined;
  const [said, digest = "", ...more] = header.trim().split(" ");
  const algorithm = algorithms.find((known) => known === said);
  if (algorithm === undefined || more.length > 0)
    throw invalidHeader(name, `must begin with one of ${algorithms.join(", ")}`);
  return (bytes) => {
    const hash = createHash(algorithm);
    return {
      bytes: passing(bytes, (piece) => hash.update(piece)),
      require() {
        if (hash.digest("base64") === digest) return;
        throw new ApiError("checksum_mismatch", "The bytes that came are not those of Upload-Checksum.");
      },
    };
  };
}

async function* passing(source: AsyncIterable<Buffer>, see: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    see(piece);
    yield piece;
  }
}
