import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realmc } from "../../command-line.ts";
import { root } from "../../workspace.ts";
import { middle } from "../middle.ts";
import { type Start, startOnce } from "../process.ts";
import type { Report } from "../report.ts";

interface Options {
  readonly work: string;
  readonly rounds: number;
  /** Another checkout, with its packages installed. */
  readonly against: string | undefined;
  readonly report: Report;
}

/** Start and idle memory of one realm without functions, of the same built by another checkout, and of one with functions. */
export async function starts({ work, rounds, against, report }: Options): Promise<void> {
  const bundles: string[] = [];
  const built = (name: string, realm: string, checkout: string): (() => Promise<Start>) => {
    // Where its packages are found.
    const folder = join(checkout, "node_modules/.cache", `bench-starts-${process.pid}`, name);
    bundles.push(folder);
    const config = join(work, `${name}-config`);
    cpSync(join(root, "scripts/bench/config", realm), join(config, realm), { recursive: true });
    const entry = checkout === root ? realmc : join(checkout, "compiler/cli/realmc.mjs");
    const args = ["build", config, "--out", join(work, `${name}-generated`), "--bundle", folder];
    execFileSync(process.execPath, [entry, ...args], { stdio: ["ignore", "ignore", "pipe"] });
    return () => startOnce(folder, join(work, `${name}-data`));
  };
  const sides = [
    { name: "without functions", start: built("without", "open", root), all: [] as Start[] },
    { name: "with functions", start: built("with", "functions", root), all: [] as Start[] },
    ...(against === undefined
      ? []
      : [{ name: "before", start: built("before", "open", resolve(against)), all: [] as Start[] }]),
  ];
  // The first round makes the tables. Turns in who comes first.
  for (let round = -1; round < Math.max(5, rounds); round++) {
    for (const { start, all } of round % 2 === 0 ? sides : sides.toReversed()) {
      const one = await start();
      if (round >= 0) all.push(one);
    }
  }
  for (const bundle of bundles) rmSync(dirname(bundle), { recursive: true, force: true });
  const of = (all: readonly Start[], what: keyof Start) => middle(all.map((one) => one[what]));
  const before = sides.find(({ name }) => name === "before");
  for (const { name, all } of sides) {
    const figures = `${of(all, "time").toFixed(0)} / ${of(all, "memory").toFixed(1)}`;
    report.add(`a realm ${name}: start to ready, ms / idle memory, MiB`, figures, "");
    if (before === undefined || before.all === all) continue;
    const ratio = (what: keyof Start) =>
      middle(all.map((one, at) => one[what] / (before.all[at] ?? one)[what])).toFixed(2);
    const target = name === "without functions" ? "unchanged" : "";
    report.add(`a realm ${name}: the same against before`, `${ratio("time")} / ${ratio("memory")}`, target);
  }
}
