/** What TypeScript says of a realm's handlers, in one program. */
import { join, posix } from "node:path";
import { ts } from "@ts-morph/common";
import type { EmittedFile } from "../../templates/print/code.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import type { HandlerFile, Realm, RealmFunction } from "../model/model.ts";
import { lineStartsOf, spanOf } from "../source/source.ts";
import { foreignGlobals } from "./globals.ts";
import { unknownHosts } from "./hosts.ts";
import { nodeTypesFor } from "./node-types.ts";
import { translated } from "./translated.ts";
import { Tree, top } from "./tree.ts";
import { wordsOf } from "./words.ts";

/** What a realm's handlers are checked against. */
export interface Surroundings {
  readonly realm: Realm;
  /** The modules that handlers are written against. */
  readonly emitted: readonly EmittedFile[];
  /** Equal for equal realms, apart from the texts of their handlers. */
  readonly key: string;
}

/** The checks of one realm: who asks again is told anew of what changed alone, and of what had mistakes. */
export class HandlerChecks {
  readonly #root: string;
  readonly #tree: Tree;
  #program: ts.Program | undefined;
  /** Functions without mistakes, by `<database>/<function>`, and of what that was said. */
  #sound: ReadonlyMap<string, string> = new Map();
  #mistaken: ReadonlySet<string> = new Set();

  /** @param root the configuration folder, from which packages are found */
  constructor(root: string) {
    this.#root = root;
    this.#tree = new Tree(root);
  }

  /** Handlers under their own paths and emitted types under theirs, as if both lay in one tree. */
  check({ realm, emitted, key }: Surroundings): readonly Diagnostic[] {
    const functions = realm.functions.filter(({ handler }) => handler !== undefined);
    const around = `${key} ${JSON.stringify(filesForAll(functions))}`;
    const keyed = new Map(functions.map((fn) => [nameOf(fn), `${around} ${JSON.stringify(fn.handler)}`]));
    if (functions.every((fn) => this.#sound.get(nameOf(fn)) === keyed.get(nameOf(fn)))) return [];
    const program = this.#programOf(functions, emitted);
    const looked = new Set<string>();
    const sound = new Map<string, string>();
    const mistaken = new Set<string>();
    const diagnostics = functions.flatMap((fn) => {
      const own = keyed.get(nameOf(fn)) ?? "";
      const paths = filesOf(fn);
      const found = this.#sound.get(nameOf(fn)) === own ? [] : told(program, fn, realm, looked);
      for (const path of paths) looked.add(path);
      if (found.length > 0) for (const path of paths) mistaken.add(path);
      else if (!paths.some((path) => mistaken.has(path))) sound.set(nameOf(fn), own);
      return found;
    });
    this.#sound = sound;
    this.#mistaken = mistaken;
    return diagnostics;
  }

  #programOf(functions: readonly RealmFunction[], emitted: readonly EmittedFile[]): ts.Program {
    const nodeTypes = nodeTypesFor(this.#root);
    const files = new Map([
      ...emitted.map(({ path, text }) => [path, text] as const),
      ...functions.flatMap(({ handler }) =>
        (handler?.files ?? []).map(({ path, text }) => [path, text] as const),
      ),
      ...functions.map((fn) => [probePath(fn), probe] as const),
    ]);
    const roots = functions.map((fn) => join(top, probePath(fn)));
    this.#program = this.#tree.program(
      files,
      [...(nodeTypes === undefined ? [] : [nodeTypes]), ...roots],
      this.#program,
      this.#mistaken,
    );
    return this.#program;
  }
}

function nameOf({ database, name }: RealmFunction): string {
  return `${database}/${name}`;
}

/** Files that may declare what all others see. */
function filesForAll(functions: readonly RealmFunction[]): readonly HandlerFile[] {
  return functions
    .flatMap(({ handler }) => handler?.files ?? [])
    .filter(({ text }) => /\bdeclare\b/.test(text) || !/^\s*(?:import|export)\b/m.test(text));
}

function filesOf(fn: RealmFunction): readonly string[] {
  return [probePath(fn), ...(fn.handler?.files ?? []).map(({ path }) => path)];
}

/** @param looked files of which all has been told: what several import is told once */
function told(
  program: ts.Program,
  fn: RealmFunction,
  realm: Realm,
  looked: ReadonlySet<string>,
): readonly Diagnostic[] {
  const checker = program.getTypeChecker();
  return filesOf(fn).flatMap((path) => {
    const source = looked.has(path) ? undefined : program.getSourceFile(join(top, path));
    if (source === undefined || path.endsWith(".json")) return [];
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    if (path === probePath(fn)) return found.slice(0, 1).map((each) => ofProbe(fn, each, program));
    const spanAt = (start: number, length: number): Span =>
      spanOf({ path, lineStarts: lineStartsOf(source.text) }, { start, end: start + length });
    return [
      ...found.map((each) => translated(each, { realm, source, checker, spanAt })),
      ...foreignGlobals(source, checker, spanAt),
      ...unknownHosts(source, fn, spanAt),
    ];
  });
}

/** A module beside a handler that holds its default export to what it must be. */
function probePath({ handler }: RealmFunction): string {
  return `${posix.dirname(handler?.path ?? "")}/$probe.ts`;
}

const probe = `import handler from "./handler.ts";
import type { Handler } from "./$types.ts";

export const checked: Handler = handler;
`;

/** What is wrong with the default export, told where it stands. */
function ofProbe(fn: RealmFunction, found: ts.Diagnostic, program: ts.Program): Diagnostic {
  const path = fn.handler?.path ?? "";
  const source = program.getSourceFile(join(top, path));
  const exported = source?.statements.find(
    (statement) =>
      ts.isExportAssignment(statement) ||
      (ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)),
  );
  if (source === undefined || exported === undefined)
    return diagnose("handler-no-default", fileSpan(path), {});
  const start = exported.getStart(source);
  const [line = ""] = source.text.slice(start, exported.getEnd()).split("\n");
  const span = spanOf({ path, lineStarts: lineStartsOf(source.text) }, { start, end: start + line.length });
  const { message, hint } = wordsOf(found);
  return diagnose("handler-type", span, { message }, { hint });
}
