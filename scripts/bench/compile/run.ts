// What the compiler takes for realms of many sizes, and against another checkout of it: each in a process of its own, in turns.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { realmc } from "../../command-line.ts";
import { root } from "../../workspace.ts";
import { middle } from "../middle.ts";
import { writeConfiguration } from "./configuration.ts";

export interface CompileOptions {
  /** A folder of its own. */
  readonly work: string;
  readonly rounds: number;
  /** Numbers of collections. */
  readonly sizes: readonly number[];
  /** Another checkout, with its packages installed. */
  readonly against: string | undefined;
}

/** Of one run: seconds, and MiB at the most. */
interface Usage {
  readonly wall: number;
  readonly user: number;
  readonly memory: number;
}

type Command = "check" | "build" | "diff";

/** Where a comparison takes two configurations, of this size at the most. */
const LARGEST_DIFF = 50;

/** Prints the medians of `check`, `build` and `diff`, and the other checkout's as ratios. */
export function compileBenchmark({ work, rounds, sizes, against }: CompileOptions): void {
  const other = against === undefined ? undefined : join(resolve(against), "compiler/cli/realmc.mjs");
  const entries = [realmc, ...(other === undefined ? [] : [other])];
  // What is compiled of the compiler itself is kept from then on.
  for (const entry of entries) execFileSync(process.execPath, [entry, "--version"], { stdio: "ignore" });
  console.log(
    `\n| collections | | wall | user | memory |${other === undefined ? "" : " wall, of before | user | memory |"}`,
  );
  console.log(`|---:|---|---:|---:|---:|${other === undefined ? "" : "---:|---:|---:|"}`);
  for (const size of sizes) {
    const [config, changed, out] = ["config", "changed", "out"].map((name) => join(work, `${name}-${size}`));
    if (config === undefined || changed === undefined || out === undefined) continue;
    writeConfiguration(config, size);
    writeConfiguration(changed, size, (settings) =>
      settings.replaceAll("hasRole('lead')", "hasRole('clerk')"),
    );
    const commands: Readonly<Record<Command, readonly string[]>> = {
      check: ["check", config],
      build: ["build", config, "--out", out],
      diff: ["diff", config, changed, "--allow-breaking"],
    };
    for (const command of ["check", "build", "diff"] as const) {
      if (command === "diff" && size > LARGEST_DIFF) continue;
      const runs = entries.map((): Usage[] => []);
      for (let round = 0; round < rounds; round++) {
        // Turns in who comes first.
        for (const at of round % 2 === 0 ? entries.keys() : [...entries.keys()].reverse()) {
          rmSync(out, { recursive: true, force: true });
          runs[at]?.push(measured(entries[at] ?? realmc, commands[command], work));
        }
      }
      const [now, before] = runs.map(middles);
      if (now !== undefined) console.log(rowOf(`${size} | ${command}`, now, before));
    }
  }
}

function measured(entry: string, args: readonly string[], work: string): Usage {
  const report = join(work, "usage.json");
  const probe = pathToFileURL(join(root, "scripts/bench/compile/usage.mjs")).href;
  const begun = performance.now();
  execFileSync(process.execPath, ["--import", probe, entry, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, BENCH_USAGE: report },
  });
  const wall = (performance.now() - begun) / 1000;
  return { wall, ...JSON.parse(readFileSync(report, "utf8")) };
}

function middles(runs: readonly Usage[]): Usage {
  const of = (figure: (usage: Usage) => number): number => middle(runs.map(figure));
  return { wall: of(({ wall }) => wall), user: of(({ user }) => user), memory: of(({ memory }) => memory) };
}

function rowOf(name: string, now: Usage, before: Usage | undefined): string {
  const figures = [`${now.wall.toFixed(2)} s`, `${now.user.toFixed(2)} s`, `${now.memory.toFixed(0)} MiB`];
  const ratios =
    before === undefined
      ? []
      : [now.wall / before.wall, now.user / before.user, now.memory / before.memory].map((ratio) =>
          ratio.toFixed(2),
        );
  return `| ${[name, ...figures, ...ratios].join(" | ")} |`;
}
