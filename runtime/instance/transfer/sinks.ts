/** Where exported documents go. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { objectIn } from "../../json.ts";

/** What has been written. */
export interface Written {
  readonly documents: number;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Takes a collection's documents as text. */
export interface Sink {
  /** The id of the last document that an earlier run has left in it. */
  readonly after: string | undefined;
  /** Documents that are in it. */
  readonly documents: number;
  /** @param documents how many the text has */
  write(text: string, documents: number): Promise<void>;
  /** Nothing comes any more. */
  end(): Promise<Written>;
  /** Given up: what is there is left for the next run. */
  close(): Promise<void>;
}

/** Whoever reads them has them when `end` is done. */
export function streamSink(write: (text: string) => Promise<void>): Sink {
  const hash = createHash("sha256");
  let documents = 0;
  let bytes = 0;
  return {
    after: undefined,
    get documents() {
      return documents;
    },
    async write(text, count) {
      hash.update(text);
      documents += count;
      bytes += Buffer.byteLength(text);
      await write(text);
    },
    end: async () => ({ documents, bytes, sha256: hash.digest("hex") }),
    close: async () => undefined,
  };
}

/**
 * A file, which has its name once it is whole and on the disk.
 * @param goesOn after the last whole line of what an earlier run has left; otherwise that is forgotten
 */
export async function fileSink(path: string, goesOn: boolean): Promise<Sink> {
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(part, goesOn ? "a+" : "w");
  try {
    const left = await leftIn(part);
    // Half a line, of a process that died while it wrote it.
    await file.truncate(left.bytes);
    return new FileSink(file, path, left);
  } catch (error) {
    await file.close();
    throw error;
  }
}

class FileSink implements Sink {
  readonly after: string | undefined;
  documents: number;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #hash: Hash;
  #bytes: number;

  constructor(file: FileHandle, path: string, { after, documents, bytes, hash }: Left) {
    this.after = after;
    this.documents = documents;
    this.#file = file;
    this.#path = path;
    this.#hash = hash;
    this.#bytes = bytes;
  }

  async write(text: string, documents: number): Promise<void> {
    const bytes = Buffer.from(text);
    this.#hash.update(bytes);
    await this.#file.appendFile(bytes);
    this.#bytes += bytes.length;
    this.documents += documents;
  }

  async end(): Promise<Written> {
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.part`, this.#path);
    return { documents: this.documents, bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** Whole lines, each a document. */
interface Left {
  readonly after: string | undefined;
  readonly documents: number;
  readonly bytes: number;
  readonly hash: Hash;
}

const newline = 0x0a;

async function leftIn(path: string): Promise<Left> {
  const hash = createHash("sha256");
  let documents = 0;
  let bytes = 0;
  /** Pieces of the line that is not at its end. */
  let rest: Buffer[] = [];
  let last: Buffer | undefined;
  for await (const read of createReadStream(path)) {
    const chunk: Buffer = read;
    const end = chunk.lastIndexOf(newline) + 1;
    if (end === 0) {
      rest.push(chunk);
      continue;
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]);
    hash.update(whole);
    bytes += whole.length;
    for (let at = whole.indexOf(newline); at >= 0; at = whole.indexOf(newline, at + 1)) documents += 1;
    last = whole.subarray(whole.lastIndexOf(newline, whole.length - 2) + 1, whole.length - 1);
    rest = [Buffer.from(chunk.subarray(end))];
  }
  const { id } = last === undefined ? {} : (objectIn(last.toString("utf8")) ?? {});
  if (last !== undefined && typeof id !== "string")
    throw new Error(`${path} is not what an export leaves; remove it`);
  return { after: typeof id === "string" ? id : undefined, documents, bytes, hash };
}

/** The SHA-256 of a file, in hexadecimal; undefined where there is none, or one of another length. */
export async function sha256Of(path: string, length: number): Promise<string | undefined> {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  return bytes === length ? hash.digest("hex") : undefined;
}
