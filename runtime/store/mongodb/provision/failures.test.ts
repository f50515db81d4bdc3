import { expect, test } from "vitest";
import { documentFields, type Field, type FieldTable, field } from "../../../filter/fields.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Store } from "../../contract/store.ts";
import { failureOf, index, shape, written } from "../../testing/suite/fixtures.ts";
import { useFaulty } from "../testing/faulty.ts";
import { describeMongo } from "../testing/server.ts";

/** What the test server never answers: as MongoDB's manual has it. */
describeMongo("provision, when the server fails", () => {
  const faulty = useFaulty();
  const unique = shape("app.people", { indexes: [index("size", ["size"], true)] });

  test("a collection that is sharded has no unique indexes; the error says so", async () => {
    const errmsg = "cannot create unique index over { size: 1 } with shard key pattern { _id: 1 }";
    faulty.proxy.inject("createIndexes", { error: "CannotCreateIndex", errmsg });
    await expect(faulty.store.provision([unique])).rejects.toThrow(
      "a unique index of app.people cannot be made (collections with unique indexes stay unsharded): cannot create",
    );
  });

  test.each(["IndexBuildAlreadyInProgress", "IndexBuildAborted"] as const)(
    "%s: waits for whoever makes it",
    async (error) => {
      const struck = faulty.proxy.inject("createIndexes", { error });
      await faulty.store.provision([unique]);
      expect(struck.struck).toBe(1);
      await faulty.store.collection("app.people").insert(written("a", { size: 1 }));
      expect(
        await failureOf(faulty.store.collection("app.people").insert(written("b", { size: 1 }))),
      ).toMatchObject({ name: "UniqueViolation", index: "size" });
    },
  );

  test("the primary steps down meanwhile: the start may be tried again", async () => {
    faulty.proxy.inject("createIndexes", { error: "InterruptedDueToReplStateChange" });
    expect(await failureOf(faulty.store.provision([unique]))).toMatchObject({ name: "StoreUnavailable" });
    await faulty.store.provision([unique]);
    await faulty.store.collection("app.people").insert(written("a", { size: 1 }));
  });

  test("several collections under way and one fails: the marks are free for the next attempt", async () => {
    const two = shape("app.pets", { indexes: [index("size", ["size"])] });
    faulty.proxy.inject("createIndexes", { error: "CannotCreateIndex", errmsg: "too many indexes" });
    await expect(faulty.store.provision([two, unique])).rejects.toThrow(
      "the indexes of app.pets cannot be made: too many indexes",
    );
    await faulty.store.provision([two, unique]);
  });

  test("indexes that are listed are asked for by their names: they may be in the making still", async () => {
    const [old] = shape("app.people", { indexes: [index("old", ["size"], true)] }).indexes;
    await faulty.store.provision([{ ...unique, indexes: old === undefined ? [] : [old] }]);
    const asked = () =>
      faulty.proxy.sent("createIndexes").map(({ body }) => {
        const indexes: readonly { readonly name: string }[] = Array.isArray(body["indexes"])
          ? body["indexes"]
          : [];
        return indexes.map(({ name }) => name);
      });
    faulty.proxy.commands.length = 0;
    const struck = faulty.proxy.inject("createIndexes", { error: "IndexBuildAlreadyInProgress" });
    await faulty.store.provision([unique]);
    expect(struck.struck).toBe(1);
    const kinds = ["order", "deleted", "purge", "old"];
    const names = kinds.map((kind) => expect.stringMatching(new RegExp(`^svc_${kind}_[0-9a-f]{12}$`)));
    expect(asked()).toEqual([names, names]);
  });

  /** An index over two fields, at both of which older documents hold arrays. */
  const twoFields: FieldTable = { ...documentFields, a: field("a", "string"), b: field("b", "string") };
  const keyOf = (of: Field | undefined) => {
    if (of === undefined) throw new Error("no such field");
    return { field: of, descending: false };
  };
  const both: CollectionShape = {
    name: "app.people",
    fields: twoFields,
    indexes: [{ name: "both", keys: [keyOf(twoFields["a"]), keyOf(twoFields["b"])], unique: false }],
    feed: false,
  };
  const keysMade = () =>
    faulty.proxy
      .sent("createIndexes")
      .flatMap(({ body }) => (Array.isArray(body["indexes"]) ? body["indexes"] : []))
      .filter(({ name }) => String(name).startsWith("svc_both"))
      .map(({ key }) => Object.keys(key));
  const refuseArrays = () =>
    faulty.proxy.inject("insert", {
      error: "CannotIndexParallelArrays",
      errmsg: "cannot index parallel arrays [b] [a]",
    });
  const suffix = ["_meta.created_at", "_id", "_meta.svc.live"];
  const arrays = (id: string) => written(id, { a: ["x"], b: ["y"] });

  const writes: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
    ["insert", (store) => store.collection("app.people").insert(arrays("1"))],
    [
      "transaction",
      (store) => store.transaction((within) => within.collection("app.people").insert(arrays("1"))),
    ],
  ];
  test.each(writes)("%s of arrays under two keys of an index: the index gives way", async (_, write) => {
    await faulty.store.provision([both]);
    const struck = refuseArrays();
    await write(faulty.store);
    expect(struck.struck).toBe(1);
    expect(keysMade()).toEqual([
      ["a", "b", ...suffix],
      ["a", ...suffix],
    ]);
    expect(await faulty.store.collection("app.people").get("1", "live")).toBeDefined();
    await faulty.store.provision([both]);
    expect(keysMade().slice(2)).toEqual([["a", ...suffix]]);
  });

  test("an index over documents with arrays under two of its keys is made over the first", async () => {
    await faulty.store.provision([{ ...both, indexes: [] }]);
    await faulty.store.collection("app.people").insert(arrays("1"));
    await faulty.store.provision([both]);
    expect(keysMade()).toEqual([["a", ...suffix]]);
  });
});
