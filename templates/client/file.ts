import type { Realm } from "../../compiler/model/model.ts";
import type { EmittedFile } from "../print/code.ts";
import { formatModule } from "../print/format.ts";
import { clientModule } from "./module.ts";

/** `client.ts`: a client of the realm, made of `realmc/client`. No access rule bears on it. */
export async function clientFile(realm: Realm): Promise<EmittedFile> {
  return formatModule(await clientModule(realm));
}
