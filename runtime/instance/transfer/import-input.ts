/** An input that an import goes through, from where it stands. */
import { createHash, type Hash } from "node:crypto";
import type { Incoming } from "../../documents/importing/incoming.ts";
import type { Mark } from "./import-position.ts";
import { type Input, InputRefused } from "./input.ts";

/** How much is imported at once. */
export interface BatchLimits {
  readonly documents: number;
  /** Of what was read, about. */
  readonly characters: number;
}

/** What is looked at once more that is done with. */
export interface Again {
  /** So many are not looked at. */
  readonly since: number;
  readonly tell: (done: readonly Incoming[]) => Promise<void>;
}

export class MarkedInput {
  readonly #input: Input;
  #hash: Hash = createHash("sha256");

  constructor(input: Input) {
    this.#input = input;
  }

  /**
   * What an earlier run has not done with.
   * @param from where it stood
   * @param again told what that run has done with since then, before anything else comes
   * @throws InputRefused where the input is another one than that run's
   */
  async *batches(from: Mark, limits: BatchLimits, again?: Again): AsyncGenerator<readonly Incoming[]> {
    let batch: Incoming[] = [];
    let characters = 0;
    for await (const some of this.#yet(from, again)) {
      for (const incoming of some) {
        batch.push(incoming);
        characters += incoming.raw.length;
        if (batch.length < limits.documents && characters < limits.characters) continue;
        yield batch;
        [batch, characters] = [[], 0];
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Where it stands once these are done with, too; {@link advance} says that they are. */
  after(before: Mark, done: readonly Incoming[]): Mark {
    const hash = this.#hash.copy();
    digest(hash, done);
    return {
      read: before.read + done.length,
      line: done.at(-1)?.line ?? before.line,
      sha256: hash.digest("hex"),
    };
  }

  advance(done: readonly Incoming[]): void {
    digest(this.#hash, done);
  }

  async *#yet(from: Mark, again: Again | undefined): AsyncGenerator<readonly Incoming[]> {
    let skipped = 0;
    const since: Incoming[] = [];
    for await (const some of this.#input.documents()) {
      if (skipped === from.read) {
        yield some;
        continue;
      }
      const done = some.slice(0, from.read - skipped);
      this.advance(done);
      if (again !== undefined) since.push(...done.slice(Math.max(0, again.since - skipped)));
      skipped += done.length;
      if (skipped === from.read) {
        this.#requireSame(from);
        await again?.tell(since);
        if (done.length < some.length) yield some.slice(done.length);
      }
    }
    if (skipped < from.read) this.#requireSame(from);
  }

  #requireSame({ sha256, line }: Mark): void {
    if (this.#hash.copy().digest("hex") !== sha256)
      throw new InputRefused(
        `${this.#input.name}: is not what the import began with that was interrupted after line ${line}; import it with another --mode, or what is new as a file of another name`,
      );
  }
}

function digest(hash: Hash, done: readonly Incoming[]): void {
  for (const { raw } of done) hash.update(raw).update("\n");
}
