import { setTimeout } from "node:timers/promises";
import { isPassing } from "./failures.ts";
import type { Bucket } from "./sdk.ts";

/** How often a request is sent in all. */
const ATTEMPTS = 4;
/** Sends again what may go well then, waiting a little longer each time. */
export async function attempts<T>(
  { pause }: Pick<Bucket, "pause">,
  send: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  for (let lost = 0; ; lost += 1) {
    try {
      return await send();
    } catch (error) {
      if (lost + 1 >= ATTEMPTS || signal?.aborted || !isPassing(error)) throw error;
      await setTimeout(pause * 2 ** lost * (0.5 + Math.random() / 2), undefined, { signal });
    }
  }
}
