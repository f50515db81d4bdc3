/** Realms of the tests' own, compiled for them. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { commandsIn } from "../compiler/cli/testing/commands.ts";
import type { RealmModule } from "../runtime/realm/exchange.ts";

/** What test files of this worker have asked for, by folder and name. */
const known = new Map<string, Promise<RealmModule>>();

/**
 * A realm of a configuration folder, compiled once for all test files of a worker.
 * @throws Error where the folder has no such realm
 */
export function compileRealm(config: string, name: string): Promise<RealmModule> {
  const key = join(config, name);
  const realm = known.get(key) ?? compile(config, name);
  known.set(key, realm);
  return realm;
}

/** Within the checkout, where emitted code finds the runtime. */
async function compile(config: string, name: string): Promise<RealmModule> {
  const folder = mkdtempSync(fileURLToPath(new URL(".compiled-", import.meta.url)));
  try {
    const { status, stderr } = await commandsIn(folder)("build", config, "--out", folder);
    if (status !== 0) throw new Error(`${config} does not compile:\n${stderr}`);
    const loaded: Readonly<Record<string, RealmModule>> = await import(
      pathToFileURL(join(folder, name, "realm.ts")).href
    );
    // The only thing that it exports; names of code have no hyphens.
    const [realm] = Object.values(loaded);
    if (realm === undefined) throw new Error(`${config} has no realm ${name}`);
    return realm;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
