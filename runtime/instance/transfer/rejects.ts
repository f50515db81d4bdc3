import { type FileHandle, open } from "node:fs/promises";
import type { Reject } from "../../documents/importing/incoming.ts";
import type { JsonObject } from "../../json.ts";

/** Rejected documents that are told on stderr. */
const TOLD = 10;

/** Where rejected documents are told: the first on stderr, all in a file where one is asked for. */
export class Rejects {
  readonly #file: FileHandle | undefined;
  readonly #tell: (line: string) => void;
  #bytes = 0;
  #told = 0;

  private constructor(file: FileHandle | undefined, tell: (line: string) => void) {
    this.#file = file;
    this.#tell = tell;
  }

  /** @param path of a file, which keeps what it has until {@link goOnFrom} */
  static async open(path: string | undefined, tell: (line: string) => void): Promise<Rejects> {
    return new Rejects(path === undefined ? undefined : await open(path, "a"), tell);
  }

  /** Bytes that the file has. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What comes after so many bytes was written by a run that was killed, and is written again. */
  async goOnFrom(bytes: number): Promise<void> {
    await this.#file?.truncate(bytes);
    this.#bytes = bytes;
  }

  /** So many are of what is done. */
  skipTo(bytes: number): void {
    this.#bytes = Math.max(this.#bytes, bytes);
  }

  /**
   * They are on the disk when it is done.
   * @param more what tells collections apart where there are several
   */
  async write(rejects: readonly Reject[], more: JsonObject | undefined): Promise<void> {
    if (this.#file === undefined || rejects.length === 0) return;
    const text = rejects.map((reject) => `${JSON.stringify({ ...reject, ...more })}\n`).join("");
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#bytes += Buffer.byteLength(text);
  }

  /** @param where the collection, as people read it */
  tell(where: string, rejects: readonly Reject[]): void {
    for (const { line, id, error } of rejects) {
      this.#told += 1;
      const which = id === null ? "" : ` (id ${id})`;
      if (this.#told <= TOLD) this.#tell(`${where} line ${line}${which}: ${error}`);
    }
  }

  /** How many were not told on stderr. */
  get untold(): number {
    return Math.max(0, this.#told - TOLD);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
