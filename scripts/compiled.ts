/** Realms of the tests' own, compiled for them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { renderText } from "../compiler/diagnostics/render.ts";
import { hasErrors } from "../compiler/diagnostics/sort.ts";
import { analyse, emitRealm } from "../compiler/pipeline.ts";
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
    await emitTo(folder, config, name);
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

/** By the stages themselves: what no release serves yet is compiled, too. */
async function emitTo(folder: string, config: string, name: string): Promise<void> {
  const { realms, diagnostics } = await analyse(config, { only: name });
  if (hasErrors(diagnostics))
    throw new Error(`${config} does not compile:\n${renderText(diagnostics, { terminal: false })}`);
  for (const realm of realms)
    for (const { path, text } of (await emitRealm(realm)).files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
}
