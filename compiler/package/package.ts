/** This package: where it lies and what it says of itself. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "../../runtime/json.ts";

/** The folder of `package.json`. */
export const packageRoot = fileURLToPath(new URL("../..", import.meta.url));

const runtimeSource = join(packageRoot, "runtime", "index.ts");

/** What `realmc/runtime` is: its sources in a checkout, what they were compiled to in the published package. */
export const runtimeModule = existsSync(runtimeSource)
  ? runtimeSource
  : join(packageRoot, "lib", "runtime", "index.js");

/** What `realmc/migrations` is, as {@link runtimeModule}. */
export const migrationsModule = join(
  dirname(runtimeModule),
  "realm",
  runtimeModule.endsWith(".ts") ? "migrate.ts" : "migrate.js",
);

/** What the threads of functions begin with, as {@link runtimeModule}. */
export const workerModule = join(
  dirname(runtimeModule),
  "functions/worker",
  runtimeModule.endsWith(".ts") ? "entry.ts" : "entry.js",
);

/** What a bundle's own package is called. */
export const bundleName = "realmc-server";

export function compilerVersion(): string {
  return versionIn(join(packageRoot, "package.json"));
}

/** Where a package lies that this one depends on. */
export function installedFolder(name: string): string {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const found = folders.find((folder) => existsSync(join(folder, name, "package.json")));
  if (found === undefined) throw new Error(`package ${name} is not installed`);
  return join(found, name);
}

function versionIn(path: string): string {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (isJsonObject(value) && typeof value["version"] === "string") return value["version"];
  throw new Error(`${path} names no version`);
}
