import type { Claimed } from "./claims.ts";
import type { Hold, JobKind } from "./kind.ts";

/** A step under way, and what it knows of its right to go on. */
export class Running implements Hold {
  readonly kind: JobKind;
  readonly claimed: Claimed;
  /** When it was claimed, or its claim renewed, by the instance's clock. */
  since: number;
  readonly goesOn: () => boolean;
  /** The step is done, and another one may begin: what came of it is yet to be written. */
  isDone = false;
  #isLost = false;
  /** Made where the step asks for it: most do not, and it costs more than an empty job. */
  #lost: AbortController | undefined;

  constructor(kind: JobKind, claimed: Claimed, since: number, isStopping: () => boolean) {
    this.kind = kind;
    this.claimed = claimed;
    this.since = since;
    this.goesOn = () => !this.#isLost && !isStopping();
  }

  get signal(): AbortSignal {
    this.#lost ??= new AbortController();
    if (this.#isLost) this.#lost.abort();
    return this.#lost.signal;
  }

  /** Nothing that it does will count. */
  lose(): void {
    this.#isLost = true;
    this.#lost?.abort();
  }
}
