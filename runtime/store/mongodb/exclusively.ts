import { setTimeout } from "node:timers/promises";
import { oneAtATime } from "../../one-at-a-time.ts";
import type { Engine } from "./engine.ts";
import { Leases } from "./leases.ts";

/** Milliseconds after which a holder that died holds a mark no more, and between two looks whether it is free. */
const TTL = 30_000;
const PAUSE = 100;
/** Looks after which whoever watches is told why nothing happens. */
const PATIENCE = 50;

/** Does it when no other instance does something under this name. */
export async function exclusively<T>(engine: Engine, name: string, work: () => Promise<T>): Promise<T> {
  const leases = new Leases(engine);
  for (let look = 1; ; look++) {
    const outcome = await unlessHeld(leases, name, work);
    if (outcome !== undefined) return outcome.answer;
    if (look === PATIENCE) engine.warn(undefined, `another instance holds ${name}: waiting until it is done`);
    await setTimeout(PAUSE, undefined, { signal: engine.closing });
  }
}

/** Does it unless another instance does something under this name. */
export async function unlessHeld<T>(
  leases: Leases,
  name: string,
  work: () => Promise<T>,
): Promise<{ readonly answer: T } | undefined> {
  const lease = await leases.take(name, TTL);
  if (lease === undefined) return undefined;
  // Should it be lost all the same, two do what is no harm twice.
  const renew = oneAtATime(async () => {
    await lease.renew();
  });
  const renewing = setInterval(() => renew().catch(() => undefined), TTL / 3).unref();
  try {
    return { answer: await work() };
  } finally {
    clearInterval(renewing);
    await lease.release().catch(() => undefined);
  }
}
