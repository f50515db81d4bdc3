/** Whether bytes are text: valid UTF-8 without NUL. */
import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import type { Spooled } from "../../blobs/store.ts";

/** Bytes of the first piece: mostly what is no text does not begin as one. */
const FIRST = 16_384;
const PIECE = 262_144;

export async function isText(spooled: Spooled): Promise<boolean> {
  if (spooled.kind === "memory") return isTextAlone(spooled.bytes);
  const file = await open(spooled.path, "r");
  try {
    let buffer = Buffer.allocUnsafeSlow(FIRST);
    // What a character that a piece ends in has there is read again with its rest.
    let kept = 0;
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, kept, buffer.length - kept, at);
      const whole = buffer.subarray(0, kept + bytesRead);
      if (bytesRead === 0) return isTextAlone(whole);
      at += bytesRead;
      const end = whole.length - begun(whole);
      if (!isTextAlone(whole.subarray(0, end))) return false;
      kept = whole.length - end;
      if (buffer.length === FIRST) buffer = Buffer.allocUnsafeSlow(PIECE);
      whole.copy(buffer, 0, end);
    }
  } finally {
    await file.close();
  }
}

function isTextAlone(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Bytes of a character at the end that may go on: at most three. */
function begun(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
