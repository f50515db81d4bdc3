/** What `realmc matrix` does. */
import { readFileSync } from "node:fs";
import { counted } from "../diagnostics/render.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { visible } from "../diagnostics/visible.ts";
import { rulesOfColumn } from "../matrix/clauses.ts";
import { cellInWords, changedCells, matrixFrom } from "../matrix/compare.ts";
import { type Matrix, matrixOf } from "../matrix/matrix.ts";
import { cellNamed, UnknownCell } from "../matrix/never.ts";
import { renderMatrixHtml } from "../matrix/render/html.ts";
import { renderMatrixJson } from "../matrix/render/json.ts";
import { renderMatrixMarkdown } from "../matrix/render/markdown.ts";
import { renderMatrix } from "../matrix/render/text.ts";
import { type AnalysedRealm, analyse } from "../pipeline.ts";
import { reasonOf } from "../source/reader.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export type MatrixFormat = "text" | "markdown" | "json" | "html";

export interface MatrixOptions {
  readonly realm?: string;
  readonly format: MatrixFormat;
  /** A file that holds a matrix as JSON. */
  readonly check?: string;
  /** Cells that are wanted to be `never`. */
  readonly never?: readonly string[];
}

/**
 * The matrix, on stdout; with `check` or `never` what goes against them in its place, and exit code 1 where anything does.
 * @throws UsageError
 */
export async function printMatrix(
  config: string,
  options: MatrixOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  requireFolder(config);
  const only = options.realm;
  if (only !== undefined) requireRealm(config, only);
  const committed = options.check === undefined ? undefined : committedIn(options.check, only);
  const { realms, diagnostics: found } = await analyse(config, { only, handlers: "none" });
  const diagnostics = withoutHints(found);
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, diagnostics, { ...terminal.errLook, line: terminal.err });
    return exit.diagnostics;
  }
  const matrix = matrixOf(realms);
  if (committed === undefined && options.never === undefined) {
    terminal.out(rendered(matrix, options.format, terminal.outLook.colored));
    return exit.ok;
  }
  // Which cells are meant is told before anything is judged.
  const demanded = named(options.never ?? [], matrix);
  const changes = committed === undefined ? [] : changedCells(committed, matrix);
  for (const { realm, collection, row, column, was, is } of changes)
    terminal.out(
      visible(`${realm} ${collection} ${row}: ${column} was ${cellInWords(was)}, is ${cellInWords(is)}`),
    );
  const violated = demanded.filter(({ cell }) => cell !== undefined && cell.cell !== "never");
  for (const { realm, collection, row, column, cell } of violated) {
    terminal.out(visible(`${realm} ${collection} ${row}: ${column} must be never, is ${cellInWords(cell)}`));
    for (const line of rulesBehind(realms, realm, collection, column)) terminal.out(visible(`  ${line}`));
  }
  conclude(
    options,
    { changed: changes.length, demanded: demanded.length, violated: violated.length },
    terminal,
  );
  return changes.length + violated.length === 0 ? exit.ok : exit.diagnostics;
}

function rendered(matrix: Matrix, format: MatrixFormat, colored: boolean): string {
  switch (format) {
    case "text":
      return renderMatrix(matrix, colored);
    case "markdown":
      return renderMatrixMarkdown(matrix);
    case "json":
      return renderMatrixJson(matrix);
    case "html":
      return renderMatrixHtml(matrix);
  }
}

function named(demands: readonly string[], matrix: Matrix) {
  try {
    return demands.map((demand) => cellNamed(demand, matrix));
  } catch (error) {
    throw error instanceof UnknownCell ? new UsageError(`--never: ${error.message}`) : error;
  }
}

/** The committed matrix, as far as it is asked for. */
function committedIn(file: string, only: string | undefined): Matrix {
  const matrix = matrixFrom(parsed(file));
  if (matrix === undefined)
    throw new UsageError(`${file} holds no matrix (write it with realmc matrix --format json)`);
  if (only === undefined) return matrix;
  const own = Object.hasOwn(matrix.realms, only) ? matrix.realms[only] : undefined;
  return { realms: own === undefined ? {} : { [only]: own } };
}

function parsed(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${reasonOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `desk/db/notes/collection.yaml:3 read: document.public`, of the rules that decide about a column. */
function rulesBehind(
  realms: readonly AnalysedRealm[],
  realm: string,
  place: string,
  column: string,
): readonly string[] {
  const found = realms.find((each) => each.realm.name === realm);
  return found === undefined ? [] : rulesOfColumn(found, place, column);
}

function conclude(
  { check, never }: MatrixOptions,
  counts: { readonly changed: number; readonly demanded: number; readonly violated: number },
  terminal: Terminal,
): void {
  if (check !== undefined)
    terminal.err(
      counts.changed === 0
        ? `the matrix is that of ${check}`
        : `${counted(counts.changed, "cell")} changed; when that is meant: realmc matrix --format json > ${check}`,
    );
  if (never !== undefined)
    terminal.err(`${counts.demanded - counts.violated} of ${counts.demanded} cells are never`);
}
