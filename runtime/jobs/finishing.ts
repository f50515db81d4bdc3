import { type Change, type Claimed, type Claims, together } from "./claims.ts";
import type { JobRecord } from "./records.ts";

/** A job whose step is over, and who is told when that is stored. */
interface Finished {
  readonly claimed: Claimed;
  readonly next: JobRecord | undefined;
  readonly tell: { readonly resolve: () => void; readonly reject: (error: unknown) => void };
}

/** Writes what became of jobs whose steps write nothing themselves: of those that end about the same time in one transaction. */
export class Finishing {
  readonly #claims: Claims;
  #waiting: Finished[] = [];
  #writing = false;

  constructor(claims: Claims) {
    this.#claims = claims;
  }

  /**
   * @param claimed of one in a lane: it leaves it, and nothing stood behind it when it was claimed
   * @param next undefined: nothing is kept of it
   * @throws ClaimLost
   */
  add(claimed: Claimed, next: JobRecord | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ claimed, next, tell: { resolve, reject } });
      if (this.#writing) return;
      this.#writing = true;
      setImmediate(() => this.#writeAll());
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#write(this.#waiting.splice(0, together));
    this.#writing = false;
  }

  async #write(batch: readonly Finished[]): Promise<void> {
    const changes = batch.map(({ claimed: { job, version }, next }): Change => {
      return { version, next: next ?? { gone: job.id }, leaves: job.lane };
    });
    // What hinders one of them is found out below.
    const isDone = await this.#claims.changeAll(changes).catch(() => false);
    if (isDone) for (const { tell } of batch) tell.resolve();
    else await Promise.all(batch.map((finished) => this.#writeAlone(finished)));
  }

  async #writeAlone({ claimed, next, tell }: Finished): Promise<void> {
    try {
      await this.#claims.change(claimed, async () => next);
      tell.resolve();
    } catch (error) {
      tell.reject(error);
    }
  }
}
