/** Which of the reached tests run, so that the check of a small change ends within a minute and a half on two cores. */
import type { Reached } from "./reach.ts";

export interface Choice {
  readonly run: readonly Reached[];
  /** In the order in which they would be taken next. */
  readonly leftOut: readonly Reached[];
}

export interface Costs {
  /** How long a test file takes, in seconds. */
  readonly lengthOf: (test: string) => number;
  /** Packs, installs or browses, which takes minutes. */
  readonly isProduct: (test: string) => boolean;
}

/** Seconds of tests, on one core, up to which a check takes on others than those that are near. */
export const budget = 50;

/** What holds the code as a whole, by walking through all of it: run wherever it takes no longer than this, in seconds. */
const structural = /^scripts\/(?:internals|specification|testing)\//;
export const quick = 3;

/**
 * All that is near runs: a test that changed itself, that loads or reads a changed file itself, or that stands beside one and is
 * reached; so does what holds the code as a whole, if it is quick. Of the others, those of the same part (`runtime/documents`) come first, then the nearest and shortest, as long as their
 * lengths and those of the near ones fit into the budget. What tries the product runs only where it changed itself.
 */
export function chosen(
  reached: readonly Reached[],
  beside: ReadonlySet<string>,
  { lengthOf, isProduct }: Costs,
): Choice {
  const parts = new Set(reached.map(({ way }) => partOf(way[0] ?? "")));
  const isAlwaysRun = (test: string): boolean => structural.test(test) && lengthOf(test) <= quick;
  const isNear = ({ test, distance }: Reached): boolean =>
    distance === 0 || ((distance === 1 || beside.has(test) || isAlwaysRun(test)) && !isProduct(test));
  const run = reached.filter(isNear);
  const rank = ({ test }: Reached): number => (isProduct(test) ? 2 : parts.has(partOf(test)) ? 0 : 1);
  const others = reached
    .filter((each) => !isNear(each))
    .sort((a, b) => rank(a) - rank(b) || a.distance - b.distance || lengthOf(a.test) - lengthOf(b.test));
  let left = budget - run.reduce((sum, { test }) => sum + lengthOf(test), 0);
  const leftOut: Reached[] = [];
  for (const each of others) {
    const length = lengthOf(each.test);
    if (isProduct(each.test) || length > left) {
      leftOut.push(each);
      continue;
    }
    run.push(each);
    left -= length;
  }
  return { run, leftOut };
}

/** The part of the checkout that a file belongs to: `runtime/documents`. */
function partOf(path: string): string {
  return path.split("/").slice(0, 2).join("/");
}
