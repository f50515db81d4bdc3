/** Waits of tests for what comes to hold by itself. */

export interface Waiting {
  /** Milliseconds after which it gives up: a net against hanging, generous enough for a machine that others load. */
  readonly limit?: number;
  /** Milliseconds between two calls. */
  readonly interval?: number;
}

// The real ones, where a test holds the clock.
const { setTimeout, clearTimeout } = globalThis;

/**
 * Calls `check` until it neither throws nor rejects, and returns its result. Gives up after the limit with the last failure,
 * which says what was waited for, and not before a call that began after it; or where a call of `check` alone takes that long.
 */
export async function until<T>(
  check: () => T | Promise<T>,
  { limit = 20_000, interval = 10 }: Waiting = {},
): Promise<T> {
  // Made here, where its stack still names the caller.
  const late = new Error();
  const giveUp = (reason: string, cause?: unknown): Error => {
    late.message = `not within ${limit / 1_000} s: ${reason}`;
    late.cause = cause;
    return late;
  };
  const ends = performance.now() + limit;
  for (let isLast = false; ; isLast = performance.now() >= ends) {
    try {
      return await within(check, limit, () => giveUp(`a call of ${check.toString()} has not ended`));
    } catch (error) {
      if (error === late) throw late;
      if (isLast) throw giveUp(error instanceof Error ? error.message : String(error), error);
    }
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}

/** Resolves as `call` does; rejects with what `tooLate` makes when that takes longer than `limit` milliseconds. */
async function within<T>(call: () => T | Promise<T>, limit: number, tooLate: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), limit);
  });
  try {
    return await Promise.race([call(), end]);
  } finally {
    clearTimeout(timer);
  }
}

/** As {@link until}, for a condition. */
export async function untilHolds(holds: () => boolean | Promise<boolean>, waiting?: Waiting): Promise<void> {
  await until(async () => {
    if (!(await holds())) throw new Error(`${holds.toString()} is false`);
  }, waiting);
}
