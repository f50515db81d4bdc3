/**
 * How long test files take, in seconds, by project and path: those that take longest, as recorded by
 * `UPDATE_LENGTHS=1 npx vitest run …`, which replaces the entries of the files that it runs.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestModule } from "vitest/node";
import { root } from "../workspace.ts";

export type Lengths = Readonly<Record<string, Readonly<Record<string, number>>>>;

const place = join(root, "scripts/testing/lengths.json");

/** Files that take less than this, in seconds, are not recorded: they fill the gaps at the end. */
const least = 4;

export function recordedLengths(): Lengths {
  return JSON.parse(readFileSync(place, "utf8"));
}

/** The time that a worker was busy with a file, in milliseconds: imports, hooks and tests. */
export function busyTime(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic();
  return environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration;
}

/** What is recorded after a run: `measured` instead of what was known of these files. */
export function merged(known: Lengths, measured: Lengths): Lengths {
  const projects = [...new Set([...Object.keys(known), ...Object.keys(measured)])].sort();
  return Object.fromEntries(
    projects.map((project) => {
      const all = Object.entries({ ...known[project], ...measured[project] });
      const long = all
        .filter(([, seconds]) => seconds >= least)
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
      return [project, Object.fromEntries(long)];
    }),
  );
}

/** Records the files of a run under `UPDATE_LENGTHS=1`. */
export class LengthRecorder implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env["UPDATE_LENGTHS"] !== "1") return;
    const measured = Object.fromEntries(
      [...new Set(modules.map(({ project }) => project.name))].map((name) => [
        name,
        lengthsIn(name, modules),
      ]),
    );
    writeFileSync(place, `${JSON.stringify(merged(recordedLengths(), measured), undefined, 2)}\n`);
  }
}

function lengthsIn(project: string, modules: readonly TestModule[]): Readonly<Record<string, number>> {
  const own = modules.filter((module) => module.project.name === project);
  return Object.fromEntries(
    own.map((module) => [module.relativeModuleId, Math.round(busyTime(module) / 1_000)]),
  );
}
