/** What `.ci/run` runs, and what came of it. */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FileOutcome, Outcome } from "../testing/outcome.ts";
import type { Output } from "./output.ts";
import type { Processes, Variables } from "./processes.ts";

/** A command whose success a run depends on. */
export interface Part {
  readonly name: string;
  readonly command: readonly string[];
  readonly variables?: Variables;
}

export interface Ran {
  readonly name: string;
  /** In milliseconds. */
  readonly time: number;
  readonly succeeded: boolean;
  /** What came of its tests, where it is one that runs tests and came so far. */
  readonly outcome?: Outcome;
}

/** Under `CI` vitest writes colours, whatever reads it; a log has none. */
const look: Variables = process.stdout.isTTY || "FORCE_COLOR" in process.env ? {} : { NO_COLOR: "1" };

/** Runs parts; each has its place in the output. */
export class Runner {
  readonly #processes: Processes;
  readonly #output: Output;
  readonly #folder: string;

  /** @param folder where runs of tests leave what came of them */
  constructor(processes: Processes, output: Output, folder: string) {
    this.#processes = processes;
    this.#output = output;
    this.#folder = folder;
  }

  async run({ name, command, variables = {} }: Part): Promise<Ran> {
    const place = join(this.#folder, `${randomUUID()}.json`);
    const begun = Date.now();
    this.#output.say(name, `\nci: ${name}: ${command.join(" ")}\n`);
    const succeeded = await this.#processes.succeeds(
      command,
      { ...look, ...variables, REALMC_OUTCOME: place },
      (text) => this.#output.say(name, text),
    );
    const time = Date.now() - begun;
    this.#output.say(name, `ci: ${name}: ${succeeded ? "green" : "red"} after ${minutes(time)}\n`);
    this.#output.done(name);
    const outcome: Outcome | undefined = existsSync(place)
      ? JSON.parse(readFileSync(place, "utf8"))
      : undefined;
    return { name, time, succeeded, ...(outcome && { outcome }) };
  }
}

/** Test files in which something failed. */
export function redFiles({ outcome }: Ran): readonly FileOutcome[] {
  return outcome?.files.filter(({ failures }) => failures.length > 0) ?? [];
}

/** Whether its tests alone made a part fail: each of them told that it did, and nothing went wrong beside them. */
export function isRedByTests(ran: Ran): boolean {
  return !ran.succeeded && ran.outcome?.unhandled.length === 0 && redFiles(ran).length > 0;
}

/** A time as minutes and seconds. */
export function minutes(time: number): string {
  const seconds = Math.round(time / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
