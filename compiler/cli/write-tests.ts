/** `realmc test --write`: first rule tests of collections that have none, made from the rules themselves. */
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { didYouMean } from "../../runtime/suggest.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { InternalError, internalError, whileReading } from "../diagnostics/internal-error.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import type { Ruled } from "../matrix/accesses.ts";
import { collectionsOf } from "../matrix/matrix.ts";
import { type AnalysedRealm, analyse, emitRealm } from "../pipeline.ts";
import { readRuleTestFile } from "../rule-tests/read.ts";
import { nameOf } from "../rule-tests/reading.ts";
import { runRuleTests } from "../rule-tests/run/run.ts";
import { type FirstTests, firstTestsOf } from "../rule-tests/written/first-tests.ts";
import { parseSource } from "../source/reader.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { onDisk } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

/** A file that is to be written. */
interface Planned extends FirstTests {
  readonly ruled: Ruled;
  /** Relative to the configuration folder. */
  readonly path: string;
}

/**
 * Nothing is written before all of it has passed on the emitted code, and no file is overwritten.
 * @param named `<realm>/<database>/<collection>`; default: every collection that has no tests
 * @throws UsageError
 */
export async function writeTests(
  config: string,
  named: string | undefined,
  terminal: Terminal,
): Promise<ExitCode> {
  terminal.step(`reading ${config}`);
  const { realms, diagnostics } = await analyse(config, { handlers: "none", tests: "checked" });
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, withoutHints(diagnostics), { ...terminal.errLook, line: terminal.err });
    return exit.usage;
  }
  const planned: Planned[] = [];
  for (const realm of realms) {
    const wanted = collectionsOf(realm).filter((ruled) => isWanted(realm, ruled, named));
    const own = wanted.map((ruled) => plannedFor(config, ruled, terminal)).filter(({ tests }) => tests > 0);
    try {
      await replay(realm, own);
    } catch (error) {
      if (!(error instanceof InternalError)) throw error;
      reportDiagnostics("", [internalError(error)], { ...terminal.errLook, line: terminal.err });
      return exit.internal;
    }
    planned.push(...own);
  }
  if (planned.length === 0) throw new UsageError(whyNone(realms, named));
  await onDisk(config, async () => {
    for (const { path, text } of planned) {
      await mkdir(dirname(join(config, path)), { recursive: true });
      await writeFile(join(config, path), text, { flag: "wx" });
    }
  });
  for (const each of planned) tell(config, each, terminal);
  return exit.ok;
}

function isWanted({ realm, tests = [] }: AnalysedRealm, ruled: Ruled, named: string | undefined): boolean {
  if (!realm.auth) return false;
  const place = placeOf(ruled);
  if (named !== undefined) return place === named;
  return !tests.some(({ collection }) => collection === nameOf(ruled.collection));
}

function placeOf({ realm, collection }: Ruled): string {
  return `${realm.name}/${nameOf(collection)}`;
}

function plannedFor(config: string, ruled: Ruled, { step }: Terminal): Planned {
  const path = `${placeOf(ruled)}/_tests/rules.yaml`;
  if (existsSync(join(config, path)))
    throw new UsageError(`${join(config, path)} is there already, and no file is overwritten`);
  step(`looking for witnesses of ${placeOf(ruled)}`);
  const own = join("generated", placeOf(ruled), "rule-test.schema.json");
  const schema = existsSync(own) ? own : published;
  const modeline = relative(dirname(join(config, path)), schema)
    .split(sep)
    .join("/");
  return { ruled, path, ...whileReading(path, () => firstTestsOf(ruled, modeline)) };
}

/** Where the output has none that knows the collection. */
const published = join("node_modules", "realmc", "docs", "schemas", "rule-test.schema.json");

/** @throws InternalError where something comes out otherwise on the emitted code than the rules' forms say */
async function replay(realm: AnalysedRealm, planned: readonly Planned[]): Promise<void> {
  if (planned.length === 0) return;
  const read = planned.map(({ path, text, ruled }) => {
    const problems: Diagnostic[] = [];
    const file = parseSource(path, text, problems);
    const staged = file && readRuleTestFile(file, realm.realm, ruled.collection);
    const [problem] = [...problems, ...(staged?.diagnostics ?? [])];
    if (staged === undefined || problem !== undefined)
      throw new InternalError(path, new Error(`the first tests cannot be read: ${problem?.message}`));
    return staged.value;
  });
  const { files } = await emitRealm(realm);
  const { tests, coverage } = await runRuleTests([{ ...realm, tests: read, files }]);
  const failed = tests.find(({ ok }) => !ok);
  if (failed !== undefined)
    throw new InternalError(
      failed.file,
      new Error(`the witness of '${failed.name}' does not replay: ${failed.message}`),
    );
  for (const { path, ruled, missing } of planned) {
    const files = new Set(
      missing.map(({ file }) => file).concat(ruled.collection.rules.read?.span.file ?? []),
    );
    const uncovered = coverage.uncovered.find(
      ({ file, line, column, never }) =>
        files.has(file) &&
        !missing.some((each) => each.line === line && each.column === column && each.never === never),
    );
    if (uncovered !== undefined)
      throw new InternalError(path, new Error(`no witness shows ${uncovered.text} being ${uncovered.never}`));
  }
}

function whyNone(realms: readonly AnalysedRealm[], named: string | undefined): string {
  if (named === undefined)
    return "no tests are to be written: every collection with rules has some (name one to write more)";
  const all = realms.flatMap((realm) =>
    collectionsOf(realm).map((ruled) => ({ ruled, place: placeOf(ruled) })),
  );
  const found = all.find(({ place }) => place === named)?.ruled;
  if (found === undefined) {
    const places = all.map(({ place }) => place);
    const hint = didYouMean(named, places) ?? `there are: ${places.join(", ")}`;
    throw new UsageError(`there is no collection '${named}' (${hint})`);
  }
  return found.realm.auth
    ? `the rules of ${named} have no clauses to be shown`
    : `${found.realm.name} has auth: disabled, so there are no rules to be tested`;
}

function tell(config: string, { path, tests, clauses, missing }: Planned, terminal: Terminal): void {
  terminal.out(`${join(config, path)}: ${tests} tests of ${clauses} clauses`);
  for (const { file, line, column, text, never } of missing)
    terminal.err(`${file}:${line}:${column} nobody was found for whom this is ${never}: ${text}`);
}
