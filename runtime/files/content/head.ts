import { open } from "node:fs/promises";
import type { Spooled } from "../../blobs/store.ts";

/** A file that is looked into at a few places. */
export interface Looked {
  /** Its first bytes. */
  readonly head: Buffer;
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes from a place on, as many as are asked for, or as there are. */
  at(offset: number, length: number): Promise<Buffer>;
}

/** The first bytes, as many as there are. */
export async function headOf(spooled: Spooled, length: number): Promise<Buffer> {
  if (spooled.kind === "memory") return spooled.bytes.subarray(0, length);
  const file = await open(spooled.path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Bytes from a place on, as many as there are. */
export async function bytesAt(spooled: Spooled, offset: number, length: number): Promise<Buffer> {
  if (spooled.kind === "memory") return spooled.bytes.subarray(offset, offset + length);
  const file = await open(spooled.path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
