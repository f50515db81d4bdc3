import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

/** The shortest secret. */
export const KEY_BYTES = 32;

/** How to make one. */
export const makeKeysHint = `make one with: node -p 'crypto.randomBytes(${KEY_BYTES}).toString("base64")'`;

const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Secrets in base64, separated by commas, newest first; undefined where one is malformed or too short. */
export function parseKeys(text: string): readonly Uint8Array[] | undefined {
  const parts = text.split(",").map((part) => part.trim());
  const keys = parts.map((part) => Buffer.from(part, "base64"));
  const isValid = parts.every((part) => base64.test(part)) && keys.every((key) => key.length >= KEY_BYTES);
  return isValid ? keys : undefined;
}

/** A new secret, which nobody else knows. */
export function newKey(): Uint8Array {
  return randomBytes(KEY_BYTES);
}

/**
 * The secrets in `<folder>/keys`, in the form of `SVC_KEYS`; one is made where there is none.
 * @throws Error naming the file where it is malformed
 */
export function keysIn(folder: string): readonly Uint8Array[] {
  const path = join(folder, "keys");
  const text = readIfThere(path) ?? makeKeyFile(path);
  const keys = parseKeys(text);
  if (keys === undefined)
    throw new Error(
      `${path} must hold secrets of at least ${KEY_BYTES} bytes in base64, separated by commas`,
    );
  return keys;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** The file is there whole or not at all, whenever the process dies; where two make it, both use the first one's. */
function makeKeyFile(path: string): string {
  const unfinished = `${path}.${process.pid}`;
  const file = openSync(unfinished, "w", 0o600);
  try {
    writeSync(file, `${Buffer.from(newKey()).toString("base64")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(unfinished, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    unlinkSync(unfinished);
  }
  return readFileSync(path, "utf8");
}
