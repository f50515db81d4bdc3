import { open } from "node:fs/promises";
import type { Spooled } from "../../blobs/store.ts";

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
