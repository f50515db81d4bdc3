/** What `.ci/run` prints at its end. */
import type { FileOutcome } from "../testing/outcome.ts";
import type { Retried } from "./again.ts";
import { isRedByTests, minutes, type Ran, redFiles } from "./parts.ts";

export interface Run {
  /** All of it with the installation, in milliseconds. */
  readonly time: number;
  readonly installation: number;
  readonly parts: readonly Ran[];
  /** Why the tests were not run on MongoDB, where they were not. */
  readonly withoutMongo?: string;
  /** What was tried again of what was red. */
  readonly retried: readonly Retried[];
}

/** Whether a part is green, or was but for tests that were green when they were tried again. */
export function verdict(part: Ran, retried: readonly Retried[]): "green" | "flaky" | "red" {
  if (part.succeeded) return "green";
  const isOnlyFlaky = redFiles(part).every((file) => isFlaky(file, retried));
  return isRedByTests(part) && isOnlyFlaky ? "flaky" : "red";
}

function isFlaky(red: FileOutcome, retried: readonly Retried[]): boolean {
  return retried.some(({ file, isFlaky }) => file === red && isFlaky);
}

export function isGreen({ parts, retried }: Run): boolean {
  return parts.every((part) => verdict(part, retried) !== "red");
}

/** How many of the longest files are listed. */
const longest = 10;

export function summary(run: Run): string {
  const flaky = run.retried.filter(({ isFlaky }) => isFlaky).map(({ file }) => file);
  return [
    ...flaky.flatMap(firstFailures),
    ...table(run),
    ...section("longest files", longestFiles(run.parts)),
    ...section("skipped", skippedTests(run.parts)),
    ...section("flaky", flaky.flatMap(titles)),
    ...section(
      "red",
      run.parts.flatMap((part) => redLines(part, run.retried)),
    ),
    "",
    `ci: ${isGreen(run) ? "green" : "red"} after ${minutes(run.time)}`,
    "",
  ].join("\n");
}

/** A section for each test that was green alone: how it failed before. */
function firstFailures(file: FileOutcome): readonly string[] {
  return file.failures.flatMap((failure) => [
    "",
    `flaky: ${title(file, failure.name)}`,
    "",
    ...failure.errors,
  ]);
}

function table({ installation, parts, retried, withoutMongo }: Run): readonly string[] {
  const rows = [
    ["installation", minutes(installation), "green"],
    ...parts.map((part) => [part.name, minutes(part.time), verdict(part, retried)]),
    ...(withoutMongo === undefined ? [] : [["tests on MongoDB", "-", `not run: ${withoutMongo}`]]),
  ];
  const width = Math.max(...rows.map(([name = ""]) => name.length));
  return [
    "",
    "parts",
    ...rows.map(
      ([name = "", time = "", said = ""]) => `  ${name.padEnd(width)}  ${time.padStart(5)}  ${said}`,
    ),
  ];
}

function longestFiles(parts: readonly Ran[]): readonly string[] {
  return parts
    .flatMap(({ outcome }) => outcome?.files ?? [])
    .sort((a, b) => b.time - a.time)
    .slice(0, longest)
    .map((file) => `${minutes(file.time).padStart(5)}  ${file.project} ${file.path}`);
}

/** By project and reason: how many, or which one. */
function skippedTests(parts: readonly Ran[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const { project, skipped } of parts.flatMap(({ outcome }) => outcome?.files ?? [])) {
    for (const { name, reason } of skipped) {
      const key = `${project}: ${reason}`;
      names.set(key, [...(names.get(key) ?? []), name]);
    }
  }
  return [...names].map(([key, [first = "", ...others]]) => {
    if (others.length > 0) return `${key} (${others.length + 1} tests)`;
    return key.endsWith(first) ? key : `${key} (${first})`;
  });
}

/** Red tests of a part, then errors in none; the part itself where it tells of neither. */
function redLines(part: Ran, retried: readonly Retried[]): readonly string[] {
  if (verdict(part, retried) !== "red") return [];
  const tests = redFiles(part).filter((file) => !isFlaky(file, retried));
  const others = part.outcome?.unhandled.map((error) => `${part.name}: ${error.split("\n", 1)[0]}`) ?? [];
  const lines = [...tests.flatMap(titles), ...others];
  return lines.length === 0 ? [part.name] : lines;
}

function titles(file: FileOutcome): readonly string[] {
  return file.failures.map(({ name }) => title(file, name));
}

function title({ project, path }: FileOutcome, name: string): string {
  return `${project} ${path}${name && ` > ${name}`}`;
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return ["", name, ...(lines.length === 0 ? ["none"] : lines).map((line) => `  ${line}`)];
}
