import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { Loader, Plugin } from "esbuild";
import type { EmittedFile } from "../emit/code.ts";
import { runtimeModule } from "./package.ts";

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
 * Emitted modules by their paths in the output folder, so that a bundle does not depend on where that lies: those given
 * as they are going to be, others as they are there. Entry points are such paths, too.
 */
export function emittedModules(folder: string, files: readonly EmittedFile[]): Plugin {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const namespace = "generated";
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === "entry-point" ? { path, namespace } : undefined,
      );
      build.onResolve({ filter: /^\.\.?\//, namespace }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path),
        namespace,
      }));
      build.onLoad({ filter: /./, namespace }, async ({ path }) => ({
        contents: texts.get(path) ?? (await readFile(join(folder, path), "utf8")),
        loader: loaderOf(path),
      }));
    },
  };
}

function loaderOf(path: string): Loader {
  if (path.endsWith(".ts")) return "ts";
  return path.endsWith(".json") ? "json" : "js";
}
