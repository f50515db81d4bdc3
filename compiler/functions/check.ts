/** What TypeScript says of a realm's handlers, in one program. */
import { join, posix } from "node:path";
import { ts } from "@ts-morph/common";
import type { EmittedFile } from "../../templates/print/code.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import type { Handler, HandlerFile, Realm, RealmFunction } from "../model/model.ts";
import { lineStartsOf, spanOf } from "../source/source.ts";
import { foreignGlobals } from "./globals.ts";
import { unknownHosts } from "./hosts.ts";
import { computedImports } from "./imports.ts";
import { nodeTypesFor } from "./node-types.ts";
import { translated } from "./translated.ts";
import { Tree, top } from "./tree.ts";
import { wordsOf } from "./words.ts";

/** A module of a realm that is checked, with what it imports. */
export interface Subject {
  /** Of one kind the same is looked for. */
  readonly kind: "handler" | "migration";
  /** Tells it from others of its realm. */
  readonly name: string;
  readonly code: Handler;
  /** A module beside it that holds its default export to what it must be. */
  readonly probe: { readonly path: string; readonly text: string };
  /** What TypeScript does not say of one of its files. */
  readonly look: (
    source: ts.SourceFile,
    checker: ts.TypeChecker,
    spanAt: (start: number, length: number) => Span,
  ) => readonly Diagnostic[];
  /** What is said where there is no default export. */
  readonly noDefault: Diagnostic;
}

/** A function whose handler is there. */
export function handlerSubjects(fn: RealmFunction): readonly Subject[] {
  const { handler, database, name } = fn;
  if (handler === undefined) return [];
  return [
    {
      kind: "handler",
      name: `${database}/${name}`,
      code: handler,
      probe: { path: `${posix.dirname(handler.path)}/$probe.ts`, text: probe },
      look: (source, checker, spanAt) => [
        ...foreignGlobals(source, checker, spanAt),
        ...computedImports(source, spanAt),
        ...unknownHosts(source, fn, spanAt),
      ],
      noDefault: diagnose("handler-no-default", fileSpan(handler.path), {}),
    },
  ];
}

/** What a realm's code is checked against. */
export interface Surroundings {
  readonly realm: Realm;
  readonly subjects: readonly Subject[];
  /** The modules that it is written against. */
  readonly emitted: readonly EmittedFile[];
  /** Equal for equal realms, apart from the texts of their handlers. */
  readonly key: string;
}

/** The checks of one realm's code: who asks again is told anew of what changed alone, and of what had mistakes. */
export class HandlerChecks {
  readonly #root: string;
  readonly #tree: Tree;
  #program: ts.Program | undefined;
  /** What has no mistakes, by its name, and of what that was said. */
  #sound: ReadonlyMap<string, string> = new Map();
  #mistaken: ReadonlySet<string> = new Set();

  /** @param root the configuration folder, from which packages are found */
  constructor(root: string) {
    this.#root = root;
    this.#tree = new Tree(root);
  }

  /** Code under its own paths and emitted types under theirs, as if both lay in one tree. */
  check({ realm, subjects, emitted, key }: Surroundings): readonly Diagnostic[] {
    const around = `${key} ${JSON.stringify(filesForAll(subjects))}`;
    const keyed = new Map(subjects.map(({ name, code }) => [name, `${around} ${JSON.stringify(code)}`]));
    if (subjects.every(({ name }) => this.#sound.get(name) === keyed.get(name))) return [];
    const program = this.#programOf(subjects, emitted);
    const looked = new Set<string>();
    const sound = new Map<string, string>();
    const mistaken = new Set<string>();
    const diagnostics = subjects.flatMap((each) => {
      const own = keyed.get(each.name) ?? "";
      const paths = filesOf(each);
      const found = this.#sound.get(each.name) === own ? [] : told(program, each, realm, looked);
      for (const path of paths) looked.add(path).add(`${each.kind} ${path}`);
      if (found.length > 0) for (const path of paths) mistaken.add(path);
      else if (!paths.some((path) => mistaken.has(path))) sound.set(each.name, own);
      return found;
    });
    this.#sound = sound;
    this.#mistaken = mistaken;
    return diagnostics;
  }

  #programOf(subjects: readonly Subject[], emitted: readonly EmittedFile[]): ts.Program {
    const nodeTypes = nodeTypesFor(this.#root);
    const files = new Map([
      ...emitted.map(({ path, text }) => [path, text] as const),
      ...subjects.flatMap(({ code }) => code.files.map(({ path, text }) => [path, text] as const)),
      ...subjects.map(({ probe }) => [probe.path, probe.text] as const),
    ]);
    const roots = subjects.map(({ probe }) => join(top, probe.path));
    this.#program = this.#tree.program(
      files,
      [...(nodeTypes === undefined ? [] : [nodeTypes]), ...roots],
      this.#program,
      this.#mistaken,
    );
    return this.#program;
  }
}

/** Files that may declare what all others see. */
function filesForAll(subjects: readonly Subject[]): readonly HandlerFile[] {
  return subjects
    .flatMap(({ code }) => code.files)
    .filter(({ text }) => /\bdeclare\b/.test(text) || !/^\s*(?:import|export)\b/m.test(text));
}

function filesOf({ probe, code }: Subject): readonly string[] {
  return [probe.path, ...code.files.map(({ path }) => path)];
}

/** @param looked files that TypeScript has told of, and with their kind others: what several import is told once */
function told(
  program: ts.Program,
  subject: Subject,
  realm: Realm,
  looked: ReadonlySet<string>,
): readonly Diagnostic[] {
  const checker = program.getTypeChecker();
  return filesOf(subject).flatMap((path) => {
    const isLooked = looked.has(`${subject.kind} ${path}`);
    const source = isLooked ? undefined : program.getSourceFile(join(top, path));
    if (source === undefined || path.endsWith(".json")) return [];
    const found = looked.has(path)
      ? []
      : [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    if (path === subject.probe.path) return found.slice(0, 1).map((each) => ofProbe(subject, each, program));
    const spanAt = (start: number, length: number): Span =>
      spanOf({ path, lineStarts: lineStartsOf(source.text) }, { start, end: start + length });
    return [
      ...found.map((each) => translated(each, { realm, source, checker, spanAt })),
      ...subject.look(source, checker, spanAt),
    ];
  });
}

const probe = `import handler from "./handler.ts";
import type { Handler } from "./$types.ts";

export const checked: Handler = handler;
`;

/** What is wrong with the default export, told where it stands. */
function ofProbe(
  { code: { path }, noDefault }: Subject,
  found: ts.Diagnostic,
  program: ts.Program,
): Diagnostic {
  const source = program.getSourceFile(join(top, path));
  const exported = source?.statements.find(
    (statement) =>
      ts.isExportAssignment(statement) ||
      (ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)),
  );
  if (source === undefined || exported === undefined) return noDefault;
  const start = exported.getStart(source);
  const [line = ""] = source.text.slice(start, exported.getEnd()).split("\n");
  const span = spanOf({ path, lineStarts: lineStartsOf(source.text) }, { start, end: start + line.length });
  const { message, hint } = wordsOf(found);
  return diagnose("handler-type", span, { message }, { hint });
}
