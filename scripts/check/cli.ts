/** The command `npm run check`. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { productTests } from "../testing/product.ts";
import { root } from "../workspace.ts";
import { CannotCheck, changesIn } from "./changes.ts";
import { checkout, testsIn } from "./checkout.ts";
import { type Choice, chosen } from "./choose.ts";
import { usersOf } from "./graph.ts";
import { least, recordedLengths } from "./lengths.ts";
import { inTurn, type Part } from "./parts.ts";
import { neighbours, reachedTests } from "./reach.ts";
import { help, listed, summary } from "./report.ts";

interface Options {
  readonly all?: boolean;
  readonly dry?: boolean;
  readonly help?: boolean;
  readonly since?: string;
}

function optionsOf(words: readonly string[]): Options {
  const flag = { type: "boolean" } as const;
  const options = { all: flag, dry: flag, help: flag, since: { type: "string" } } as const;
  try {
    return parseArgs({ args: [...words], options }).values;
  } catch (error) {
    throw new CannotCheck(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

const lengths = recordedLengths();
const costs = {
  lengthOf: (test: string) => lengths[test] ?? least,
  isProduct: (test: string) => productTests.includes(test),
};

/** The tests that a change reaches, and how many there are at all. */
function selected(
  changed: readonly string[],
  all: boolean,
): { readonly choice: Choice; readonly tests: number } {
  const tree = checkout();
  const tests = testsIn(tree.paths);
  const reached = reachedTests(usersOf(tree), tests, changed);
  const choice = all ? { run: reached, leftOut: [] } : chosen(reached, neighbours(tests, changed), costs);
  return { choice, tests: tests.length };
}

function script(name: string, ...words: readonly string[]): Part {
  return {
    name,
    command: "npm",
    words: ["run", "--silent", name, ...(words.length > 0 ? ["--", ...words] : [])],
  };
}

/** As `npm run types`, keeping what it has found out for the next time. */
function types(): Part {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  return script("types", "--incremental", "--tsBuildInfoFile", join(cache, "check.tsbuildinfo"));
}

function tests({ run }: Choice): readonly Part[] {
  if (run.length === 0) return [];
  const projects = run.some(({ test }) => costs.isProduct(test)) ? ["embedded", "product"] : ["embedded"];
  const words = [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    ...projects.flatMap((name) => ["--project", name]),
    ...run.map(({ test }) => join(root, test)),
  ];
  return [{ name: "tests", command: process.execPath, words, environment: { MONGODB_URI: "" } }];
}

/** Where a check says what it has to say. */
export interface Outlets {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Runs `npm run check` with the words behind `--`; resolves to its exit code. */
export async function main(words: readonly string[], { stdout, stderr }: Outlets): Promise<number> {
  try {
    return await check(optionsOf(words), stdout);
  } catch (error) {
    if (!(error instanceof CannotCheck)) throw error;
    stderr(`check: ${error.message}\n`);
    return 2;
  }
}

async function check(options: Options, say: (text: string) => void): Promise<number> {
  if (options.help) {
    say(help);
    return 0;
  }
  const { base, paths } = changesIn(root, options.since);
  const { choice, tests: all } = selected(paths, options.all ?? false);
  say(`check: ${paths.length} files changed since ${base.slice(0, 12)}\n`);
  if (options.dry) {
    say(listed(choice, costs.lengthOf) + summary([], choice, all));
    return 0;
  }
  const stop = new AbortController();
  let interrupted: number | undefined;
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => {
      interrupted = code;
      stop.abort();
    });
  const place = { folder: root, say, signal: stop.signal };
  const [checked, others] = await Promise.all([
    inTurn([types()], place),
    inTurn([script("lint"), script("stale")], place),
  ]);
  const ended = [...checked, ...others, ...(await inTurn(tests(choice), place, { live: true }))];
  if (interrupted !== undefined) return interrupted;
  say(summary(ended, choice, all));
  return ended.every(({ isGreen }) => isGreen) ? 0 : 1;
}
