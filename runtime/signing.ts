import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from "node:crypto";

/** Bytes of a signature. */
const SIGNATURE = 16;

/** Makes texts that clients carry for us and cannot make up. */
export interface Signer {
  /** The payload and a signature, base64url. `context` is signed along and has to be the same again. */
  sign(payload: string | Uint8Array, context: string): string;
  /** The payload of a text that `sign` made with the same context; undefined for every other text. */
  open(token: string, context: string): string | undefined;
  /** The same where the payload is no text. */
  openBytes(token: string, context: string): Buffer | undefined;
}

/**
 * @param keys secrets of at least 32 bytes, newest first: the first signs, all are believed
 * @param purpose what is signed, and for which realm: nothing signed for one purpose is believed for another
 */
export function signer(keys: readonly Uint8Array[], purpose: string): Signer {
  const own = keys.map((key) => createSecretKey(Buffer.from(hkdfSync("sha256", key, "", purpose, 32))));
  const [newest] = own;
  if (newest === undefined) throw new Error("there is no key to sign with");
  const signature = (key: KeyObject, payload: Buffer, context: string): Buffer =>
    createHmac("sha256", key)
      .update(`${context.length}:${context}`)
      .update(payload)
      .digest()
      .subarray(0, SIGNATURE);
  return {
    sign(payload, context) {
      const bytes = Buffer.from(payload);
      return Buffer.concat([signature(newest, bytes, context), bytes]).toString("base64url");
    },
    open(token, context) {
      return this.openBytes(token, context)?.toString();
    },
    openBytes(token, context) {
      const bytes = Buffer.from(token, "base64url");
      // Node skips what is not base64url; only the text that we made is believed.
      if (bytes.length < SIGNATURE || bytes.toString("base64url") !== token) return undefined;
      const payload = bytes.subarray(SIGNATURE);
      const given = bytes.subarray(0, SIGNATURE);
      const known = own.some((key) => timingSafeEqual(signature(key, payload, context), given));
      return known ? payload : undefined;
    },
  };
}
