/** This package: where it lies and what it says of itself. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../../runtime/json.ts";

/** The folder of `package.json`. */
export const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

/** What `realmc/runtime` is. */
export const runtimeModule = join(packageRoot, "runtime", "index.ts");

/** What a bundle's own package is called. */
export const bundleName = "realmc-server";

export function compilerVersion(): string {
  return versionIn(join(packageRoot, "package.json"));
}

/** The installed version of a package that this one depends on. */
export function installedVersion(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return versionIn(join(folder, name, "package.json"));
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`package ${name} is not installed`);
}

function versionIn(path: string): string {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (isJsonObject(value) && typeof value["version"] === "string") return value["version"];
  throw new Error(`${path} names no version`);
}
