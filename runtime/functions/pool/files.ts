import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FunctionFiles } from "../invocation.ts";

/** What threads begin with. */
export const entryName = "function-worker.mjs";

/** Those beside the running module, as a bundle has them; undefined: there are none. */
export function bundledFiles(): FunctionFiles | undefined {
  const folder = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(folder, entryName)) ? { folder } : undefined;
}
