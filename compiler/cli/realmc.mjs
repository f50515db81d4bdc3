#!/usr/bin/env node
// Runs the TypeScript of this package.
import module from "node:module";
import { fileURLToPath } from "node:url";
import { compiled } from "./compiled.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
// As deep below the root as the sources, which find the package's files from their own place.
const folder = `${root}node_modules/.realmc`;
// From Node 22 on, packages are compiled once as well.
module.enableCompileCache?.(`${folder}/packages`);

const { main } = await import(
  (await compiled({ root, entry: "compiler/cli/main.ts", folder })) ?? (await uncompiled())
);
process.exitCode = await main(process.argv.slice(2));

/** Where nothing can be kept, sources are compiled while they load. */
async function uncompiled() {
  const { register } = await import("tsx/esm/api");
  register();
  return "./main.ts";
}
