/** The realms of `config/`, compiled for the tests. */
import { fileURLToPath } from "node:url";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { compileRealm } from "../compiled.ts";

export const config = fileURLToPath(new URL("config", import.meta.url));

/** The realm `fort`: accounts with everything that they can have, and a collection for each way of being protected. */
export function compileFort(): Promise<RealmModule> {
  return compileRealm(config, "fort");
}
