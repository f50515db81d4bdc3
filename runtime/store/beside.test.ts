import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStores, type Stores } from "./engines.ts";
import { type TestPlace, testPlace } from "./testing/stores.ts";
import { DAY, shape, start, written } from "./testing/suite/fixtures.ts";

describe("a reader beside whoever serves the store", () => {
  const clock = { time: start, now: () => clock.time };
  let place: TestPlace;
  let stores: Stores;
  beforeEach(async () => {
    clock.time = start;
    place = testPlace();
    stores = await openStores({ location: place.location, setting: "SVC_STORE", clock, queryTime: 5_000 });
  });
  afterEach(async () => {
    await stores.close();
    await place.discard();
  });

  test("names every collection that was made, with its documents but for those past their end", async () => {
    const store = await stores.open("shop");
    await store.provision([shape("app.people"), shape("app.old"), shape("_svc.users")]);
    await store
      .collection("app.people")
      .load([
        written("a", {}),
        written("b", {}, { deletedAt: start, purgeAt: start + DAY }),
        written("c", {}, { deletedAt: start }),
      ]);
    await store.provision([shape("app.people")]);
    const reader = await stores.reader("shop");
    const named = async () => {
      const all = await reader?.collections();
      return Object.fromEntries(all?.map(({ name, documents }) => [name, documents]) ?? []);
    };
    expect(await named()).toEqual({ "_svc.users": 0, "app.old": 0, "app.people": 3 });
    clock.time += DAY;
    expect(await named()).toMatchObject({ "app.people": 2 });
  });
});
