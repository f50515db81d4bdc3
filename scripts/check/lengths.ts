/** How long test files take. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { root } from "../workspace.ts";

/** By test file, in seconds; those that take less than `least` are not in it. */
export type Lengths = Readonly<Record<string, number>>;

const place = join(root, "scripts/check/lengths.json");

/** What a test file takes of which no length is recorded, and the least that is recorded; in seconds. */
export const least = 0.2;

export function recordedLengths(): Lengths {
  return JSON.parse(readFileSync(place, "utf8"));
}

/** What is known after a run: of the files that it had, what it measured. */
export function merged(known: Lengths, measured: Lengths): Lengths {
  const long = Object.entries({ ...known, ...measured }).filter(([, length]) => length > least);
  return Object.fromEntries(long.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Records what a run measures, in tests and hooks; without imports, which files of a worker share:
 * `npx vitest run --project embedded --reporter default --reporter ./scripts/check/lengths.ts`.
 */
export default class LengthRecorder implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const measured = modules.map((module) => {
      const { duration, setupDuration } = module.diagnostic();
      return [module.relativeModuleId, Math.round((duration + setupDuration) / 100) / 10] as const;
    });
    const lengths = merged(recordedLengths(), Object.fromEntries(measured));
    writeFileSync(place, `${JSON.stringify(lengths, undefined, 2)}\n`);
  }
}
