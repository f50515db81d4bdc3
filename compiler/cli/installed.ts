/** Where Node finds the packages that a module imports. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Whether a package is installed in a folder or around it; what `NODE_PATH` names is not for modules. */
export function isInstalled(name: string, folder: string): boolean {
  return upwards(folder).some((parent) => existsSync(join(parent, "node_modules", name, "package.json")));
}

/** A folder and those around it, absolute. */
export function upwards(folder: string): readonly string[] {
  const path = resolve(folder);
  return path === dirname(path) ? [path] : [path, ...upwards(dirname(path))];
}
