/** `realmc test`: the rule tests of a configuration, on what is emitted for it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { analyse, emitRealm } from "../pipeline.ts";
import { githubReport } from "../rule-tests/run/reports/github.ts";
import { htmlReport } from "../rule-tests/run/reports/html.ts";
import { jsonReport } from "../rule-tests/run/reports/json.ts";
import { junitReport } from "../rule-tests/run/reports/junit.ts";
import { lcovReport } from "../rule-tests/run/reports/lcov.ts";
import {
  percentText,
  renderAssertions,
  renderCoverage,
  renderTests,
} from "../rule-tests/run/reports/text.ts";
import { runRuleTests, type TestedRealm, type TestRun } from "../rule-tests/run/run.ts";
import { baseOf } from "./check.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { onDisk, requireFolder } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";
import { watchTests } from "./watch-tests.ts";
import { writeTests } from "./write-tests.ts";

export interface TestOptions {
  readonly filter?: string;
  readonly watch?: true;
  /** `<realm>/<database>/<collection>`; `true`: all that have no tests. */
  readonly write?: true | string;
  readonly format: "text" | "json" | "junit" | "github";
  /** `text`, `lcov:<file>`, `html:<folder>`; `true`: text. */
  readonly coverage?: true | readonly (string | true)[];
  readonly minCoverage?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The results are its product and go to stdout; with `--watch` it goes on until it is interrupted.
 * @param config default: `config`
 * @throws UsageError
 */
export async function runTests(
  config: string | undefined,
  options: TestOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  if (options.write !== undefined) return writeFirst(config, options, terminal);
  const { folder, reports } = readReports(config, options.coverage);
  requireFolder(folder);
  const once = () => testOnce(folder, options, reports, terminal, environment);
  return options.watch === true ? watchTests(folder, once, terminal) : once();
}

/** A folder that `--write config` took for a collection is one. */
async function writeFirst(
  config: string | undefined,
  { write: given, filter, watch, coverage, minCoverage, format }: TestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const others = [filter, watch, coverage, minCoverage].some((option) => option !== undefined);
  if (others || format !== "text")
    throw new UsageError("--write runs no tests, so it goes with no other option of realmc test");
  const isCollection = typeof given === "string" && /^[^/]+\/[^/]+\/[^/]+$/.test(given);
  if (typeof given === "string" && !isCollection && config !== undefined)
    throw new UsageError(`'${given}' names no collection: write <realm>/<database>/<collection>`);
  const folder = config ?? (typeof given === "string" && !isCollection ? given : "config");
  requireFolder(folder);
  return writeTests(folder, isCollection ? given : undefined, terminal);
}

interface Report {
  readonly kind: "text" | "lcov" | "html";
  readonly place: string;
}

/** The folder, where `--coverage config` took it for a report, and the reports. */
function readReports(
  config: string | undefined,
  coverage: TestOptions["coverage"] = [],
): { readonly folder: string; readonly reports: readonly Report[] } {
  const given = coverage === true ? ["text"] : coverage.map((each) => (each === true ? "text" : each));
  const folders = given.filter((each) => !reportForm.test(each));
  const [taken] = folders;
  if (taken !== undefined && (config !== undefined || folders.length > 1))
    throw new UsageError(`--coverage is text, lcov:<file> or html:<folder>, not '${taken}'`);
  const reports = given.map((each): Report => {
    const [kind = "", place = ""] = split(each);
    if (kind === "lcov") return { kind, place: place || "coverage/lcov.info" };
    if (kind === "html") return { kind, place: place || "coverage" };
    return { kind: "text", place: "" };
  });
  return { folder: config ?? taken ?? "config", reports };
}

const reportForm = /^(?:text|(?:lcov|html)(?::.+)?)$/;

function split(report: string): readonly [string, string] {
  const at = report.indexOf(":");
  return at === -1 ? [report, ""] : [report.slice(0, at), report.slice(at + 1)];
}

async function testOnce(
  config: string,
  options: TestOptions,
  reports: readonly Report[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  terminal.step(`reading ${config}`);
  const { realms, diagnostics } = await analyse(config, {
    handlers: "none",
    tests: "checked",
    step: terminal.step,
  });
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, withoutHints(diagnostics), { ...terminal.errLook, line: terminal.err });
    return exit.usage;
  }
  const tested: TestedRealm[] = [];
  for (const each of realms) {
    const hasTests = (each.tests ?? []).length > 0;
    if (hasTests) terminal.step(`building ${each.realm.name}`);
    tested.push({ ...each, files: hasTests ? (await emitRealm(each)).files : [] });
  }
  const run = await runRuleTests(tested, options.filter);
  if (run.tests.length === 0) {
    const problem =
      options.filter === undefined
        ? `there are no rule tests in ${config} (put them into <realm>/<database>/<collection>/_tests/<name>.yaml)`
        : `no rule test has '${options.filter}' in its file or name`;
    throw new UsageError(problem);
  }
  report(config, run, options, terminal, environment);
  await onDisk(config, async () => writeReports(config, run, reports, terminal));
  return verdict(run, options, terminal);
}

function report(
  config: string,
  run: TestRun,
  { format }: TestOptions,
  { out, outLook }: Terminal,
  environment: Environment,
): void {
  if (format === "json") out(jsonReport(run));
  else if (format === "junit") out(junitReport(run));
  else if (format === "github") {
    const base = baseOf(config, { format }, environment);
    const text = githubReport(run, slashed(relative(base, resolve(config))));
    if (text !== "") out(text);
  } else out(renderTests(run, outLook.colored));
}

/** Coverage as text stands beside results that programs read, not among them. */
function writeReports(config: string, run: TestRun, reports: readonly Report[], terminal: Terminal): void {
  for (const { kind, place } of reports) {
    if (kind === "text") {
      terminal.err(renderCoverage(run.coverage));
      terminal.err(renderAssertions(run.assertions));
    } else if (kind === "lcov")
      write(place, lcovReport(run.coverage, slashed(relative("", resolve(config)))));
    else
      write(
        join(place, "index.html"),
        htmlReport(run.coverage, (file) => readFileSync(join(config, file), "utf8")),
      );
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(path, text);
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

function verdict(
  { tests, coverage }: TestRun,
  { minCoverage = 0 }: TestOptions,
  terminal: Terminal,
): ExitCode {
  const isLow = coverage.percent < minCoverage;
  if (isLow)
    terminal.fail(`coverage is ${percentText(coverage.percent)}, and at least ${minCoverage}% is asked for`);
  return isLow || tests.some(({ ok }) => !ok) ? exit.diagnostics : exit.ok;
}
