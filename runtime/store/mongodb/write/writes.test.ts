import type { Collection, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { documentFields, field } from "../../../filter/fields.ts";
import { DocumentTooLarge, DuplicateId, UniqueViolation } from "../../contract/errors.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Store } from "../../contract/store.ts";
import { bodyOf, DAY, failureOf, index, start, written } from "../../testing/suite/fixtures.ts";
import { openClient } from "../client.ts";
import { openMongoStore } from "../store.ts";
import { FaultProxy } from "../testing/faults.ts";
import { describeMongo, dropTestDatabases, testClient, testLocation } from "../testing/server.ts";

const fields = { ...documentFields, name: field("name", "string"), due: field("due", ["date", "date-time"]) };
const people: CollectionShape = {
  name: "app.people",
  fields,
  indexes: [index("by_name", ["name"], true)],
  feed: false,
};

describeMongo("Writes", () => {
  const { uri, prefix } = testLocation();
  const clock = { time: start, now: () => clock.time };
  let proxy: FaultProxy;
  let client: MongoClient;
  let store: Store;
  /** As anybody else sees it. */
  let documents: Collection<Document & { readonly _id: string }>;
  const collection = () => store.collection("app.people");

  beforeAll(async () => {
    proxy = await FaultProxy.open(uri);
    client = openClient(proxy.uri, { queryTime: 5_000 });
    store = await openMongoStore({ client, prefix, realm: "test", clock, queryTime: 5_000 });
    await store.provision([people, { ...people, name: "app.places" }]);
    documents = (await testClient()).db(`${prefix}test`).collection("app.people");
  });
  beforeEach(async () => {
    clock.time = start;
    await documents.deleteMany({});
    proxy.commands.length = 0;
  });
  afterAll(async () => {
    await store.close();
    await client.close();
    await proxy.close();
    await dropTestDatabases({ engine: "mongodb", uri, prefix });
  });

  /** Commands that went to the server for the collection. */
  async function commands(work: () => Promise<unknown>): Promise<readonly string[]> {
    proxy.commands.length = 0;
    await work();
    return proxy.commands.flatMap(({ name, body }) => (body[name] === "app.people" ? [name] : []));
  }

  test("each is one command", async () => {
    expect(await commands(() => collection().insert(written("a", { name: "Ada" })))).toEqual(["insert"]);
    const second = written("a", { name: "Eve" }, { version: 2 });
    expect(await commands(() => collection().replace(1, second))).toEqual(["update"]);
    expect(await commands(() => collection().replace(1, second))).toEqual(["update"]);
    expect(await commands(() => collection().remove("a", 2))).toEqual(["delete"]);
    const many = Array.from({ length: 50 }, (_, n) => written(`${n}`, {}));
    expect(await commands(() => collection().load(many))).toEqual(["update"]);
  });

  test("documents lie there as people write them", async () => {
    const at = "2026-03-01T10:00:00.000Z";
    await collection().insert(written("a", { name: "Ada", due: "2026-03-05", other: [{ at }] }));
    const created_at = new Date(start);
    expect(await documents.findOne()).toMatchObject({
      _id: "a",
      name: "Ada",
      due: new Date("2026-03-05"),
      other: [{ at }],
      _meta: { created_at, updated_at: created_at, version: 1, svc: { live: true, days: ["due"] } },
    });
  });

  test("what others wrote there is read, replaced and removed", async () => {
    await documents.insertOne({ _id: "a", name: "Ada", _meta: { svc: { live: true } } });
    await documents.insertOne({ _id: "b", name: "Bob", _meta: { version: 0, svc: { live: true } } });
    expect(await collection().get("a", "live")).toEqual({
      id: "a",
      version: 0,
      text: '{"id":"a","name":"Ada","_meta":{}}',
    });
    for (const id of ["a", "b"]) expect(await collection().replace(0, written(id, { name: id }))).toBe(true);
    expect(await collection().replace(0, written("a", {}))).toBe(false);
    expect(await collection().remove("b")).toBe(true);
  });

  test("only documents past their purgeAt that are in the way are removed for a new one", async () => {
    const past = { purgeAt: start + DAY };
    for (const [id, name] of ["Ada", "Bob", "Eve"].entries())
      await collection().insert(written(`${id}`, { name }, past));
    await collection().insert(written("gone", {}, { deletedAt: start, ...past }));
    clock.time = start + DAY;
    const insert = () => collection().insert(written("gone", { name: "Bob" }));
    expect(await commands(insert)).toEqual(["insert", "find", "delete", "insert"]);
    expect((await documents.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id)).toEqual([
      "0",
      "2",
      "gone",
    ]);
    expect(bodyOf(await collection().get("gone", "live"))["name"]).toBe("Bob");
    expect(await collection().replace(1, written("gone", { name: "Eve" }, { version: 2 }))).toBe(true);
    expect(await documents.countDocuments()).toBe(2);
  });

  test("a clash with what is still there takes nothing away", async () => {
    await collection().insert(written("a", { name: "Ada" }));
    await collection().insert(written("old", { name: "Bob" }, { purgeAt: start + DAY }));
    clock.time = start + DAY;
    const insert = () => failureOf(collection().insert(written("b", { name: "Ada" })));
    expect(await insert()).toBeInstanceOf(UniqueViolation);
    expect(await failureOf(collection().insert(written("a", { name: "Ada" })))).toBeInstanceOf(DuplicateId);
    expect(await documents.countDocuments()).toBe(2);
  });

  test("waits for a transaction that writes the same", async () => {
    let insert: Promise<unknown> = Promise.resolve();
    await store.transaction(async (transaction) => {
      await transaction.collection("app.people").insert(written("a", { name: "first" }));
      const met = proxy.inject("insert", { hold: Promise.resolve() });
      insert = failureOf(collection().insert(written("a", { name: "second" })));
      await met.met;
    });
    expect(await insert).toBeInstanceOf(DuplicateId);
    expect(bodyOf(await collection().get("a", "live"))["name"]).toBe("first");
  });

  test("WriteConflict is tried again", async () => {
    await collection().insert(written("a", {}));
    for (const name of ["insert", "update", "delete"]) proxy.inject(name, { error: "WriteConflict" }, 2);
    await collection().insert(written("b", {}));
    expect(await collection().replace(1, written("a", {}, { version: 2 }))).toBe(true);
    expect(await collection().remove("b", 1)).toBe(true);
    proxy.inject("insert", { error: "WriteConflict" }, Number.POSITIVE_INFINITY);
    expect(await failureOf(collection().insert(written("c", {})))).toMatchObject({
      name: "TransactionConflict",
    });
    await proxy.reset();
  });

  test("a document that MongoDB cannot hold is refused before it is sent", async () => {
    await collection().insert(written("a", {}));
    const large = written("a", { name: "x".repeat(16 * 1024 * 1024) }, { version: 2 });
    // Short as text: each element of an array has its index beside it.
    const numbers = written("b", { list: Array.from({ length: 1_600_000 }, () => 1) });
    expect(
      await commands(async () => {
        expect(await failureOf(collection().insert(large))).toBeInstanceOf(DocumentTooLarge);
        expect(await failureOf(collection().replace(1, large))).toBeInstanceOf(DocumentTooLarge);
        expect(await failureOf(collection().load([numbers]))).toBeInstanceOf(DocumentTooLarge);
      }),
    ).toEqual([]);
    expect(await documents.countDocuments()).toBe(1);
  });

  test("live documents of a permanent collection have no purgeAt", async () => {
    await store.provision([people, { ...people, name: "app.places", permanent: true }]);
    const places = store.collection("app.places");
    expect(await failureOf(places.insert(written("a", {}, { purgeAt: start })))).toBeInstanceOf(Error);
    await places.insert(written("a", {}, { deletedAt: start, purgeAt: start }));
    await places.insert(written("a", {}));
    expect(await places.get("a", "live")).toBeDefined();
  });
});
