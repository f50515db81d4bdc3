import { createHash } from "node:crypto";
import type { Realm } from "./model.ts";

/** Equal for equal realms, whatever their handlers are: of those nothing is emitted. SHA-256, hex. */
export function identityWithoutHandlers(realm: Realm): string {
  const functions = realm.functions.map(({ handler: _, ...fn }) => fn);
  return createHash("sha256")
    .update(JSON.stringify({ ...realm, functions, inputs: [] }))
    .digest("hex");
}
