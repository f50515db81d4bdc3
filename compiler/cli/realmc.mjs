#!/usr/bin/env node
// Runs this package: in a checkout its TypeScript, where it is installed what that was compiled to.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const { main } = await import(existsSync(`${root}compiler/cli/main.ts`) ? await ofSources() : published());
process.exitCode = await main(process.argv.slice(2));

function published() {
  // From Node 22 on, modules are compiled once, into the folder that Node keeps for that.
  module.enableCompileCache?.();
  return "../../lib/cli/main.mjs";
}

async function ofSources() {
  const { compiled } = await import("./compiled.mjs");
  // As deep below the root as the sources, which find the package's files from their own place.
  const folder = `${root}node_modules/.realmc`;
  // From Node 22 on, packages are compiled once as well.
  module.enableCompileCache?.(`${folder}/packages`);
  const kept = await compiled({ root, entry: "compiler/cli/main.ts", folder });
  return kept ?? (await uncompiled());
}

/** Where nothing can be kept, sources are compiled while they load. */
async function uncompiled() {
  const { register } = await import("tsx/esm/api");
  register();
  return "./main.ts";
}
