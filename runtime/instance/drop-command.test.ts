import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import { readBlob } from "../documents/files/records.ts";
import { realmUsage } from "../documents/files/usage.ts";
import { eq } from "../filter/algebra.ts";
import { field } from "../filter/fields.ts";
import { openStores } from "../store/engines.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { put, some } from "./backup/testing/place.ts";
import { filesModule } from "./testing/fixture-files.ts";
import { startRealm } from "./testing/servers.ts";
import { withStore } from "./testing/stored.ts";
import { commandOf, dataModule, kept } from "./transfer/testing/shop.ts";

let place: ProcessPlace;
beforeEach(() => {
  place = processPlace();
});
afterEach(() => place.discard());

/** With `main/items`, which has indexes, texts and a trash, and `main/notes`; and without the former. */
const whole = () => dataModule(place.realm);
const without = () => {
  const { definition, ...rest } = whole();
  return { ...rest, definition: { ...definition, collections: definition.collections.slice(1) } };
};
const drop = (...words: readonly string[]) =>
  commandOf([without()], ["drop", `${place.realm}/main/items`, "--store", place.setting, ...words]);

const fill = () =>
  withStore(place, whole(), async (store) => {
    await store
      .collection("main.items")
      .load([kept("a", { sku: "A" }), kept("b", { sku: "B" }, { deletedAt: 1 })]);
    await store.collection("main.notes").load([kept("n", { text: "x" })]);
  });

const collectionsThere = async () => {
  const stores = await openStores({
    ...{ location: place.location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 },
  });
  try {
    const reader = await stores.reader(place.realm);
    const all = (await reader?.collections()) ?? [];
    return Object.fromEntries(
      all.filter(({ name }) => name.startsWith("main.")).map((one) => [one.name, one.documents]),
    );
  } finally {
    await stores.close();
  }
};

describe("drop", () => {
  it("without --yes-delete says how many documents there are, deleted ones too, and removes nothing", async () => {
    await fill();
    expect(await drop()).toMatchObject({
      code: 0,
      out: `${place.realm}/main/items: 2 documents; nothing was removed (to remove them, with --yes-delete 2)\n`,
    });
    expect(await drop("--format", "json")).toMatchObject({
      out: `{"collection":"${place.realm}/main/items","documents":2,"dropped":false}\n`,
    });
    expect(await collectionsThere()).toEqual({ "main.items": 2, "main.notes": 1 });
  });

  it("removes nothing where the number is another, and all where it is right", async () => {
    await fill();
    expect(await drop("--yes-delete", "1")).toMatchObject({
      code: 1,
      err: `${place.realm}/main/items has 2 documents, not 1: nothing was removed\n`,
    });
    expect(await drop("--yes-delete", "all")).toMatchObject({ code: 2 });
    expect(await drop("--yes-delete", "2")).toMatchObject({
      code: 0,
      out: `${place.realm}/main/items: 2 documents removed\n`,
    });
    expect(await collectionsThere()).toEqual({ "main.notes": 1 });
    expect(await drop("--yes-delete", "2")).toMatchObject({
      code: 1,
      err: expect.stringContaining("configured no longer: none"),
    });
    // Configured again, it is empty, and its unique index knows nothing of before.
    await withStore(place, whole(), async (store) => {
      const items = store.collection("main.items");
      await items.insert(kept("c", { sku: "A" }));
      const filter = eq(field("sku", "string"), "A");
      expect(await items.count(filter, "all")).toBe(1);
    });
  });

  it("removes nothing that is configured, nor of a realm or collection that there is not", async () => {
    await fill();
    const words = ["--store", place.setting, "--yes-delete", "2"];
    expect(await commandOf([whole()], ["drop", `${place.realm}/main/items`, ...words])).toMatchObject({
      code: 2,
      err: expect.stringContaining("is configured"),
    });
    expect(await commandOf([without()], ["drop", `${place.realm}/main/itemz`, ...words])).toMatchObject({
      code: 1,
      err: expect.stringContaining(`did you mean '${place.realm}/main/items'`),
    });
    for (const wrong of ["nowhere/main/items", "main/items", "a/b/c/d"])
      expect(await commandOf([without()], ["drop", wrong, ...words])).toMatchObject({ code: 2 });
    expect(await collectionsThere()).toEqual({ "main.items": 2, "main.notes": 1 });
  });

  it.runIf(isEmbedded)("removes nothing beside a server", async () => {
    await fill();
    const server = await startRealm(whole(), { settings: { store: place.location }, clock: systemClock });
    try {
      expect(await drop()).toMatchObject({ code: 0 });
      expect(await drop("--yes-delete", "2")).toMatchObject({
        code: 3,
        err: expect.stringContaining("in use by"),
      });
    } finally {
      await server.stop();
    }
  });

  it("lets the files of its documents go", async () => {
    const papers = filesModule(place.realm);
    const data = process.env["TMPDIR"] ?? "/tmp";
    const settings = { store: place.location, ...(isEmbedded ? {} : { data }) };
    const server = await startRealm(papers, { settings, clock: systemClock });
    await put(server, place.realm, { title: "a" }, some(1_000));
    await put(server, place.realm, { title: "b" });
    await server.stop();
    const bare = { ...papers, definition: { ...papers.definition, collections: [] } };
    const words = ["drop", `${place.realm}/main/papers`, "--store", place.setting, "--yes-delete", "2"];
    expect(await commandOf([bare], words)).toMatchObject({
      code: 0,
      out: expect.stringContaining("the files of 1"),
    });
    await withStore(place, papers, async (store) => {
      const [blob] = await store.collection("_svc.blobs").scan(undefined, 2);
      expect(blob && readBlob(blob).record).toMatchObject({ refs: 0, size: 1_000 });
      expect(await realmUsage(store)).toEqual({ bytes: 0, files: 0 });
      expect(await store.collection("_svc.files").scan(undefined, 2)).toEqual([]);
    });
  });
});
