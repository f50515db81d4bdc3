/** Code of a realm as what runs it loads: each a file of its own, with what it imports in it. */
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type BuildOptions, build, type Message, type Plugin } from "esbuild";
import { exportedBy, moduleFoot, moduleHead } from "../../runtime/functions/handler-module.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { fileSpan } from "../diagnostics/span.ts";
import type { Handler, RealmFunction } from "../model/model.ts";
import { migrationsModule } from "../package/package.ts";
import { allowedInWords, isAllowed, nodeModule } from "./modules.ts";
import { isTypes } from "./read-handler.ts";

export interface BundledHandler {
  /** The script or module and, of handlers, its source map; none where something is wrong. */
  readonly files: readonly EmittedFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** Real paths of the files of packages in it. */
  readonly packages: readonly string[];
}

/** Code of a realm that becomes one file. */
export interface Bundling {
  readonly code: Handler;
  /** Where the file goes. */
  readonly outfile: string;
  /** A script that a thread of functions calls with its own `require`, or a module that the server itself imports. */
  readonly form: Form;
  /** Beside those of the form. */
  readonly options?: BuildOptions;
}

type Form = "confined" | "module";

export function bundlingOf({ handler, realm, database, name }: RealmFunction): readonly Bundling[] {
  const outfile = `functions/${realm}/${database}/${name}.cjs`;
  return handler === undefined ? [] : [{ code: handler, outfile, form: "confined" }];
}

/** @param root the configuration folder, from which packages are found */
export async function bundleCode(
  { code: handler, outfile, form, options: own }: Bundling,
  root: string,
): Promise<BundledHandler> {
  const problems: Problem[] = [];
  const options = {
    ...sharedOptions,
    ...(form === "confined" && confinedOptions),
    ...own,
    write: false,
    metafile: true,
    entryPoints: [handler.path],
    outfile,
    plugins: [handlerModules(handler, form, root, problems)],
  } satisfies BuildOptions;
  try {
    const made = await build(options);
    if (problems.length > 0) return refused(problems.map((problem) => told(problem, handler)));
    return {
      files: made.outputFiles.map((file) => emitted(file.path, file.text, outfile)),
      diagnostics: [],
      packages: Object.keys(made.metafile.inputs)
        .filter((path) => !ownNamespace.test(path))
        .map((path) => resolve(own?.absWorkingDir ?? "", path)),
    };
  } catch (error) {
    const messages = messagesOf(error);
    return refused(
      problems.length > 0
        ? problems.map((problem) => told(problem, handler))
        : messages.map((message) => asDiagnostic(message, handler)),
    );
  }
}

function refused(diagnostics: readonly Diagnostic[]): BundledHandler {
  return { files: [], diagnostics, packages: [] };
}

const sharedOptions = {
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "linked",
  sourcesContent: false,
  metafile: true,
  define: { "process.env.NODE_ENV": '"production"' },
  tsconfigRaw: {},
  logLevel: "silent",
} satisfies BuildOptions;

/** What a thread calls with its own `require`: nothing in it reaches the loader of Node. */
const confinedOptions = {
  supported: { "dynamic-import": false, "import-meta": false },
  banner: { js: moduleHead },
  footer: { js: moduleFoot },
} satisfies BuildOptions;

/** A module of Node that a package wants. */
interface Problem {
  readonly module: string;
  /** The folder of the package below the last `node_modules`. */
  readonly from: string;
}

const namespace = "realm";
const ownNamespace = /^(?:realm|types|package|node|entry):/;

/** The realm's files as the model has them, packages from where the realm lies. */
function handlerModules(
  { path: entry, files }: Handler,
  form: Form,
  root: string,
  problems: Problem[],
): Plugin {
  const isConfined = form === "confined";
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    name: "handler",
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, importer, namespace: from, kind }) => {
        if (kind === "entry-point") return { path: entry, namespace: isConfined ? "entry" : namespace };
        if (from === "entry") return { path: entry, namespace };
        if (from === "node") return { path, external: true };
        const builtin = nodeModule(path);
        if (builtin !== undefined) {
          if (!isAllowed(builtin)) problems.push({ module: path, from: importer });
          return isConfined
            ? { path: builtin, namespace: "node" }
            : { path: `node:${builtin}`, external: true };
        }
        if (path === "realmc/migrations") return { path, namespace: "package" };
        if (from !== namespace) return undefined;
        if (isTypes(path)) return { path, namespace: "types" };
        const target = byPath.get(importer)?.imports[path];
        return target === undefined ? undefined : { path: target, namespace };
      });
      build.onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: byPath.get(path)?.text ?? "",
        loader: path.endsWith(".json") ? "json" : /\.[cm]?js$/.test(path) ? "js" : "ts",
        resolveDir: dirname(join(root, path)),
      }));
      // Under its name, so that what is made of it does not tell where it lies.
      build.onLoad({ filter: /./, namespace: "package" }, async () => ({
        contents: await readFile(migrationsModule, "utf8"),
        loader: migrationsModule.endsWith(".ts") ? "ts" : "js",
      }));
      build.onLoad({ filter: /./, namespace: "entry" }, () => ({
        contents: `import * as handler from "handler"; ${exportedBy}(handler.default);`,
      }));
      build.onLoad({ filter: /./, namespace: "node" }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(`node:${path}`)});`,
      }));
      build.onLoad({ filter: /./, namespace: "types" }, () => ({ contents: "", loader: "ts" }));
    },
  };
}

function told({ module, from }: Problem, { path, files }: Handler): Diagnostic {
  const own = files.some((file) => file.path === from);
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(from)?.[1];
  const words = own || name === undefined ? module : `${module}, which the package ${name} imports`;
  return diagnose("handler-node-module", fileSpan(own ? from : path), {
    module: words,
    allowed: allowedInWords,
  });
}

function messagesOf(error: unknown): readonly Message[] {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) throw error;
  return error.errors;
}

function asDiagnostic({ text, location }: Message, { path }: Handler): Diagnostic {
  const file = location?.file.replace(/^realm:/, "") ?? path;
  const span =
    location === null || !file.startsWith(path.split("/")[0] ?? "")
      ? fileSpan(path)
      : {
          file,
          line: location.line,
          column: location.column + 1,
          endLine: location.line,
          endColumn: location.column + 1 + location.length,
        };
  return diagnose("handler-bundle", span, { problem: text });
}

/** Names of sources are those of the configuration folder, so that stack traces name `…/handler.ts:3`. */
function emitted(path: string, text: string, outfile: string): EmittedFile {
  if (!path.endsWith(".map")) return { path: outfile, text };
  const map: unknown = JSON.parse(text);
  const { sources, ...rest }: JsonObject = isJsonObject(map) ? map : {};
  const named = Array.isArray(sources)
    ? sources.map((each) => String(each).replace(/^(?:\.\.\/)*realm:/, ""))
    : [];
  return { path: `${outfile}.map`, text: JSON.stringify({ ...rest, sources: named }) };
}
