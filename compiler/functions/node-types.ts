/** The declarations of Node that handlers are checked with: those of what they may use. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { handlerModules } from "../../runtime/functions/handler-module.ts";
import { packageRoot } from "../package/package.ts";

/** Its `index.d.ts`, of the project or beside this package; without it TypeScript says what to install. */
export function nodeTypesFor(root: string): string | undefined {
  for (const from of [join(root, "x"), join(packageRoot, "x")]) {
    for (const folder of createRequire(from).resolve.paths("@types/node") ?? []) {
      const found = join(folder, "@types/node/index.d.ts");
      if (existsSync(found)) return found;
    }
  }
  return undefined;
}

/** Whether it is a file of them, or of the packages that they are made of. */
export function isOfNodeTypes(path: string): boolean {
  return /\/node_modules\/(?:@types\/node|undici-types)\//.test(path);
}

/**
 * `index.d.ts` without the modules that no handler can import, which are half of all that a check would read. Those that
 * declare globals stay. What names a module that is not there stands for anything.
 */
export function neededNodeTypes(index: string): string {
  const folder = dirname(index);
  return readFileSync(index, "utf8").replace(
    /^\/\/\/ <reference path="([^"]+)\.d\.ts" \/>$/gm,
    (line, name: string) => (isNeeded(name, join(folder, `${name}.d.ts`)) ? line : ""),
  );
}

function isNeeded(name: string, path: string): boolean {
  if (handlerModules.includes(name.split(/[./]/)[0] ?? "") || !existsSync(path)) return true;
  const text = readFileSync(path, "utf8");
  return !/^declare module /m.test(text) || /\bglobal \{/.test(text);
}
