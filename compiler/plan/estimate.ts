/** How long work takes that is done when the new configuration starts. docs/plan.md says how the figures came about. */
import type { Extent } from "./judge.ts";

/** Of an index: characters that are read, and documents that are put in. */
const readPerSecond = 250_000_000;
const indexedPerSecond = 500_000;
/** Characters whose stems are made. */
const stemmedPerSecond = 5_000_000;
const migratedPerSecond = 10_000;

export const estimated = {
  index: ({ documents, characters }: Extent) =>
    rounded(documents / indexedPerSecond + characters / readPerSecond),
  text: ({ characters }: Extent) => rounded(characters / stemmedPerSecond),
  migration: (documents: number) => rounded(documents / migratedPerSecond),
};

/** Whether somebody notices. */
export function isLong(seconds: number): boolean {
  return seconds >= 1;
}

/** To a tenth, or to two digits. */
function rounded(seconds: number): number {
  return seconds < 10 ? Math.round(seconds * 10) / 10 : Number(seconds.toPrecision(2));
}
