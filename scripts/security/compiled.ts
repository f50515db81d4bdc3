/** The realms of `config/`, compiled for the tests. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { realmc } from "../workspace.ts";

export const config = fileURLToPath(new URL("config", import.meta.url));

/**
 * The realm `fort`: accounts with everything that they can have, and a collection for each way of being protected. It is
 * compiled within the checkout, where emitted code finds the runtime.
 */
export async function compileFort(): Promise<RealmModule> {
  const folder = mkdtempSync(fileURLToPath(new URL(".compiled-", import.meta.url)));
  try {
    execFileSync(process.execPath, [realmc, "build", config, "--out", folder], { stdio: "pipe" });
    const loaded: { readonly fort: RealmModule } = await import(
      pathToFileURL(join(folder, "fort/realm.ts")).href
    );
    return loaded.fort;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
