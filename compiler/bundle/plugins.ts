import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { OnLoadResult, Plugin } from "esbuild";
import type { EmittedFile } from "../../templates/print/code.ts";
import { type Manifest, manifestPath } from "../output/manifest.ts";
import { runtimeModule } from "../package/package.ts";

/** Emitted code finds `realmc/runtime` in the compiler's own package, wherever it lies. */
export function runtimeOfThisPackage(): Plugin {
  return {
    name: "runtime",
    setup(build) {
      build.onResolve({ filter: /^realmc\/runtime$/ }, () => ({ path: runtimeModule }));
    },
  };
}

/**
 * Emitted modules by their paths in the output folder, so that a bundle does not depend on where that lies: those that
 * `files` gives at the start of a build as they are going to be, others as they are there. Entry points are such paths, too.
 */
export function emittedModules(folder: string, files: () => readonly EmittedFile[]): Plugin {
  let texts: ReadonlyMap<string, string> = new Map();
  const namespace = "generated";
  return {
    name: namespace,
    setup(build) {
      build.onStart(() => {
        texts = new Map(files().map(({ path, text }) => [path, text]));
      });
      build.onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === "entry-point" ? { path, namespace } : undefined,
      );
      build.onResolve({ filter: /^\.\.?\//, namespace }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path),
        namespace,
      }));
      build.onLoad({ filter: /./, namespace }, async ({ path }) =>
        moduleOf(path, texts.get(path) ?? (await readFile(join(folder, path), "utf8"))),
      );
    },
  };
}

function moduleOf(path: string, text: string): OnLoadResult {
  if (path === manifestPath) return { contents: needed(text), loader: "json" };
  if (path.endsWith(".json")) return { contents: parsing(text), loader: "js" };
  return { contents: text, loader: path.endsWith(".ts") ? "ts" : "js" };
}

/** Of the manifest a server needs the fingerprint alone. */
function needed(text: string): string {
  const { fingerprint }: Pick<Manifest, "fingerprint"> = JSON.parse(text);
  return JSON.stringify({ fingerprint });
}

/** Both esbuild and Node take much longer for a large literal than for its JSON text, here without its layout. */
function parsing(text: string): string {
  return `export default JSON.parse(${JSON.stringify(JSON.stringify(JSON.parse(text)))});`;
}
