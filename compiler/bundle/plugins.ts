import { dirname, resolve } from "node:path";
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

/** Emitted files as they are going to be, whether they are on the disk yet or not. */
export function emittedFiles(folder: string, files: readonly EmittedFile[]): Plugin {
  const texts = new Map(files.map(({ path, text }) => [resolve(folder, path), text]));
  return {
    name: "emitted",
    setup(build) {
      build.onResolve({ filter: /^\.{0,2}\// }, ({ path, importer, resolveDir }) => {
        const target = resolve(importer === "" ? resolveDir : dirname(importer), path);
        return texts.has(target) ? { path: target } : undefined;
      });
      build.onLoad({ filter: /\.(?:ts|js|json)$/ }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined
          ? undefined
          : { contents, loader: loaderOf(path), resolveDir: dirname(path) };
      });
    },
  };
}

function loaderOf(path: string): Loader {
  if (path.endsWith(".ts")) return "ts";
  return path.endsWith(".json") ? "json" : "js";
}
