import { afterEach, describe, expect, it } from "vitest";
import { silent } from "../http/testing.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { item, shopModule } from "./fixture.ts";
import { purgeExpired, startRetention } from "./retention.ts";
import { type HeldClock, type Started, startRealm } from "./testing.ts";

const day = 86_400_000;
const module = shopModule({ softDelete: { retention: day } });

let server: Started<HeldClock>;
afterEach(() => server.stop());

async function trash(count: number, purgeAt: number): Promise<void> {
  const items = server.store("shop").collection("main.items");
  const deletedAt = server.clock.now();
  for (let at = 0; at < count; at += 1) await items.insert(item(`d${at}`, { deletedAt, purgeAt }));
  await items.insert(item("kept", { deletedAt }));
  await items.insert(item("live"));
}

/** Ids that the store still holds, expired ones included: an expired id is free, so only a direct look tells. */
const realm = (): Pick<RealmInstance, "definition" | "store"> => ({
  definition: module.definition,
  store: server.store("shop"),
});

describe("States and transitions: retention elapsed", () => {
  it("removes expired deleted documents, however many, and nothing else", async () => {
    server = await startRealm(module);
    await trash(450, server.clock.now() + day);
    expect(await purgeExpired(realm())).toBe(0);
    server.clock.advance(day + 1);
    expect(await purgeExpired(realm())).toBe(450);
    expect(await purgeExpired(realm())).toBe(0);
    const items = server.store("shop").collection("main.items");
    expect(await items.get("kept", "deleted")).toBeDefined();
    expect(await items.get("live", "live")).toBeDefined();
  });

  it("removes what a retention marked, also when the collection has none any longer", async () => {
    server = await startRealm(shopModule({ softDelete: {} }));
    const definition = shopModule({ softDelete: {} }).definition;
    const store = server.store("shop");
    await store.collection("main.items").insert(item("a", { deletedAt: 1, purgeAt: 2 }));
    await store.collection("main.items").insert(item("b", { deletedAt: 1 }));
    expect(await purgeExpired({ definition, store })).toBe(1);
    expect(await store.collection("main.items").get("b", "deleted")).toBeDefined();
  });

  it("sweeps at start, then whenever its minute comes, and survives a failing store", async () => {
    server = await startRealm(module);
    await trash(1, server.clock.now() + day);
    let minute: () => void = () => undefined;
    const removed: unknown[] = [];
    const failed: unknown[] = [];
    let failing = false;
    const store = server.store("shop");
    const watched = {
      ...realm(),
      store: {
        ...store,
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
    server.clock.advance(day + 1);
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
