import { createReadStream } from "node:fs";
import type { Spooled } from "../blobs/store.ts";
import type { ByteSource } from "../realm/exchange.ts";

/** What was taken in, to be read once more; a file is opened when somebody begins to read, who hears of its failure. */
export async function* spooledBytes(spooled: Spooled): AsyncGenerator<Uint8Array> {
  if (spooled.kind === "file") yield* createReadStream(spooled.path);
  else yield spooled.bytes;
}

/** One source after the other; what one of them throws is thrown. */
export async function* joined(...sources: readonly AsyncIterable<Uint8Array>[]): AsyncGenerator<Uint8Array> {
  for (const source of sources) yield* source;
}

export async function* binary(source: ByteSource): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield typeof piece === "string" ? Buffer.from(piece) : piece;
}
