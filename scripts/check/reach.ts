/** The tests that a change can reach, and how it reaches them. */
import { foldersAround, isSource, type Users } from "./graph.ts";

export interface Reached {
  readonly test: string;
  /** Steps of loading and reading between the change and the test; 0 where the test itself changed. */
  readonly distance: number;
  /** From the changed file to the test; each loads or reads the one before it. */
  readonly way: readonly string[];
}

/**
 * Loaded around every test, with all that it loads. What it loads of the product does not reach every test by it: the tests of
 * that code, and those that run it, are reached without.
 */
export const aroundTests = "vitest.config.ts";

/** The steps from there to a test: more than there are to what loads the change by itself. */
const aroundSteps = 20;

function isProduct(path: string): boolean {
  return /^(?:compiler|examples|generated|runtime|templates)\//.test(path) && !path.includes("/testing/");
}

interface Step {
  readonly distance: number;
  /** Undefined for what changed. */
  readonly from: string | undefined;
}

/** Returns the reached ones of `tests`, the nearest first. */
export function reachedTests(
  users: Users,
  tests: readonly string[],
  changed: readonly string[],
): readonly Reached[] {
  const steps = stepsFrom(users, tests, changed);
  const toAround = stepsFrom(
    users,
    tests,
    changed.filter((path) => !isProduct(path)),
  );
  const around = toAround.get(aroundTests);
  return tests
    .flatMap((test): readonly Reached[] => {
      const step = steps.get(test);
      if (step !== undefined) return [{ test, distance: step.distance, way: wayTo(steps, test) }];
      if (around === undefined) return [];
      const way = [...wayTo(toAround, aroundTests), test];
      return [{ test, distance: around.distance + aroundSteps, way }];
    })
    .sort((a, b) => a.distance - b.distance || (a.test < b.test ? -1 : 1));
}

/** By what is reached: the last step of a shortest way to it. */
function stepsFrom(users: Users, tests: readonly string[], changed: readonly string[]): Map<string, Step> {
  const steps = new Map<string, Step>(changed.map((path) => [path, { distance: 0, from: undefined }]));
  const deepest = Math.max(0, ...changed.map((path) => foldersAround(path).length));
  let last: readonly string[] = changed;
  for (let distance = 1; last.length > 0 || distance <= deepest; distance++) {
    const found: string[] = [];
    for (const [from, to] of nextSteps(users, tests, changed, last, distance)) {
      if (steps.has(to)) continue;
      steps.set(to, { distance, from });
      found.push(to);
    }
    last = found;
  }
  return steps;
}

function* nextSteps(
  users: Users,
  tests: readonly string[],
  changed: readonly string[],
  last: readonly string[],
  distance: number,
): Generator<readonly [from: string, to: string]> {
  for (const path of last) for (const user of users.get(path) ?? []) yield [path, user];
  for (const path of changed) {
    const folders = foldersAround(path);
    // Who reads a folder is as many steps away as the changed file lies deep in it.
    const folder = folders[distance - 1];
    for (const user of (folder !== undefined && users.get(folder)) || []) yield [path, user];
    const isUsed = isSource(path) || [path, ...folders].some((place) => users.has(place));
    if (distance === 1 && !isUsed) for (const test of nearestTests(tests, path)) yield [path, test];
  }
}

function wayTo(steps: ReadonlyMap<string, Step>, path: string): readonly string[] {
  const from = steps.get(path)?.from;
  return from === undefined ? [path] : [...wayTo(steps, from), path];
}

/** The tests directly in the nearest folder around a file that has any: those of a file that no source names. */
function nearestTests(tests: readonly string[], path: string): readonly string[] {
  return firstOf(foldersAround(path), (folder) => tests.filter((test) => foldersAround(test)[0] === folder));
}

/**
 * Returns the tests that stand beside a change: in the nearest folder around a changed file that has tests, and below it; of the
 * checkout's own folders, such as `runtime`, below which everything lies, those directly in it.
 */
export function neighbours(tests: readonly string[], changed: readonly string[]): ReadonlySet<string> {
  const beside = (folder: string): readonly string[] =>
    tests.filter((test) =>
      folder.includes("/") ? test.startsWith(`${folder}/`) : foldersAround(test)[0] === folder,
    );
  return new Set(changed.flatMap((path) => firstOf(foldersAround(path), beside)));
}

function firstOf(
  folders: readonly string[],
  found: (folder: string) => readonly string[],
): readonly string[] {
  for (const folder of folders) {
    const tests = found(folder);
    if (tests.length > 0) return tests;
  }
  return [];
}
