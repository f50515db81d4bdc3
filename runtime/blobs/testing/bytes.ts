import type { ByteSource } from "../../realm/exchange.ts";

/** A source that gives bytes in pieces. */
export async function* pieces(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function textOf(source: ByteSource): Promise<string> {
  let text = "";
  for await (const piece of source) text += Buffer.from(piece).toString("latin1");
  return text;
}
