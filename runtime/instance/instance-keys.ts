import type { DataFolder } from "./data.ts";
import { keysIn, makeKeysHint } from "./keys.ts";
import { BadSettings, type Settings } from "./settings.ts";

/**
 * What an instance signs and seals with. Those that share a store read each other's cursors and secrets, so that none makes
 * keys of its own.
 * @throws BadSettings where such a one has none
 */
export function keysOf(
  { keys, store }: Pick<Settings, "keys" | "store">,
  folder: DataFolder,
): readonly Uint8Array[] {
  if (keys !== undefined) return keys;
  if (store.engine === "mongodb") {
    throw new BadSettings([
      `SVC_KEYS is required with MongoDB, the same for every instance; ${makeKeysHint}`,
    ]);
  }
  return keysIn(folder.path);
}
