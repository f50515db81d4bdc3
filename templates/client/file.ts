import type { Realm } from "../../compiler/model/model.ts";
import type { EmittedFile } from "../print/code.ts";
import { formatModule } from "../print/format.ts";
import { clientModule } from "./module.ts";

/** How a client is emitted. */
export interface ClientForm {
  /** In one file that imports nothing, to be copied to where it is used; else it is made of `realmc/client`. */
  readonly standalone?: boolean | undefined;
}

/**
 * `client.ts`: a client of the realm. No access rule bears on it.
 * @param codes that the realm may answer
 */
export async function clientFile(
  realm: Realm,
  codes: readonly string[],
  { standalone }: ClientForm = {},
): Promise<EmittedFile> {
  const file = formatModule(await clientModule(realm, codes));
  // It takes a parser, which nothing else of the client does.
  return standalone ? (await import("./standalone.ts")).standalone(file) : file;
}
