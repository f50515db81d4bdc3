/** This checkout as the check knows it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../workspace.ts";
import { filesIn } from "./changes.ts";
import type { Tree } from "./graph.ts";

/** How every test is run is also a matter of these. */
const settings = ["package-lock.json", "package.json", "tsconfig.json"];

/**
 * What sources load or read without naming it in their text: by walking through folders, or as the compiler's output, made and
 * loaded at once. A name that ends with a slash stands for all tests in that folder.
 */
const unnamed: Readonly<Record<string, readonly string[]>> = {
  "compiler/rules/testing/emitted.ts": ["runtime/index.ts"],
  "scripts/client/compilers.ts": ["generated", "runtime/client/index.ts"],
  "scripts/compiled.ts": ["runtime/index.ts"],
  "scripts/docs/": ["docs"],
  "scripts/internals/": ["docs"],
  "scripts/package/": settings,
  "scripts/specification/titles.ts": ["compiler", "examples", "runtime", "scripts", "templates"],
  "scripts/testing/": [...settings, ".ci", "biome.json", "vitest.config.ts"],
  "scripts/testing/layers.ts": ["compiler", "runtime", "templates"],
  "scripts/testing/mongodb.test.ts": ["runtime"],
  "scripts/testing/product.test.ts": ["scripts"],
  "templates/testing/typed.ts": ["runtime/index.ts"],
  "vitest.config.ts": settings,
};

/** As `vitest.config.ts` includes them. */
export function testsIn(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => /^(?:compiler|examples|runtime|scripts|templates)\/.*\.test\.ts$/.test(path));
}

export function checkout(): Tree {
  const paths = filesIn(root).filter((path) => existsSync(join(root, path)));
  const tests = testsIn(paths);
  const read = new Map<string, readonly string[]>();
  for (const [name, places] of Object.entries(unnamed))
    for (const path of name.endsWith("/") ? tests.filter((test) => test.startsWith(name)) : [name])
      read.set(path, [...(read.get(path) ?? []), ...places]);
  return {
    paths,
    textOf: (path) => readFileSync(join(root, path), "utf8"),
    aliases: aliases(),
    unnamed: Object.fromEntries(read),
  };
}

/** `realmc/runtime` and the others, as `tsconfig.json` has them. */
function aliases(): Readonly<Record<string, string>> {
  const {
    compilerOptions,
  }: { readonly compilerOptions: { readonly paths: Record<string, readonly string[]> } } = JSON.parse(
    readFileSync(join(root, "tsconfig.json"), "utf8"),
  );
  return Object.fromEntries(
    Object.entries(compilerOptions.paths).map(([name, [path = ""]]) => [name, join(path)]),
  );
}
