import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compiled } from "../compiler/cli/compiled.mjs";
import { root } from "./workspace.ts";

/**
 * A program of the checkout's sources, compiled once for all tests that run it in processes of its own: these start in a
 * third of the time that compiling while loading takes.
 * @param entry path below the root
 * @returns what to give to Node
 */
export async function programOf(entry: string): Promise<string> {
  const folder = join(root, "node_modules/.realmc", entry.replace(/\W/g, "-"));
  const url = await compiled({ root, entry, folder });
  if (url === undefined) throw new Error(`${folder} cannot be written`);
  return fileURLToPath(url);
}
