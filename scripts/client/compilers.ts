/** Compiles with TypeScript of several versions, each in its strictest. */
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { ts as TypeScript } from "typescript-5.4";
import { kept } from "../../runtime/kept.ts";
import { strictest } from "../strictest.ts";
import { root } from "../workspace.ts";

/**
 * Packages that hold one TypeScript each, without a `tsc` that would take the place of another's: those under aliases,
 * and the one that ts-morph brings. The newest is the `tsc` of this checkout, which `npm run types` runs on the same files.
 */
export const compilers = ["typescript-5.4", "typescript-5.9", "@ts-morph/common"] as const;

/** What declares `fetch` and its like. */
export type Platform = "browser" | "node";

type Compiler = typeof import("typescript-5.4");

/** The compilers' own declarations, as they were read once for all programs of a worker: by path. */
const declarations = new WeakMap<Compiler["ts"], Map<string, TypeScript.SourceFile>>();

/** What a compiler finds wrong with files of this checkout: `<file>:<line>: <message>`. */
export function problems(
  compiler: (typeof compilers)[number],
  platform: Platform,
  files: readonly string[],
): readonly string[] {
  const typescript = compilerOf(compiler);
  const { ts } = typescript;
  const [major = 0, minor = 0] = ts.version.split(".").map(Number);
  const browser = platform === "browser";
  const { options, errors } = ts.convertCompilerOptionsFromJson(
    {
      ...strictest,
      lib: browser ? ["es2022", "dom", "dom.iterable"] : ["es2022"],
      types: browser ? [] : ["node"],
      module: "esnext",
      moduleResolution: "bundler",
      skipLibCheck: true,
      paths: { "realmc/client": ["./runtime/client/index.ts"] },
      ...(major * 100 + minor >= 508 && { erasableSyntaxOnly: true }),
    },
    root,
  );
  const program = ts.createProgram({
    rootNames: files.map((file) => join(root, file)),
    options,
    host: hostOf(typescript, options),
    configFileParsingDiagnostics: errors,
  });
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => inWords(typescript, diagnostic));
}

export function compilerOf(name: (typeof compilers)[number]): Compiler {
  return createRequire(import.meta.url)(name);
}

/** `<file>:<line>: <message>` */
export function inWords({ ts }: Compiler, { file, start, messageText }: TypeScript.Diagnostic): string {
  const line = file === undefined ? 0 : ts.getLineAndCharacterOfPosition(file, start ?? 0).line + 1;
  return `${file?.fileName.slice(root.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}

/**
 * Where a compiler finds files: its libraries in what it brings along, all else on the disk.
 * @param texts by path, taken before what is on the disk; `undefined` for a file that is not to be there
 */
export function hostOf(
  { ts, getLibFiles, libFolderInMemoryPath }: Compiler,
  options: TypeScript.CompilerOptions,
  texts: ReadonlyMap<string, string | undefined> = new Map(),
): TypeScript.CompilerHost {
  const own = kept(declarations, ts, () => new Map<string, TypeScript.SourceFile>());
  const libraries = new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile, directoryExists } = host;
  const isKnown = (path: string): boolean => texts.has(path) || path.startsWith(libFolderInMemoryPath);
  const known = (path: string): string | undefined =>
    texts.has(path) ? texts.get(path) : libraries.get(basename(path));
  host.getDefaultLibLocation = () => libFolderInMemoryPath;
  host.getDefaultLibFileName = () => `${libFolderInMemoryPath}/lib.d.ts`;
  host.fileExists = (path) => (isKnown(path) ? known(path) !== undefined : fileExists(path));
  host.readFile = (path) => (isKnown(path) ? known(path) : readFile(path));
  const folders = new Set([...texts.keys()].map(dirname));
  host.directoryExists = (path) => folders.has(path) || directoryExists?.(path) !== false;
  host.getSourceFile = (path, target, ...others) => {
    if (!isKnown(path)) return getSourceFile(path, target, ...others);
    const text = known(path);
    if (text === undefined) return undefined;
    if (texts.has(path)) return ts.createSourceFile(path, text, target);
    return kept(own, path, () => ts.createSourceFile(path, text, target));
  };
  return host;
}
