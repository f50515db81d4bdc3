import type { Access } from "../documents/access.ts";
import { identityOf } from "../realm/caller.ts";

/** Who goes on with an upload must be who began it; null in realms with `auth: disabled`. */
export function uploaderOf({ caller }: Access): string | null {
  return caller === undefined ? null : (identityOf(caller) ?? caller.actor);
}
