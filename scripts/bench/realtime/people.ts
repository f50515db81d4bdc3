import { randomBytes } from "node:crypto";
import { systemCollections } from "../../../runtime/auth/collections.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { openStores } from "../../../runtime/store/engines.ts";
import { parseLocation } from "../../../runtime/store/location.ts";
import { compileRealm } from "../../compiled.ts";
import { insertSession, insertUser } from "../../people.ts";
import type { Place } from "../place.ts";
import { startGenerated } from "../servers.ts";

/** Makes so many users in the realm, each with a session; answers their tokens. */
export async function peopleOf(place: Place, bundle: string, count: number): Promise<readonly string[]> {
  // It makes the collections, and is gone before anybody else opens the store.
  const server = await startGenerated(bundle, place, "realtime");
  await server.stop();
  const setting = place.environment("realtime")["SVC_STORE"] ?? "";
  const location = parseLocation(setting);
  if (location === undefined) throw new Error("no store");
  const stores = await openStores({ location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 });
  try {
    const realm = place.nameOf("realtime");
    const store = await stores.open(realm);
    const { definition } = await compileRealm(place.config, realm);
    await store.provision(systemCollections(definition));
    const names = Array.from({ length: count }, (_, at) => `u${at}-${randomBytes(4).toString("hex")}`);
    const tokens: string[] = [];
    for (const name of names) {
      await insertUser(store, systemClock, name);
      tokens.push(await insertSession(store, systemClock, name, name));
    }
    return tokens;
  } finally {
    await stores.close();
  }
}
