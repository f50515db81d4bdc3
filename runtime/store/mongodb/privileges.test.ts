import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eq, TRUE } from "../../filter/algebra.ts";
import { until } from "../../testing/until.ts";
import { fields, index, shape, written } from "../testing/suite/fixtures.ts";
import { declared, searching } from "../testing/suite/notes.ts";
import { useFaulty } from "./testing/faulty.ts";
import { describeMongo } from "./testing/server.ts";

/** The action that a user needs for each command that is sent to a realm's database (manual: Privilege Actions). */
const actions: Readonly<Record<string, readonly string[]>> = {
  aggregate: ["find"],
  collMod: ["collMod"],
  count: ["find"],
  createIndexes: ["createIndex"],
  delete: ["remove"],
  dropIndexes: ["dropIndex"],
  find: ["find"],
  findAndModify: ["find", "update", "insert"],
  insert: ["insert"],
  listCollections: ["listCollections"],
  listIndexes: ["listIndexes"],
  update: ["update", "insert"],
  // Nothing is needed for these (the last is asked where it is allowed), nor for the end of one's own cursors and transactions.
  ...Object.fromEntries(
    ["getMore", "killCursors", "hello", "ping", "getParameter"].map((name) => [name, []]),
  ),
  ...Object.fromEntries(["abortTransaction", "commitTransaction", "endSessions"].map((name) => [name, []])),
};

/** What docs/mongodb.md tells operators to grant. */
function documented(): readonly string[] {
  const page = readFileSync(new URL("../../../docs/mongodb.md", import.meta.url), "utf8");
  const block = /```json\n(\{\n {2}"createRole"[\s\S]*?)```/.exec(page)?.[1] ?? "{}";
  return JSON.parse(block).privileges[0].actions;
}

describeMongo("least privileges", () => {
  const faulty = useFaulty();

  test("those of the documentation are the ones that the commands need", async () => {
    const { store, proxy } = faulty;
    const text = declared();
    const people = {
      ...shape("app.people", { indexes: [index("name", ["name"])], feed: "documents" }),
      text,
    };
    await store.provision([people, shape("app.pets")]);
    await store.provision([{ ...people, indexes: [], feed: false }]);
    await store.provision([people]);
    const collection = store.collection("app.people");
    const stop = store.feed.onCommit(() => {});
    const from = await store.feed.head();
    await collection.insert(written("a", { name: "x", title: "red" }));
    await collection.load([written("b", { name: "y" }), written("c", { name: 1 })]);
    await collection.replace(1, written("a", { name: "x", title: "red" }, { version: 2 }));
    await store.transaction(async (transaction) => {
      await transaction.collection("app.people").get("b", "all");
      await transaction.collection("app.people").remove("b");
    });
    await collection.find({ filter: eq(fields.name, "x"), visibility: "live", limit: 1, skip: 0 });
    await collection.count(TRUE, "live");
    await until(() => collection.count(searching(text, "red"), "live"));
    await collection.lookup({ key: fields.name, values: ["x"], filter: TRUE, limit: 1 });
    const all = { filter: TRUE, visibility: "live", groupBy: [], order: [], limit: 1 } as const;
    await collection.aggregate({ ...all, metrics: [{ op: "count" }] });
    await collection.scan(undefined, 10);
    await collection.removeExpired(10);
    await (await store.lease("test", 1_000))?.release();
    await store.feed.read(from, 10);
    await store.health();
    stop();

    const sent = new Set(proxy.commands.map(({ name }) => name));
    expect([...sent].filter((name) => actions[name] === undefined)).toEqual([]);
    const needed = new Set([...sent].flatMap((name) => actions[name] ?? []));
    // `aggregate` on a whole database with $changeStream.
    expect([...needed, "changeStream"].sort()).toEqual([...documented()].sort());
  });
});
