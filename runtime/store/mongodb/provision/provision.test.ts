import { afterEach, beforeEach, expect, test } from "vitest";
import { UniqueIndexViolated } from "../../contract/errors.ts";
import type { CollectionShape, IndexShape } from "../../contract/shape.ts";
import { failureOf, index, shape } from "../../testing/suite/fixtures.ts";
import { indexDefinitions } from "../indexes.ts";
import { bookkeeping } from "../layout.ts";
import { type TestEngine, testEngine } from "../testing/engine.ts";
import { describeMongo } from "../testing/server.ts";
import type { Stored } from "../write/codec.ts";
import { existingCollections, keepsImages } from "./collections.ts";
import { makeIndexed } from "./indexes.ts";
import { provision, upkeepOf } from "./provision.ts";

describeMongo("provision on MongoDB", () => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await testEngine();
  });
  afterEach(() => engine.close());

  const people = (...indexes: readonly IndexShape[]) => shape("app.people", { indexes });
  const documents = () => engine.database.collection<Stored>("app.people");
  /** Without the hashes. */
  const indexNames = async () => {
    const names = (await documents().indexes()).map(({ name = "" }) => name.replace(/_[0-9a-f]{12}$/, ""));
    return names.sort();
  };
  const live = { created_at: new Date(), svc: { live: true } };
  const hasImages = async (name: string) => {
    const found = (await existingCollections(engine)).get(name);
    return found !== undefined && keepsImages(found);
  };

  test("makes what is not there, and nothing twice", async () => {
    const shapes = [people(index("name", ["name"]), index("size", ["-size"], true)), shape("app.pets")];
    await provision(engine, shapes);
    const made = await documents().indexes();
    await provision(engine, shapes);
    expect(await documents().indexes()).toEqual(made);
    expect(await indexNames()).toEqual([
      "_id_",
      "svc_deleted",
      "svc_name",
      "svc_order",
      "svc_purge",
      "svc_size",
    ]);
  });

  test("one command makes a collection with its indexes, and its documents' images are kept from then on", async () => {
    const followed = shape("app.people", { indexes: [index("name", ["name"])], feed: "documents" });
    const made = await makeIndexed(engine, followed);
    expect(made?.wanted).toHaveLength(4);
    expect(await indexNames()).toEqual(["_id_", "svc_deleted", "svc_name", "svc_order", "svc_purge"]);
    expect(await hasImages("app.people")).toBe(true);
  });

  test("where somebody else makes the collection meanwhile, what they did to it is looked at", async () => {
    await documents().insertOne({ _id: "1", _meta: live, name: ["Ann"] });
    expect(await makeIndexed(engine, people(index("name", ["name"])))).toBeUndefined();
  });

  test("indexes of other names are left alone, those that are declared no longer are dropped", async () => {
    await provision(engine, [people(index("name", ["name"]), index("tags", ["tags"]))]);
    await documents().createIndex({ place: 1 }, { name: "by hand" });
    await provision(engine, [people(index("tags", ["tags"]))]);
    expect(await indexNames()).toEqual([
      "_id_",
      "by hand",
      "svc_deleted",
      "svc_order",
      "svc_purge",
      "svc_tags",
    ]);
  });

  test("an index that was made by hand serves as well as ours would", async () => {
    const [order] = indexDefinitions(people());
    await documents().createIndex(order?.key ?? {}, { name: "by hand" });
    await provision(engine, [people()]);
    await provision(engine, [people()]);
    expect(await indexNames()).toEqual(["_id_", "by hand", "svc_deleted", "svc_purge"]);
  });

  test("an index that is renamed stays", async () => {
    await provision(engine, [people(index("old", ["name"], true))]);
    const made = await documents().indexes();
    await provision(engine, [people(index("new", ["name"], true))]);
    await provision(engine, [people(index("new", ["name"], true))]);
    expect(await documents().indexes()).toEqual(made);
  });

  test("images before changes are kept of collections whose documents are recorded", async () => {
    const followed = (feed: CollectionShape["feed"]) => shape("app.people", { feed });
    await provision(engine, [followed("documents"), shape("app.pets", { feed: "ids" })]);
    expect(await hasImages("app.people")).toBe(true);
    expect(await hasImages("app.pets")).toBe(false);
    await provision(engine, [followed(false)]);
    expect(await hasImages("app.people")).toBe(false);
    await provision(engine, [followed("documents")]);
    expect(await hasImages("app.people")).toBe(true);
    await provision(engine, [followed("ids")]);
    expect(await hasImages("app.people")).toBe(false);
  });

  test("collections that are something else are refused", async () => {
    await engine.database.createCollection("app.pets");
    await engine.database.createCollection("app.people", { viewOn: "app.pets", pipeline: [] });
    await expect(provision(engine, [people()])).rejects.toThrow(
      "app.people is a view; it must be an ordinary collection without a collation",
    );
  });

  test("a unique index that is violated: nothing that was there is changed, and the start may be tried again", async () => {
    await provision(engine, [people(index("place", ["place"], true))]);
    await documents().insertMany([
      { _id: "a", name: "Ada", size: 1, _meta: live },
      { _id: "b", name: "Ada", size: 1, _meta: live },
      { _id: "c", name: "Ada", _meta: live },
      { _id: "d", name: "Ada", size: null, _meta: live },
      { _id: "e", name: "Ada", size: 1, _meta: { created_at: new Date() } },
    ]);
    const both = index("both", ["name", "size"], true);
    const failure = await failureOf(provision(engine, [people(both)]));
    expect(failure).toBeInstanceOf(UniqueIndexViolated);
    expect(failure).toMatchObject({ collection: "app.people", index: "both", ids: ["a", "b"] });
    expect(await indexNames()).toContain("svc_place");
    await documents().deleteOne({ _id: "a" });
    await provision(engine, [people(both)]);
    expect(await indexNames()).toEqual(["_id_", "svc_both", "svc_deleted", "svc_order", "svc_purge"]);
  });

  test("where documents hold arrays the elements clash", async () => {
    await provision(engine, [people()]);
    await documents().insertMany([
      { _id: "a", name: ["Ada", "Bob"], _meta: live },
      { _id: "b", name: "Bob", _meta: live },
    ]);
    const failure = await failureOf(provision(engine, [people(index("name", ["name"], true))]));
    expect(failure).toMatchObject({ name: "UniqueIndexViolated", index: "name" });
  });

  test("four instances that start at once, with the same declarations and with others", async () => {
    const shapes = (n: number): CollectionShape[] => [
      people(index("name", ["name"], true), index("size", [n % 2 === 0 ? "size" : "-size"])),
      shape("app.pets", { feed: n === 3 && "documents" }),
    ];
    const instances = [engine, engine.beside(), engine.beside(), engine.beside()];
    await Promise.all(instances.map((instance, n) => provision(instance, shapes(n))));
    expect(await indexNames()).toEqual([
      "_id_",
      "svc_deleted",
      "svc_name",
      "svc_order",
      "svc_purge",
      "svc_size",
      "svc_size",
    ]);
    expect(await hasImages("app.pets")).toBe(true);
    expect(await engine.database.collection(bookkeeping.instances).countDocuments()).toBe(4);
    expect(await engine.database.collection(bookkeeping.leases).countDocuments()).toBe(0);
  });

  test("what another instance declares is dropped when that is gone", async () => {
    const other = engine.beside();
    await provision(other, [shape("app.people", { feed: "documents", indexes: [index("name", ["name"])] })]);
    await provision(engine, [people(index("tags", ["tags"]))]);
    expect(await indexNames()).toEqual([
      "_id_",
      "svc_deleted",
      "svc_name",
      "svc_order",
      "svc_purge",
      "svc_tags",
    ]);
    expect(await hasImages("app.people")).toBe(true);
    await upkeepOf(engine).tick();
    expect(await indexNames()).toContain("svc_name");
    await upkeepOf(other).end();
    await upkeepOf(engine).tick();
    expect(await indexNames()).toEqual(["_id_", "svc_deleted", "svc_order", "svc_purge", "svc_tags"]);
    expect(await hasImages("app.people")).toBe(false);
  });

  test("an instance that starts again with an older configuration drops nothing of the newer one", async () => {
    const older = [people(index("name", ["name"]))];
    const newer = [people(index("name", ["-name"]))];
    await provision(engine.beside(), newer);
    const first = engine.beside();
    await provision(first, older);
    await upkeepOf(first).end();
    await provision(engine, older);
    expect(await indexNames()).toEqual([
      "_id_",
      "svc_deleted",
      "svc_name",
      "svc_name",
      "svc_order",
      "svc_purge",
    ]);
  });

  test("an instance that died is forgotten after a minute", async () => {
    const died = engine.beside();
    await provision(died, [people(index("name", ["name"]))]);
    const instances = engine.database.collection(bookkeeping.instances);
    await instances.updateOne({}, [{ $set: { seen: { $subtract: ["$$NOW", 61_000] } } }]);
    await provision(engine, [people()]);
    expect(await indexNames()).toEqual(["_id_", "svc_deleted", "svc_order", "svc_purge"]);
  });
});
