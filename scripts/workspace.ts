import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs `work` with a folder of its own, removed afterwards. It lies in the checkout, so that a bundle in it finds the
 * native packages.
 */
export async function withWorkspace<T>(work: (folder: string) => Promise<T> | T): Promise<T> {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "realmc-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
