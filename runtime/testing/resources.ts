/** What something leaves behind in the process: memory, timers, descriptors. */
import { readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes of memory that are no trace of thousands of anything: what the worker itself does takes as much. */
export const TRACE = 1_500_000;

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Bytes, after a collection. */
export function heapUsed(): number {
  if (typeof collect !== "function") throw new Error("there is no gc");
  for (let n = 0; n < 3; n += 1) collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

/**
 * Bytes of memory that something leaves behind. Resolves when timers, handles and descriptors are back at what they were.
 * What leaks does so each time; the worker's own doings, what the engine compiles among them, and one more connection of a
 * driver's pool, do not: the least of three.
 * @throws (rejects) where each time something more is open than before
 */
export async function growthOf(work: () => Promise<void>): Promise<number> {
  const growth: number[] = [];
  let open: string | undefined;
  for (let time = 0; time < 3 && !growth.some((bytes) => bytes < TRACE); time += 1) {
    const before = resources();
    const heap = heapUsed();
    await work();
    open = await leftOpen(before);
    if (open === undefined) growth.push(heapUsed() - heap);
  }
  if (growth.length === 0) throw new Error(open);
  return Math.min(...growth);
}

/** Looks so often, ten milliseconds apart, before what is open counts as left behind. */
const LOOKS = 1_500;

/** What is open and was not before; undefined once there is nothing. Not by `until`, whose own timer would count. */
async function leftOpen(before: Readonly<Record<string, number>>): Promise<string | undefined> {
  for (let looks = 0; !isBackAt(before); looks += 1) {
    if (looks === LOOKS) return `open: ${JSON.stringify(resources())}; before: ${JSON.stringify(before)}`;
    await new Promise((go) => setTimeout(go, 10));
  }
  return undefined;
}

/** What the process has open: timers, handles, and descriptors where the system tells of them. */
function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  if (process.platform === "linux") counts["descriptors"] = readdirSync("/proc/self/fd").length;
  return counts;
}

/** Whether nothing more is open than before; what other files of the worker had open may have gone meanwhile. */
function isBackAt(before: Readonly<Record<string, number>>): boolean {
  return Object.entries(resources()).every(([name, count]) => count <= (before[name] ?? 0));
}
