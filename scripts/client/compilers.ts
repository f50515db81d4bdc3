/** Compiles with TypeScript of several versions, each in its strictest. */
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import type { ts as TypeScript } from "typescript-5.4";
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

/** The compilers' own declarations, as they were read once for all programs of a worker: by compiler and path. */
const declarations = new Map<string, TypeScript.SourceFile>();

/** What a compiler finds wrong with files of this checkout: `<file>:<line>: <message>`. */
export function problems(
  compiler: (typeof compilers)[number],
  platform: Platform,
  files: readonly string[],
): readonly string[] {
  const require = createRequire(import.meta.url);
  const { ts, getLibFiles, libFolderInMemoryPath }: Compiler = require(compiler);
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
      ...(major * 100 + minor >= 508 && { erasableSyntaxOnly: true }),
    },
    root,
  );
  const libraries = new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const libraryAt = (path: string): string | undefined =>
    path.startsWith(libFolderInMemoryPath) ? libraries.get(basename(path)) : undefined;
  host.getDefaultLibLocation = () => libFolderInMemoryPath;
  host.getDefaultLibFileName = () => `${libFolderInMemoryPath}/lib.d.ts`;
  host.fileExists = (path) => libraryAt(path) !== undefined || fileExists(path);
  host.readFile = (path) => libraryAt(path) ?? readFile(path);
  host.getSourceFile = (path, target, ...others) => {
    const text = libraryAt(path);
    if (text === undefined) return getSourceFile(path, target, ...others);
    const key = `${compiler} ${path}`;
    const file = declarations.get(key) ?? ts.createSourceFile(path, text, target);
    declarations.set(key, file);
    return file;
  };
  const program = ts.createProgram({
    rootNames: files.map((file) => join(root, file)),
    options,
    host,
    configFileParsingDiagnostics: errors,
  });
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file === undefined ? 0 : ts.getLineAndCharacterOfPosition(file, start ?? 0).line + 1;
    return `${file?.fileName.slice(root.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
