import { systemClock } from "../../clock.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import type { Store } from "../../store/contract/store.ts";
import { openStores } from "../../store/engines.ts";
import type { ProcessPlace } from "../../store/testing/stores.ts";
import { realmCollections } from "../realm.ts";

/** Works on the store of a realm, provisioned for it, while no server of this test runs. */
export async function withStore<T>(
  { location }: ProcessPlace,
  { definition }: RealmModule,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const stores = await openStores({ location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 });
  try {
    const store = await stores.open(definition.name);
    await store.provision(realmCollections(definition));
    return await work(store);
  } finally {
    await stores.close();
  }
}
