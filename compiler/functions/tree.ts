/** Where TypeScript finds the files of a check: handlers and emitted types in one tree, all else on the disk. */
import { dirname, join } from "node:path";
import { getLibFiles, ts } from "@ts-morph/common";
import { kept, Recent } from "../../runtime/kept.ts";
import { runtimeModule } from "../package/package.ts";
import { isAllowed, nodeModule } from "./modules.ts";
import { isOfNodeTypes, neededNodeTypes } from "./node-types.ts";

/** Where the tree lies for TypeScript: nowhere on the disk, so that no tsconfig and no folder around plays a part. */
export const top = "/realm-tree";

export const compilerOptions: ts.CompilerOptions = {
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
  "realmc/migrations": "realm/migrate",
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

export class Tree {
  readonly #root: string;
  readonly #disk = ts.createCompilerHost(compilerOptions);
  readonly #parsed = new Map<string, ts.SourceFile>();
  #files: ReadonlyMap<string, string> = new Map();
  #mistaken: ReadonlySet<string> = new Set();
  /** Some package is written against modules of Node that handlers do without. */
  #whole = false;

  /** @param root the configuration folder, from which packages are found */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * The program of these files, by path; what stayed the same is not looked at again.
   * @param mistaken files whose imports are to be looked for anew
   */
  program(
    files: ReadonlyMap<string, string>,
    rootNames: readonly string[],
    old: ts.Program | undefined,
    mistaken: ReadonlySet<string>,
  ): ts.Program {
    this.#files = files;
    this.#mistaken = mistaken;
    const wasWhole = this.#whole;
    const program = ts.createProgram({
      rootNames: [...rootNames],
      options: compilerOptions,
      host: this.#host(),
      ...(old === undefined ? {} : { oldProgram: old }),
    });
    for (const path of this.#parsed.keys()) if (!files.has(path)) this.#parsed.delete(path);
    this.#whole ||= program.getSourceFiles().some(asksForNode);
    return wasWhole === this.#whole ? program : this.program(files, rootNames, undefined, mistaken);
  }

  #host(): ts.CompilerHost {
    const disk = this.#disk;
    const resolutions = ts.createModuleResolutionCache(top, (name) => name, compilerOptions);
    const lookup = {
      fileExists: (path: string) => this.#exists(path),
      readFile: (path: string) => this.#textAt(path) ?? disk.readFile(path),
      directoryExists: (path: string) => path.startsWith(top) || (disk.directoryExists?.(path) ?? true),
    };
    return {
      ...disk,
      ...lookup,
      getCurrentDirectory: () => top,
      // As `tsc` does: what comments say is of no use to a check.
      jsDocParsingMode: ts.JSDocParsingMode.ParseForTypeErrors,
      getSourceFile: (path, options) => {
        const text = this.#textAt(path);
        if (text !== undefined) return this.#parse(path, text, options);
        const key = this.#whole && isNodeIndex(path) ? `${path} whole` : path;
        return kept(sources, key, () => this.#readSource(path, options));
      },
      getDefaultLibLocation: () => libraryFolder,
      getDefaultLibFileName: () => `${libraryFolder}/lib.es2023.d.ts`,
      hasInvalidatedResolutions: (path) => this.#mistaken.has(path.slice(top.length + 1)),
      resolveModuleNameLiterals: (literals, from, _redirected, options) =>
        literals.map(({ text }) => {
          const own = entryOf(text);
          if (own !== undefined)
            return { resolvedModule: { resolvedFileName: own, extension: extensionOf(own) } };
          const builtin = nodeModule(text);
          if (builtin !== undefined) {
            // Its declarations name themselves; there is nothing to be found by looking.
            if (!isAllowed(builtin) && !isOfNodeTypes(from)) this.#whole = true;
            return { resolvedModule: undefined };
          }
          // Packages are those of the project that the configuration lies in.
          const isBare = !/^\.\.?(?:\/|$)/.test(text);
          const place =
            isBare && from.startsWith(`${top}/`) ? join(this.#root, from.slice(top.length + 1)) : from;
          return ts.resolveModuleName(text, place, options, lookup, resolutions);
        }),
    };
  }

  #textAt(path: string): string | undefined {
    return path.startsWith(`${top}/`) ? this.#files.get(path.slice(top.length + 1)) : undefined;
  }

  #exists(path: string): boolean {
    return path.startsWith(`${top}/`) ? this.#textAt(path) !== undefined : this.#disk.fileExists(path);
  }

  /** The same object for as long as the text is the same: by that TypeScript knows what changed. */
  #parse(path: string, text: string, options: ts.ScriptTarget | ts.CreateSourceFileOptions): ts.SourceFile {
    const place = path.slice(top.length + 1);
    const known = this.#parsed.get(place);
    if (known?.text === text) return known;
    const parsed = ts.createSourceFile(path, text, options);
    this.#parsed.set(place, parsed);
    return parsed;
  }

  #readSource(
    path: string,
    options: ts.ScriptTarget | ts.CreateSourceFileOptions,
  ): ts.SourceFile | undefined {
    if (path.startsWith(`${libraryFolder}/`)) {
      libraries ??= new Map(getLibFiles().map(({ fileName, text }) => [fileName, text]));
      const text = libraries.get(path.slice(libraryFolder.length + 1));
      return text === undefined ? undefined : ts.createSourceFile(path, text, options);
    }
    if (!this.#whole && isNodeIndex(path)) return ts.createSourceFile(path, neededNodeTypes(path), options);
    return this.#disk.getSourceFile(path, options);
  }
}

function isNodeIndex(path: string): boolean {
  return path.endsWith("/node_modules/@types/node/index.d.ts");
}

/** A package that says itself that it is written against all of Node. */
function asksForNode({ fileName, typeReferenceDirectives }: ts.SourceFile): boolean {
  return !isOfNodeTypes(fileName) && typeReferenceDirectives.some(({ fileName: name }) => name === "node");
}

function extensionOf(path: string): ts.Extension {
  return path.endsWith(".d.ts") ? ts.Extension.Dts : ts.Extension.Ts;
}

const libraryFolder = "/node_modules/typescript/lib";

/** The library of the language, which this TypeScript brings in its own module. */
let libraries: ReadonlyMap<string, string> | undefined;
