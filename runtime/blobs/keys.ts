import type { BlobKey } from "./store.ts";

const content = /^([0-9a-f]{64})(?:\/([0-9a-z]{1,64}))?$/;
const uploading = /^uploads\/([0-9A-Za-z_-]{1,128})$/;

/** What a key names. */
export type Named =
  | { readonly kind: "file"; readonly sha256: string }
  | { readonly kind: "version"; readonly sha256: string; readonly version: string }
  | { readonly kind: "upload"; readonly id: string };

/** @throws Error for what is no key: nothing that could lead out of a folder is one */
export function named(key: BlobKey): Named {
  const found = read(key);
  if (found === undefined) throw new Error(`${JSON.stringify(key)} is no key of a blob`);
  return found;
}

/** The same of what may be none. */
export function read(text: string): Named | undefined {
  const [, sha256, version] = content.exec(text) ?? [];
  if (sha256 !== undefined) {
    return version === undefined ? { kind: "file", sha256 } : { kind: "version", sha256, version };
  }
  const [, id] = uploading.exec(text) ?? [];
  return id === undefined ? undefined : { kind: "upload", id };
}
