import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";

const NONCE = 12;
const TAG = 16;

/** Encrypts what the store may only hold encrypted. */
export interface Vault {
  /** The id of the key that `seal` uses. */
  readonly newest: string;
  /** Encrypts a text; it opens only with the same context. */
  seal(text: string, context: string): Sealed;
  /** The text; undefined where its key is no longer listed, or where something was changed. */
  open(sealed: Sealed, context: string): string | undefined;
}

export interface Sealed {
  /** The id of its key, which says nothing about the key. */
  readonly key: string;
  /** AES-256-GCM: nonce, ciphertext and tag, base64url. */
  readonly box: string;
}

/**
 * @param keys secrets of at least 32 bytes, newest first: the first seals, all open
 * @param purpose what is sealed, and for which realm: nothing sealed for one purpose opens for another
 */
export function vault(keys: readonly Uint8Array[], purpose: string): Vault {
  const own = keys.map((secret) => {
    const key = Buffer.from(hkdfSync("sha256", secret, "", purpose, 32));
    return { key, id: hash("sha256", key, "hex").slice(0, 16) };
  });
  const [newest] = own;
  if (newest === undefined) throw new Error("there is no key to encrypt with");
  return {
    newest: newest.id,
    seal(text, context) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", newest.key, nonce).setAAD(Buffer.from(context));
      const box = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return { key: newest.id, box: box.toString("base64url") };
    },
    open({ key: id, box: encoded }, context) {
      const key = own.find((known) => known.id === id)?.key;
      const box = Buffer.from(encoded, "base64url");
      if (key === undefined || box.length < NONCE + TAG) return undefined;
      const decipher = createDecipheriv("aes-256-gcm", key, box.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(context)).setAuthTag(box.subarray(-TAG));
      try {
        return `${decipher.update(box.subarray(NONCE, -TAG), undefined, "utf8")}${decipher.final("utf8")}`;
      } catch {
        return undefined;
      }
    },
  };
}
