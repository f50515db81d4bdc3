/** Values of many documents, to be compared with one another in bounded memory. */
import { hash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** Characters that are kept before they are written into files. */
const BUFFERED = 4 * 1024 ** 2;

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Characters of a hash: 132 bits, of which no two values have the same. */
const HASH = 22;

/** A value as it is compared: nothing that is stored gets into files of ours. */
export function hashOf(value: string): string {
  return hash("sha256", value, "base64url").slice(0, HASH);
}

export interface Entry {
  readonly hash: string;
  readonly id: string;
}

/** Hashes with the ids of whose they are, in parts: the same hash is always in the same one. Few stay in memory. */
export class Spill {
  /** Of its files. */
  readonly name: string;
  readonly #folder: string;
  readonly #parts: string[] = [...letters].map(() => "");
  readonly #lengths: number[];
  #buffered = 0;

  /** @param lengths of files that are gone on with */
  constructor(folder: string, name: string, lengths: readonly number[] = []) {
    this.#folder = folder;
    this.name = name;
    this.#lengths = [...letters].map((_, at) => lengths[at] ?? 0);
    for (const [at, length] of this.#lengths.entries()) {
      const path = this.#path(at);
      if (!existsSync(path)) {
        if (length > 0) throw new Error(`${path} is gone`);
      } else if (statSync(path).size < length) throw new Error(`${path} is too short`);
      else truncateSync(path, length);
    }
  }

  add(hash: string, id: string): void {
    const line = `${hash} ${id}\n`;
    const at = letters.indexOf(hash[0] ?? "");
    this.#parts[at] += line;
    this.#buffered += line.length;
    if (this.#buffered > BUFFERED) this.flush();
  }

  /** What is in memory goes into files; answers how long these are. */
  flush(): readonly number[] {
    for (const [at, text] of this.#parts.entries()) {
      if (text === "") continue;
      appendFileSync(this.#path(at), text, { mode: 0o600 });
      // Hashes and ids are ASCII.
      this.#lengths[at] = (this.#lengths[at] ?? 0) + text.length;
      this.#parts[at] = "";
    }
    this.#buffered = 0;
    return this.#lengths;
  }

  *parts(): Generator<readonly Entry[]> {
    for (const [at, text] of this.#parts.entries()) yield entriesIn(this.#read(at) + text);
  }

  #read(at: number): string {
    return (this.#lengths[at] ?? 0) === 0 ? "" : readFileSync(this.#path(at), "latin1");
  }

  #path(at: number): string {
    return join(this.#folder, `${this.name}.${at}`);
  }
}

function entriesIn(text: string): readonly Entry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ hash: line.slice(0, HASH), id: line.slice(HASH + 1) }));
}
