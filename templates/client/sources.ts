/** The modules of `realmc/client` as text, which clients are made of. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../compiler/package/package.ts";

export const clientEntry = "runtime/client/index.ts";

/** Where they lie in the published package, which has no other sources; `scripts/package/prepack.ts` puts there what is read here. */
export const publishedSources = "lib/sources";

const folder = existsSync(join(packageRoot, clientEntry)) ? packageRoot : join(packageRoot, publishedSources);

/** @param path from the root of the checkout */
export function clientSource(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}
