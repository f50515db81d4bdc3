import { afterEach, describe, expect, it } from "vitest";
import { silent } from "../http/testing/server.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { realmCollections } from "./realm.ts";
import { purgeExpired, startRetention } from "./retention.ts";
import { item, shopModule } from "./testing/fixture.ts";
import { type HeldClock, heldClock } from "./testing/servers.ts";

const day = 86_400_000;
const module = shopModule({ softDelete: { retention: day } });

let clock: HeldClock;
let store: Store;
afterEach(() => store.close());

async function trash(count: number, purgeAt: number): Promise<void> {
  const items = store.collection("main.items");
  const deletedAt = clock.now();
  for (let at = 0; at < count; at += 1) await items.insert(item(`d${at}`, { deletedAt, purgeAt }));
  await items.insert(item("kept", { deletedAt }));
  await items.insert(item("live"));
}

/** Ids that the store still holds, expired ones included: an expired id is free, so only a direct look tells. */
const realm = (): Pick<RealmInstance, "definition" | "store" | "clock"> => ({
  definition: module.definition,
  store,
  clock,
});

/** A store of the realm, which no server sweeps. */
async function start({ definition } = module): Promise<void> {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
}

describe("States and transitions: retention elapsed", () => {
  it("removes expired deleted documents, however many, and nothing else", async () => {
    await start();
    await trash(450, clock.now() + day);
    expect(await purgeExpired(realm())).toBe(0);
    clock.advance(day + 1);
    expect(await purgeExpired(realm())).toBe(450);
    expect(await purgeExpired(realm())).toBe(0);
    const items = store.collection("main.items");
    expect(await items.get("kept", "deleted")).toBeDefined();
    expect(await items.get("live", "live")).toBeDefined();
  });

  it("removes what a retention marked, also when the collection has none any longer", async () => {
    await start(shopModule({ softDelete: {} }));
    const definition = shopModule({ softDelete: {} }).definition;
    await store.collection("main.items").insert(item("a", { deletedAt: 1, purgeAt: 2 }));
    await store.collection("main.items").insert(item("b", { deletedAt: 1 }));
    expect(await purgeExpired({ definition, store, clock })).toBe(1);
    expect(await store.collection("main.items").get("b", "deleted")).toBeDefined();
  });

  it("leaves a realm to whoever is at it", async () => {
    await start();
    await trash(1, clock.now() + day);
    clock.advance(day + 1);
    const other = await store.lease("retention", 60_000);
    expect(await purgeExpired(realm())).toBeUndefined();
    await other?.release();
    expect(await purgeExpired(realm())).toBe(1);
  });

  it("renews its lease in a long sweep, and ends when it is lost", async () => {
    await start();
    await trash(1_000, clock.now() + day);
    clock.advance(day + 1);
    let renewals = 0;
    const lease = {
      name: "retention",
      token: "a",
      renew: async () => {
        renewals += 1;
        return renewals < 2;
      },
      release: async () => undefined,
    };
    const slow = {
      ...store,
      lease: async () => lease,
      collection(name: string) {
        const collection = store.collection(name);
        return Object.assign(Object.create(collection), {
          removeExpired(limit: number) {
            clock.advance(20_000);
            return collection.removeExpired(limit);
          },
        });
      },
    };
    // Renewed before the third and the fifth write: 400 documents, then 800, and no more.
    expect(await purgeExpired({ ...realm(), store: slow })).toBe(800);
    expect(renewals).toBe(2);
  });

  it("sweeps at start, then whenever its minute comes, and survives a failing store", async () => {
    await start();
    await trash(1, clock.now() + day);
    let minute: () => void = () => undefined;
    const removed: unknown[] = [];
    const failed: unknown[] = [];
    let failing = false;
    const watched = {
      ...realm(),
      store: {
        ...store,
        lease: store.lease.bind(store),
        collection(name: string) {
          if (failing) throw new Error("unreachable");
          return store.collection(name);
        },
      },
    };
    const log = {
      ...silent,
      info: (fields: object) => removed.push(fields),
      error: (fields: object) => failed.push(fields),
    };
    const periods: number[] = [];
    const repeat = (milliseconds: number, work: () => void) => {
      periods.push(milliseconds);
      minute = work;
      return () => undefined;
    };
    clock.advance(day + 1);
    const instance = Object.assign(Object.create(null), watched);
    const job = startRetention([instance], log, repeat);
    await job.stop();
    expect(removed).toEqual([{ realm: "shop", removed: 1 }]);
    expect(periods).toEqual([60_000]);
    failing = true;
    const again = startRetention([instance], log, repeat);
    minute();
    await again.stop();
    expect(failed).toMatchObject([{ realm: "shop" }]);
  });
});
