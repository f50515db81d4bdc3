import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Spool } from "../../../blobs/spool.ts";
import type { Spooled } from "../../../blobs/store.ts";

const testdata = new URL("../testdata/", import.meta.url);

/** A file by a real producer, and what it is said to be by who sends it. */
export interface Honest {
  readonly file: string;
  readonly claim: string;
  readonly producer: string;
}

export const honest: readonly Honest[] = readFileSync(new URL("honest.tsv", testdata), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [file = "", claim = "", producer = ""] = line.split("\t");
    return { file, claim, producer };
  });

export function honestBytes(file: string): Buffer {
  return readFileSync(new URL(`honest/${file}`, testdata));
}

export function honestPath(file: string): string {
  return fileURLToPath(new URL(`honest/${file}`, testdata));
}

export function inMemory(bytes: Buffer | string): Spooled {
  const all = Buffer.from(bytes);
  return { kind: "memory", bytes: all, size: all.length, sha256: sha256(all) };
}

/** In a file, whatever its size. */
export function onDisk(bytes: Buffer | string, spool: Spool): Spooled {
  const path = spool.newPath();
  writeFileSync(path, bytes);
  return { kind: "file", path, size: Buffer.byteLength(bytes), sha256: sha256(Buffer.from(bytes)) };
}

export function bytesOf(spooled: Spooled): Buffer {
  return spooled.kind === "memory" ? spooled.bytes : readFileSync(spooled.path);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
