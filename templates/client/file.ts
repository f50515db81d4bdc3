import type { Realm } from "../../compiler/model/model.ts";
import type { EmittedFile } from "../print/code.ts";
import { formatModule } from "../print/format.ts";
import { clientModule } from "./module.ts";
import { invariantText } from "./parts.ts";

/**
 * `client.ts`: a client of the realm in one file that imports nothing, to be copied to where it is used. No access rule
 * bears on it.
 */
export async function clientFile(realm: Realm): Promise<EmittedFile> {
  const invariant = invariantText(realm);
  const { path, text } = await formatModule(await clientModule(realm, invariant));
  return { path, text: `${text}\n// From here on, the clients of all realms are the same.\n\n${invariant}` };
}
