/** What TypeScript says of a realm's handlers, in one program. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix } from "node:path";
import { getLibFiles, ts } from "@ts-morph/common";
import { kept, Recent } from "../../runtime/kept.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import type { Realm, RealmFunction } from "../model/model.ts";
import { packageRoot, runtimeModule } from "../package/package.ts";
import { lineStartsOf, spanOf } from "../source/source.ts";
import { foreignGlobals } from "./globals.ts";
import { unknownHosts } from "./hosts.ts";
import { messageOf, translated } from "./translated.ts";

/**
 * Handlers under their own paths and emitted types under theirs, as if both lay in one tree.
 * @param emitted the modules that handlers are written against
 * @param root the configuration folder, from which packages are found
 */
export function checkHandlers(
  realm: Realm,
  emitted: readonly EmittedFile[],
  root: string,
): readonly Diagnostic[] {
  const handlers = realm.functions.flatMap(({ handler }) => handler?.files ?? []);
  const own = new Map(handlers.map(({ path, text }) => [path, text]));
  const types = new Map(emitted.map(({ path, text }) => [path, text]));
  const probes = new Map(
    realm.functions.flatMap((fn) => (fn.handler === undefined ? [] : [[probePath(fn), probe]])),
  );
  const tree = new Map([...types, ...own, ...probes]);
  const nodeTypes = nodeTypesFor(root);
  const program = ts.createProgram({
    rootNames: [
      ...(nodeTypes === undefined ? [] : [nodeTypes]),
      ...[...probes.keys()].map((path) => join(top, path)),
    ],
    options: compilerOptions,
    host: hostOf(tree, root),
  });
  const checker = program.getTypeChecker();
  const looked = new Set<string>();
  return realm.functions.flatMap((fn) => {
    if (fn.handler === undefined) return [];
    const files = [probePath(fn), ...fn.handler.files.map(({ path }) => path)];
    return files.flatMap((path) => {
      // What several import is told once.
      if (looked.has(path)) return [];
      looked.add(path);
      const source = program.getSourceFile(join(top, path));
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
  });
}

/** Where the tree lies for TypeScript: nowhere on the disk, so that no tsconfig and no folder around plays a part. */
const top = "/realm-tree";

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
  return diagnose("handler-type", span, { message: messageOf(found) });
}

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  skipLibCheck: true,
  isolatedModules: true,
  allowJs: true,
};

/** What the packages' own entries are to handlers: types of the runtime, and not all of it. */
const entries: Readonly<Record<string, string>> = {
  "realmc/functions": "functions/handler",
  "realmc/client": "client/index",
  // Emitted types of documents take the shapes of `_meta` from it.
  "realmc/runtime": "documents/shape",
};

function entryOf(specifier: string): string | undefined {
  const entry = Object.hasOwn(entries, specifier) ? entries[specifier] : undefined;
  const base = dirname(runtimeModule);
  return entry && join(base, `${entry}${runtimeModule.endsWith(".ts") ? ".ts" : ".d.ts"}`);
}

/** Source files of libraries and packages stay as they are for as long as a process lives. */
const sources = new Recent<string, ts.SourceFile | undefined>(2_000);

function hostOf(tree: ReadonlyMap<string, string>, root: string): ts.CompilerHost {
  const disk = ts.createCompilerHost(compilerOptions, true);
  const inTree = (path: string): string | undefined =>
    path.startsWith(`${top}/`) ? tree.get(path.slice(top.length + 1)) : undefined;
  const exists = (path: string): boolean =>
    path.startsWith(`${top}/`) ? inTree(path) !== undefined : disk.fileExists(path);
  return {
    ...disk,
    getCurrentDirectory: () => top,
    fileExists: exists,
    readFile: (path) => inTree(path) ?? disk.readFile(path),
    getSourceFile(path, options) {
      const text = inTree(path);
      if (text !== undefined) return ts.createSourceFile(path, text, options, true);
      return kept(sources, path, () => libraryFile(path, options) ?? disk.getSourceFile(path, options));
    },
    getDefaultLibLocation: () => libraryFolder,
    getDefaultLibFileName: () => `${libraryFolder}/lib.es2023.d.ts`,
    resolveModuleNameLiterals: (literals, from, _redirected, options) =>
      literals.map(({ text }) => {
        const own = entryOf(text);
        if (own !== undefined)
          return { resolvedModule: { resolvedFileName: own, extension: extensionOf(own) } };
        // Packages are those of the project that the configuration lies in.
        const isBare = !/^\.\.?(?:\/|$)/.test(text);
        const place = isBare && from.startsWith(`${top}/`) ? join(root, from.slice(top.length + 1)) : from;
        return ts.resolveModuleName(text, place, options, {
          fileExists: exists,
          readFile: (path) => inTree(path) ?? disk.readFile(path),
          directoryExists: (path) => path.startsWith(top) || (disk.directoryExists?.(path) ?? true),
        });
      }),
  };
}

function extensionOf(path: string): ts.Extension {
  return path.endsWith(".d.ts") ? ts.Extension.Dts : ts.Extension.Ts;
}

const libraryFolder = "/node_modules/typescript/lib";

let libraries: ReadonlyMap<string, string> | undefined;

/** The library of the language, which this TypeScript brings in its own module. */
function libraryFile(
  path: string,
  options: ts.ScriptTarget | ts.CreateSourceFileOptions,
): ts.SourceFile | undefined {
  if (!path.startsWith(`${libraryFolder}/`)) return undefined;
  libraries ??= new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
  const text = libraries.get(path.slice(libraryFolder.length + 1));
  return text === undefined ? undefined : ts.createSourceFile(path, text, options, true);
}

/** The declarations of Node, of the project or beside this package; without them TypeScript says what to install. */
function nodeTypesFor(root: string): string | undefined {
  for (const from of [join(root, "x"), join(packageRoot, "x")]) {
    for (const folder of createRequire(from).resolve.paths("@types/node") ?? []) {
      const found = join(folder, "@types/node/index.d.ts");
      if (existsSync(found)) return found;
    }
  }
  return undefined;
}
