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
  const isFlaky = (red: FileOutcome): boolean => retried.some(({ file, isFlaky }) => file === red && isFlaky);
  return isRedByTests(part) && redFiles(part).every(isFlaky) ? "flaky" : "red";
}

export function isGreen({ parts, retried }: Run): boolean {
  return parts.every((part) => verdict(part, retried) !== "red");
}

/** How many of the longest files are listed. */
const longest = 10;

export function summary(run: Run): string {
  const flaky = run.retried.filter(({ isFlaky }) => isFlaky).map(({ file }) => file);
  const red = run.parts.flatMap(redFiles).filter((file) => !flaky.includes(file));
  return [
    ...flaky.flatMap(firstFailures),
    ...table(run),
    ...section("longest files", longestFiles(run.parts)),
    ...section("skipped", skippedTests(run.parts)),
    ...section("flaky", flaky.flatMap(titles)),
    ...section("red", red.flatMap(titles)),
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

function titles(file: FileOutcome): readonly string[] {
  return file.failures.map(({ name }) => title(file, name));
}

function title({ project, path }: FileOutcome, name: string): string {
  return `${project} ${path}${name && ` > ${name}`}`;
}

function section(name: string, lines: readonly string[]): readonly string[] {
  return ["", name, ...(lines.length === 0 ? ["none"] : lines).map((line) => `  ${line}`)];
}
