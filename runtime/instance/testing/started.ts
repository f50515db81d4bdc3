import type { RealmModule } from "../../realm/exchange.ts";

/** The servers that tests of this process have started, by their addresses, and the realms that they serve. */
export const startedRealms = new Map<string, readonly RealmModule[]>();
