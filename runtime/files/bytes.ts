import { createReadStream } from "node:fs";
import type { Spooled } from "../blobs/store.ts";
import type { ByteSource } from "../realm/exchange.ts";

/** What was taken in, to be read once more. */
export function spooledBytes(spooled: Spooled): AsyncIterable<Uint8Array> {
  return spooled.kind === "file" ? createReadStream(spooled.path) : one(spooled.bytes);
}

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** One source after the other; what one of them throws is thrown. */
export async function* joined(...sources: readonly AsyncIterable<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  for (const source of sources) yield* source;
}

export async function* binary(source: ByteSource): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
