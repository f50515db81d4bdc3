/** Bodies of requests: read whole, unwrapped where they came in signed chunks, and held against their checksums. */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { crc32 } from "node:zlib";
import { S3Error } from "./errors.ts";

/** @throws S3Error for one whose checksums are others; Error where the client is gone */
export async function bodyOf(request: IncomingMessage, signedHash: string | undefined): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const sent = Buffer.concat(pieces);
  if (signedHash !== undefined && hash("sha256", sent).toString("hex") !== signedHash) {
    throw new S3Error(400, "XAmzContentSHA256Mismatch");
  }
  const { headers } = request;
  const isChunked = headers["content-encoding"]?.includes("aws-chunked") === true;
  const { body, trailer } = isChunked ? unwrapped(sent) : { body: sent, trailer: {} };
  const declared = headers["x-amz-decoded-content-length"] ?? headers["content-length"];
  if (declared !== undefined && Number(declared) !== body.length) throw new S3Error(400, "IncompleteBody");
  requireChecksums({ ...headers, ...trailer }, body);
  return body;
}

/** `<hex size>\r\n<bytes>\r\n … 0\r\n<trailers>\r\n` */
function unwrapped(sent: Buffer): { body: Buffer; trailer: IncomingHttpHeaders } {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = sent.indexOf("\r\n", at);
    const size = Number.parseInt(sent.toString("latin1", at, end), 16);
    if (end < 0 || Number.isNaN(size)) throw new S3Error(400, "IncompleteBody");
    if (size === 0) {
      const lines = sent.toString("latin1", end + 2).split("\r\n");
      const fields = lines.filter((line) => line.includes(":")).map((line) => line.split(/:\s*(.*)/s));
      const trailer = Object.fromEntries(
        fields.map(([name = "", value = ""]) => [name.toLowerCase(), value]),
      );
      return { body: Buffer.concat(pieces), trailer };
    }
    pieces.push(sent.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

function requireChecksums(headers: IncomingHttpHeaders, body: Buffer): void {
  const sums = {
    "content-md5": () => hash("md5", body),
    "x-amz-checksum-sha256": () => hash("sha256", body),
    "x-amz-checksum-sha1": () => hash("sha1", body),
    "x-amz-checksum-crc32": () => crc32Bytes(body),
  };
  for (const [name, sum] of Object.entries(sums)) {
    const given = headers[name];
    if (given !== undefined && given !== sum().toString("base64")) throw new S3Error(400, "BadDigest", name);
  }
}

export function hash(algorithm: "md5" | "sha1" | "sha256", body: Buffer): Buffer {
  return createHash(algorithm).update(body).digest();
}

function crc32Bytes(body: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes;
}
