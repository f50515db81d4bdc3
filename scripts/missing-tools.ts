/** Tools of others in packages of their own, installed where tests first want them. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { root } from "./workspace.ts";

const run = promisify(execFile);

/**
 * Installs the packages that a folder's `package.json` names where they are not yet. Resolves to the reason where they cannot be
 * had, such as no network.
 */
export async function missingTools(folder: string): Promise<string | undefined> {
  if (existsSync(join(folder, "node_modules/.package-lock.json"))) return undefined;
  try {
    await run("npm", ["ci", "--prefer-offline", "--fetch-retries=1"], { cwd: folder, timeout: 240_000 });
    return undefined;
  } catch (error) {
    return `npm cannot install ${relative(root, folder)}: ${error instanceof Error ? error.message : error}`;
  }
}
