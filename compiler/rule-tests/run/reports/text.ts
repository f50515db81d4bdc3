/** Results for people: failures with what each clause came to, then how many there are; coverage as a list of what is missing. */
import picocolors from "picocolors";
import { kept } from "../../../../runtime/kept.ts";
import type { Coverage } from "../coverage.ts";
import type { TestResult, TestRun } from "../run.ts";
import type { TracedClause, TracedRule } from "../trace.ts";
import { type Assertions, countOf } from "../unasserted.ts";

/** Failures, and what there is to say of all. @param colored colours are welcome */
export function renderTests({ tests, milliseconds }: TestRun, colored: boolean): string {
  const colors = picocolors.createColors(colored);
  const failed = tests.filter(({ ok }) => !ok);
  const passed = tests.length - failed.length;
  const count = `${passed} passed, ${failed.length} failed`;
  const paint = failed.length > 0 ? colors.red : colors.green;
  const end = `${paint(count)} in ${Math.round(milliseconds)} ms`;
  return [...failed.map((each) => renderFailure(each, colored)), end].join("\n");
}

/** One failing test, with the rules that it asked. */
export function renderFailure(test: TestResult, colored: boolean): string {
  const colors = picocolors.createColors(colored);
  const { file, line, column, name, message = "", trace = [] } = test;
  const head = `${file}:${line}:${column} ${colors.red("failed")} ${colors.bold(name)}`;
  return [head, `  ${message}`, ...trace.flatMap((rule) => renderRule(rule, colored)), ""].join("\n");
}

function renderRule(
  { rule, file, line, column, text, value, clauses }: TracedRule,
  colored: boolean,
): string[] {
  const colors = picocolors.createColors(colored);
  const widest = Math.min(longest, Math.max(0, ...clauses.map((each) => each.text.length)));
  return [
    "",
    `  ${colors.dim(`${file}:${line}:${column}`)} ${rule} is ${value}`,
    `    ${colors.bold(text)}`,
    ...clauses.map((each) => `    ${renderClause(each, widest, colored)}`),
  ];
}

/** Characters of a clause, or of a value, that stand on a line. */
const longest = 100;

/** `> false  hasRole('lead')  user.roles = []`; what decided is marked. */
function renderClause(
  { text, value, deciding, values }: TracedClause,
  widest: number,
  colored: boolean,
): string {
  const colors = picocolors.createColors(colored);
  const outcome = (value ? colors.green : colors.red)(String(value).padEnd(5));
  const read = values.map((each) => `${each.text} = ${valueText(each.value)}`).join(", ");
  const line = `${deciding ? ">" : " "} ${outcome}  ${shortened(text).padEnd(widest)}`;
  return read === "" ? line.trimEnd() : `${line}  ${colors.dim(read)}`;
}

function valueText(value: unknown): string {
  return value === null ? "absent" : shortened(JSON.stringify(value));
}

function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** `coverage: 94.4% (17 of 18 outcomes of 9 clauses)`, and under it what was never so. */
export function renderCoverage({ clauses, percent, uncovered }: Coverage): string {
  const outcomes = 2 * clauses;
  const widest = Math.max(
    0,
    ...uncovered.map(({ file, line, column }) => `${file}:${line}:${column}`.length),
  );
  const lines = uncovered.map(
    ({ file, line, column, text, never }) =>
      `  ${`${file}:${line}:${column}`.padEnd(widest)}  never ${never.padEnd(5)}  ${shortened(text)}`,
  );
  const head = `coverage: ${percentText(percent)} (${outcomes - uncovered.length} of ${outcomes} outcomes of ${clauses} ${clauses === 1 ? "clause" : "clauses"})`;
  return [head, ...lines].join("\n");
}

/**
 * `unasserted: 3 of 12 triples of caller, document and operation`, and under it what no test says, a line for each operation
 * in a file.
 */
export function renderAssertions({ possible, unasserted }: Assertions): string {
  const lines = new Map<string, string[]>();
  for (const { file, collection, operation, caller, documents } of unasserted)
    kept(lines, `${file}  ${collection} ${operation}`, () => []).push(`${caller} ${documents.join(", ")}`);
  const head = `unasserted: ${countOf(unasserted)} of ${possible} triples of caller, document and operation`;
  return [head, ...[...lines].map(([where, open]) => `  ${where}  ${shortened(open.join("; "))}`)].join("\n");
}

/** Never more than there is: 99.96 is 99.9%. */
export function percentText(percent: number): string {
  return `${Math.floor(percent * 10) / 10}%`;
}
