import { Collection } from "mongodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TRUE } from "../../../filter/algebra.ts";
import type { TextIndex } from "../../../filter/search/text-index.ts";
import { until } from "../../../testing/until.ts";
import { IndexBuilding } from "../../contract/errors.ts";
import { failureOf, idsOf, shape, start, written } from "../../testing/suite/fixtures.ts";
import { declared, everything, noteFields, searching } from "../../testing/suite/notes.ts";
import { MongoCollection } from "../collection.ts";
import type { TextState } from "../engine.ts";
import { analysisIndex, textIndexDefinition } from "../indexes.ts";
import { bookkeeping } from "../layout.ts";
import { provision } from "../provision/provision.ts";
import { type TestEngine, testEngine } from "../testing/engine.ts";
import { describeMongo, endLeases } from "../testing/server.ts";
import { Underway } from "../underway.ts";
import { TextBuild } from "./build.ts";
import type { TextRecord } from "./record.ts";
import { analysisOf } from "./search.ts";

const german = declared(undefined, "de");

/** An index that says which documents it has made stems of. */
function counting(index: TextIndex, then: (calls: number) => void = () => {}) {
  const counted = {
    ...index,
    calls: 0,
    stems: (document: Parameters<TextIndex["stems"]>[0]) => {
      counted.calls += 1;
      then(counted.calls);
      return index.stems(document);
    },
  };
  return counted;
}

describeMongo("Full-text search 7: text indexes on MongoDB", () => {
  const clock = { time: start, now: () => clock.time };
  let engine: TestEngine;
  let texts: TextState[];
  let warnings: string[];
  beforeEach(async () => {
    clock.time = start;
    texts = [];
    warnings = [];
    engine = await testEngine(clock, (error, message) => warnings.push(`${message}: ${error}`));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(texts.map((text) => text.close()));
    await engine.close();
  });

  /** An instance, with `app.notes` searched by the index. */
  async function instance(text: TextIndex | undefined) {
    const on = engine.beside();
    const notes = { ...shape("app.notes"), fields: { ...shape("").fields, ...noteFields } };
    const provisioned = await provision(on, [text === undefined ? notes : { ...notes, text }]);
    const [one] = provisioned.values();
    if (one === undefined) throw new Error("nothing was provisioned");
    texts.push(one.text);
    const collection = new MongoCollection(on, one, new Underway(5_000));
    const count = (value: string, index = text ?? everything) =>
      collection.count(searching(index, value), "all");
    return {
      notes: collection,
      count,
      built: () => until(() => count("anything")),
      text: one.text,
      look: () => (one.text instanceof TextBuild ? one.text.look() : undefined),
    };
  }

  const documents = () => engine.database.collection<{ _id: string }>("app.notes");
  const records = () =>
    engine.database.collection<{ _id: string; text?: TextRecord }>(bookkeeping.collections);
  const record = async () => (await records().findOne({ _id: "app.notes" }))?.text;
  const doneBy = (text: TextIndex) => documents().countDocuments({ "_meta.svc.analysis": analysisOf(text) });
  const indexNames = async () => (await documents().indexes()).map(({ name }) => name);

  async function filled(count: number, text?: TextIndex): Promise<void> {
    const { notes, text: state } = await instance(text);
    const ids = Array.from({ length: count }, (_, n) => `${n}`);
    await notes.load(ids.map((id) => written(id, { title: `running houses ${id}`, body: "Häuser" })));
    await state.close();
  }

  test("an index over documents is made by one instance of several, of each document once", async () => {
    await filled(450);
    const index = counting(everything);
    const [one, other] = await Promise.all([instance(index), instance(index)]);
    expect(await failureOf(one.count("run"))).toBeInstanceOf(IndexBuilding);
    await Promise.all([one.built(), other.built()]);
    expect([await one.count("run"), await other.count("run"), index.calls]).toEqual([450, 450, 450]);
    expect(await record()).toEqual({ analysis: analysisOf(everything), ready: true, seen: expect.any(Date) });
    expect(await indexNames()).toEqual(
      expect.arrayContaining([analysisIndex.name, textIndexDefinition(everything).name]),
    );
  });

  test("goes on where a closed store left it", async () => {
    await filled(450);
    let closed: Promise<void> | undefined;
    const begun = await instance(
      counting(everything, (calls) => {
        if (calls === 150) closed = begun.text.close();
      }),
    );
    await until(() => expect(closed).toBeDefined());
    await closed;
    const left = 450 - (await doneBy(everything));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(450);

    const index = counting(everything);
    const resumed = await instance(index);
    expect(await failureOf(resumed.count("run"))).toBeInstanceOf(IndexBuilding);
    await resumed.built();
    expect([await resumed.count("run"), index.calls]).toEqual([450, left]);
  });

  test("goes on where an instance died, when its lease is over", async () => {
    await filled(450);
    const name = "svc.text.app.notes";
    const leases = engine.database.collection<{ _id: string; holder: string; since: Date; ttl: number }>(
      bookkeeping.leases,
    );
    await leases.insertOne({ _id: name, holder: "who died", since: new Date(), ttl: 60_000 });
    const { look, count, built } = await instance(everything);
    await look();
    expect(await doneBy(everything)).toBe(0);
    expect(await failureOf(count("run"))).toBeInstanceOf(IndexBuilding);
    await endLeases(engine.database);
    await built();
    expect(await count("run")).toBe(450);
  });

  test("what is written meanwhile has stems, and keeps them", async () => {
    await filled(450);
    const { notes, count, built } = await instance(everything);
    const { bulkWrite } = Collection.prototype;
    // Documents have been read, and are about to be given the stems that they had.
    vi.spyOn(Collection.prototype, "bulkWrite").mockImplementationOnce(async function (
      this: Collection,
      ...given
    ) {
      await notes.replace(1, written("0", { title: "changed" }, { version: 2 }));
      await notes.replace(1, written("449", { title: "changed" }, { version: 2 }));
      await notes.remove("1", 1);
      await notes.insert(written("new", { title: "fresh" }));
      return bulkWrite.apply(this, given);
    });
    await built();
    expect(await count("changed")).toBe(2);
    expect(await count("fresh")).toBe(1);
    expect(await count("run")).toBe(447);
  });

  test("another declaration: instances with the one before search no more, and what they write is found", async () => {
    const before = await instance(everything);
    await before.notes.insert(written("a", { title: "running" }));
    expect(await before.count("run")).toBe(1);

    const after = await instance(german);
    await after.built();
    expect(await after.count("running")).toBe(1);
    // They have noticed before anything was changed.
    expect(await failureOf(before.count("run"))).toBeInstanceOf(IndexBuilding);
    await before.look();
    expect(await failureOf(before.count("run"))).toMatchObject({ retryAfter: 5 });

    await before.notes.insert(written("b", { title: "running" }));
    await before.notes.replace(1, written("a", { title: "Häuser" }, { version: 2 }));
    expect(await after.count("running")).toBe(0);
    await after.look();
    expect([await after.count("running"), await after.count("haus")]).toEqual([1, 1]);
  });

  test("the declaration of instances that are gone counts no more", async () => {
    const before = await instance(everything);
    await before.notes.insert(written("a", { title: "running" }));
    const after = await instance(german);
    await after.built();
    await after.text.close();
    await before.look();
    expect(await record()).toMatchObject({ analysis: analysisOf(german) });

    const longAgo = new Date(Date.now() - 121_000);
    await records().updateOne({ _id: "app.notes" }, { $set: { "text.seen": longAgo } });
    expect(await before.look()).toBe(0);
    await before.look();
    await before.built();
    expect(await before.count("run")).toBe(1);
  });

  test("an instance that runs with a declaration keeps it, without a write for every look", async () => {
    const { look } = await instance(everything);
    const longAgo = new Date(Date.now() - 25_000);
    await records().updateOne({ _id: "app.notes" }, { $set: { "text.seen": longAgo } });
    await look();
    const seen = (await record())?.seen;
    expect(seen?.getTime()).toBeGreaterThan(longAgo.getTime());
    await look();
    expect((await record())?.seen).toEqual(seen);
  });

  test("an index that somebody dropped: searches say so until it is there again", async () => {
    const { notes, count, look } = await instance(everything);
    await notes.insert(written("a", { title: "running" }));
    await documents().dropIndex(textIndexDefinition(everything).name);
    const filter = searching(everything, "run");
    const page = { filter, visibility: "live", limit: 1 } as const;
    const searches = [
      () => count("run"),
      () => notes.find({ ...page, order: "relevance", skip: 0 }),
      () => notes.aggregate({ ...page, groupBy: [], metrics: [], order: [] }),
    ];
    for (const search of searches)
      expect(await failureOf(search())).toMatchObject({ name: "IndexBuilding", retryAfter: 30 });
    await look();
    expect(await count("run")).toBe(1);
  });

  test("declared no longer: index and stems go; the documents stay as they are", async () => {
    await filled(250, everything);
    const without = await instance(undefined);
    const texts = await without.notes.find({ filter: TRUE, visibility: "all", limit: 300, skip: 0 });
    const gone = { analysis: null, ready: true };
    await until(async () => expect(await record()).toMatchObject(gone));
    expect(await documents().countDocuments({ "_meta.svc.stems": { $exists: true } })).toBe(0);
    expect(await documents().countDocuments({ "_meta.svc.analysis": { $exists: true } })).toBe(0);
    const names = await indexNames();
    expect(names).not.toContain(analysisIndex.name);
    expect(names).not.toContain(textIndexDefinition(everything).name);
    expect(await without.notes.find({ filter: TRUE, visibility: "all", limit: 300, skip: 0 })).toEqual(texts);
    expect(idsOf(texts)).toHaveLength(250);
  });

  test("a record that is lost, such as by restoring a backup, is made again", async () => {
    const { notes, count, look } = await instance(everything);
    await notes.insert(written("a", { title: "running" }));
    await records().deleteOne({ _id: "app.notes" });
    expect(await look()).toBe(0);
    await look();
    expect(await count("run")).toBe(1);
  });

  test("documents of others, that cannot hold stems, do not hinder the rest", async () => {
    await filled(2);
    await documents().insertOne({ _id: "odd", ...{ title: "running", _meta: "none of ours" } });
    const { count, built } = await instance(everything);
    await built();
    expect(await count("run")).toBe(2);
    expect(warnings[0]).toContain("a document of app.notes cannot be searched: odd: MongoServerError");
  });

  test("a build that fails is told, and tried again", async () => {
    await filled(3);
    await documents().createIndex({ title: "text" }, { name: "by hand" });
    const { count, built } = await instance(everything);
    await until(() => expect(warnings).not.toEqual([]));
    expect(warnings[0]).toContain(
      "the text index of app.notes could not be made; it is tried again: MongoServerError",
    );
    expect(await failureOf(count("run"))).toBeInstanceOf(IndexBuilding);
    expect(await indexNames()).toContain("by hand");
    await documents().dropIndex("by hand");
    await built();
    expect(await count("run")).toBe(3);
  });

  test.each([
    ["by the rate", { left: 2_000, rate: 100 }, 20],
    ["by a guess where there is none", { left: 10_000 }, 5],
    ["a second at least", { left: 0 }, 1],
    ["ten minutes at most", { left: 1_000_000, rate: 3 }, 600],
  ])("how long a search is told to wait: %s", async (_, progress, retryAfter) => {
    await filled(1);
    const holder = { _id: "svc.text.app.notes", holder: "another", since: new Date(), ttl: 60_000 };
    await engine.database.collection<{ _id: string }>(bookkeeping.leases).insertOne(holder);
    const { count, look } = await instance(everything);
    const text = { analysis: analysisOf(everything), ready: false, seen: new Date(), ...progress };
    await records().updateOne({ _id: "app.notes" }, { $set: { text } });
    await look();
    expect(await failureOf(count("run"))).toMatchObject({ name: "IndexBuilding", retryAfter });
  });

  test("long texts, very many words and long words are found", async () => {
    const { notes, count } = await instance(everything);
    const many = Array.from({ length: 60_000 }, (_, n) => `n${n.toString(36)}`).join(" ");
    const syllables = "한".repeat(60);
    const texts = [
      "needle ".repeat(150_000),
      `${many} needle haystack`,
      `${syllables}글`,
      `${syllables}말`,
      "haystack",
    ];
    for (const [at, body] of texts.entries()) await notes.insert(written(`${at}`, { body }));
    const found = async (value: string) =>
      idsOf(
        await notes.find({ filter: searching(everything, value), visibility: "live", limit: 10, skip: 0 }),
      );
    expect(await found("needle")).toEqual(["0", "1"]);
    expect(await found('"needle haystack"')).toEqual(["1"]);
    expect(await found("haystack -n1a")).toEqual(["4"]);
    expect(await found("n1a")).toEqual(["1"]);
    expect(await found(`${syllables}글`)).toEqual(["2"]);
    expect(await count(`"${syllables}말"`)).toBe(1);
    const ranked = await notes.find({
      filter: searching(everything, "haystack"),
      visibility: "live",
      order: "relevance",
      limit: 10,
      skip: 0,
    });
    expect(new Set(idsOf(ranked))).toEqual(new Set(["1", "4"]));
    for (const { score } of ranked) expect(score).toBeGreaterThan(0);
  });
});
