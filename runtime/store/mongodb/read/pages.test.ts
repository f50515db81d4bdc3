import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { and, between, compare, eq, exists, type Filter, isIn, not, TRUE } from "../../../filter/algebra.ts";
import { orderBy, type Position } from "../../../filter/order.ts";
import type { StoredDocument, Visibility } from "../../contract/document.ts";
import type { Find } from "../../contract/query.ts";
import { fields, idsOf, index, shape, start, written } from "../../testing/suite/fixtures.ts";
import type { Provisioned } from "../engine.ts";
import { deletedIndex, indexDefinitions, orderIndex } from "../indexes.ts";
import { provision } from "../provision/provision.ts";
import { type TestEngine, testEngine } from "../testing/engine.ts";
import { describeMongo, mongoUri } from "../testing/server.ts";
import { encoderFor, type Stored } from "../write/codec.ts";
import { countDocuments } from "./count.ts";
import { findDocuments, Lengths, lookupDocuments } from "./pages.ts";

/** What the server is asked, and by which index it would answer. */
describeMongo("queries on MongoDB", () => {
  const client = new MongoClient(mongoUri ?? "mongodb://nowhere", { monitorCommands: true });
  const clock = { now: () => start + 10_000 };
  const people = shape("app.people", {
    indexes: [
      { ...index("name", ["name"]), trash: true },
      index("size", ["-size"]),
      index("place", ["place"], true),
      index("tags", ["tags"]),
    ],
  });
  let engine: TestEngine;
  let provisioned: Provisioned;
  let commands: Document[] = [];

  beforeAll(async () => {
    engine = await testEngine(clock, undefined, client);
    const made = (await provision(engine, [people])).get("app.people");
    if (made === undefined) throw new Error("the collection is not there");
    provisioned = made;
    const encode = encoderFor(people);
    const documents = Array.from({ length: 3000 }, (_, n) => {
      const body = { name: `n${n % 50}`, size: n, place: `p${n}`, tags: [`t${n % 40}`, "all"] };
      return encode(written(`d${n}`, body, { createdAt: start + n })).document;
    });
    await engine.database.collection<Stored>("app.people").insertMany(documents);
    client.on("commandStarted", ({ command, commandName }) => {
      if (["find", "aggregate", "getMore"].includes(commandName)) commands.push(command);
    });
  });
  afterAll(async () => {
    await engine.close();
    await client.close();
  });

  const collection = () => engine.database.collection("app.people");
  const asked = async <T>(
    work: () => Promise<T>,
  ): Promise<{ readonly answer: T; readonly commands: Document[] }> => {
    commands = [];
    return { answer: await work(), commands };
  };
  const find = (query: Partial<Find>) =>
    asked(() =>
      findDocuments(collection(), provisioned, engine, new Lengths(), {
        filter: TRUE,
        visibility: "live",
        limit: 20,
        skip: 0,
        ...query,
      }),
    );
  const count = (filter: Filter, visibility: Visibility, of = provisioned) =>
    asked(() => countDocuments(collection(), of, engine, filter, visibility));
  const lookup = (values: readonly string[], characters?: number) => {
    const wanted = { key: fields.place, values, filter: TRUE, limit: 2000 };
    const bounded = characters === undefined ? wanted : { ...wanted, characters };
    return asked(() => lookupDocuments(collection(), provisioned, engine, new Lengths(), bounded));
  };
  const indexesOf = async (command: Document = {}): Promise<readonly string[]> => {
    const { lsid: _, $clusterTime: __, $db: ___, readConcern: ____, ...plain } = command;
    const explained = await engine.database.command({ explain: plain });
    const names = JSON.stringify(explained["queryPlanner"]).matchAll(
      /"indexName":"(?:svc_)?(.+?)(?:_[0-9a-f]{12})?"/g,
    );
    return Array.from(names, ([, name = ""]) => name);
  };
  const indexOf = async ([command]: readonly Document[]) => (await indexesOf(command))[0] ?? "none";

  describe("are answered by the indexes of live documents", () => {
    test.each<[string, Filter]>([
      ["name", eq(fields.name, "n1")],
      ["name", and(eq(fields.flag, true), eq(fields.name, "n1"))],
      ["name", isIn(fields.name, ["n1", "n2"])],
      ["size", compare("gt", fields.size, 2990)],
      ["tags", eq(fields.tags, "t1")],
    ])("%s", async (name, filter) => {
      const { commands } = await find({ filter });
      expect(commands).toHaveLength(1);
      expect(await indexOf(commands)).toBe(name);
    });

    test("a lookup by the unique one", async () => {
      const { answer, commands } = await lookup(["p1", "p2", "p2", "no"]);
      expect(idsOf(answer).toSorted()).toEqual(["d1", "d2"]);
      expect(await indexOf(commands)).toBe("place");
    });

    test.each<[string, Filter]>([
      ["equal", eq(fields.place, "p7")],
      ["one of some, and more", and(isIn(fields.place, ["p7", "p8"]), eq(fields.flag, true))],
      ["between", between(fields.place, "p7", "p8")],
    ])("a list by a unique one: %s", async (_, filter) => {
      const { commands } = await find({ filter });
      const type = { place: { $type: ["string", "number", "bool", "date"] } };
      expect(commands[0]?.["filter"].$and).toContainEqual(type);
      expect(await indexOf(commands)).toBe("place");
    });

    test("not of documents that may be missing from it", async () => {
      for (const filter of [exists(fields.place), not(eq(fields.place, "p7"))]) {
        const { commands } = await find({ filter });
        expect(JSON.stringify(commands)).not.toContain("$type");
      }
    });

    test("a page after a position by that of the order", async () => {
      const order = orderBy([{ field: fields.size, descending: true }]);
      const after: Position = [5, "d5"];
      const { answer, commands } = await find({ order, after });
      expect(idsOf(answer)).toEqual(["d4", "d3", "d2", "d1", "d0"]);
      expect(await indexOf(commands)).toBe("size");
    });
  });

  test("deleted documents are listed and counted by an index of their own", async () => {
    const encode = encoderFor(people);
    const deletedAt = start + 5_000;
    const deleted = encode(written("gone", { name: "n1" }, { createdAt: start, deletedAt })).document;
    await engine.database.collection<Stored>("app.people").insertOne(deleted);
    const listed = await find({ visibility: "deleted" });
    expect(idsOf(listed.answer)).toEqual(["gone"]);
    // The test server uses indexes for what is asked, not for the order.
    expect(listed.commands[0]).toMatchObject({
      filter: indexDefinitions(people).find(({ name }) => name.startsWith("svc_deleted"))
        ?.partialFilterExpression,
      sort: new Map([
        ["_meta.created_at", 1],
        ["_id", 1],
      ]),
    });
    const counted = await count(TRUE, "deleted");
    expect(counted.answer).toBe(1);
    expect(await indexOf(counted.commands)).toBe("deleted");
  });

  describe("documents of any visibility are asked for as live and as deleted ones, by indexes", () => {
    const isBoth = eq(fields.name, "both");
    const ids = (kind: string) => [5, 4, 3, 2, 1].map((n) => `${kind}${n}`);
    beforeAll(async () => {
      const encode = encoderFor(people);
      const documents = [{ name: "both" }, {}].flatMap((body, kind) =>
        [1, 2, 3, 4, 5].map((n) => {
          const deleted = n > 3 ? { deletedAt: start + 5_000 } : {};
          const write = { createdAt: start + 9_000 - n, ...deleted };
          return encode(written(`${kind === 0 ? "named" : "nameless"}${n}`, body, write)).document;
        }),
      );
      await engine.database.collection<Stored>("app.people").insertMany(documents);
    });
    afterAll(async () => {
      await engine.database.collection("app.people").deleteMany({ name: { $in: ["both", null] } });
    });
    /** Each part says what a partial index says. The test server names one of the indexes that it uses for both. */
    const expectApart = async (commands: readonly Document[]) => {
      expect(commands).toHaveLength(1);
      expect(commands[0]?.["filter"]).toMatchObject({
        $or: [{ "_meta.svc.live": true }, { "_meta.deleted_at": { $type: "date" } }],
      });
      expect(await indexOf(commands)).toMatch(/^name/);
    };

    test("counted", async () => {
      const { answer, commands } = await count(isBoth, "all");
      expect(answer).toBe(5);
      expect(commands).toHaveLength(2);
      const used = await Promise.all(commands.map((command) => indexesOf(command)));
      expect(used.flat().sort()).toEqual(["name", "name_trash"]);
    });

    test("listed, in one order", async () => {
      const { answer, commands } = await find({ filter: isBoth, visibility: "all" });
      expect(idsOf(answer)).toEqual(ids("named"));
      await expectApart(commands);
      const page = await find({ filter: isBoth, visibility: "all", limit: 2, skip: 1 });
      expect(idsOf(page.answer)).toEqual(["named4", "named3"]);
    });

    test("those without a value, after a position", async () => {
      const after: Position = [new Date(start + 8_995).toISOString(), "nameless5"];
      const { answer, commands } = await find({ filter: not(exists(fields.name)), visibility: "all", after });
      expect(idsOf(answer)).toEqual(ids("nameless").slice(1));
      await expectApart(commands);
    });
  });

  test("counts ask for nothing that is not in the index, where documents can be live and past their end in none", async () => {
    const permanent = { ...provisioned, shape: { ...people, permanent: true } };
    const begin = { "_meta.created_at": { $gte: new Date(-8.64e15) } };
    const matched = ({ commands: [sent] }: Awaited<ReturnType<typeof count>>) => sent?.["pipeline"][0].$match;
    const all = await count(TRUE, "live", permanent);
    expect(all.answer).toBe(3000);
    expect(matched(all)).toEqual({ "_meta.svc.live": true, $and: [begin] });
    expect(await indexOf(all.commands)).toBe("order");
    // Entries of an index alone: it has all that is asked for, and the planner has no choice.
    expect(all.commands.map(({ hint }) => hint)).toEqual([orderIndex.name]);
    for (const asked of ["_meta.svc.live", "_meta.created_at"]) expect(orderIndex.key.has(asked)).toBe(true);
    const both = await count(TRUE, "all", permanent);
    expect(both.answer).toBe(3000 + (await count(TRUE, "deleted", permanent)).answer);
    expect(both.commands.map(({ hint }) => hint)).toEqual([orderIndex.name, deletedIndex.name]);
    expect(await Promise.all(both.commands.map((command) => indexesOf(command)))).toEqual([
      ["order"],
      ["deleted"],
    ]);
    const some = await count(eq(fields.name, "n1"), "live", permanent);
    expect(some.answer).toBe(60);
    expect(matched(some)).toEqual({ "_meta.svc.live": true, $and: [{ name: { $eq: "n1" } }] });
    expect(some.commands.map(({ hint }) => hint)).toEqual([undefined]);
  });

  test("a whole collection is counted, too, where somebody has dropped the index", async () => {
    const permanent = { ...provisioned, shape: { ...people, permanent: true } };
    const { name, key, ...options } = orderIndex;
    await collection().dropIndex(name);
    const { answer, commands } = await count(TRUE, "live", permanent);
    expect([answer, commands.map(({ hint }) => hint)]).toEqual([3000, [name, undefined]]);
    await collection().createIndex(key, { ...options, name });
  });

  test("every command has a time limit, and one page takes one command", async () => {
    const sent = [
      await find({}),
      await find({ limit: 500 }),
      await find({ order: orderBy([{ field: fields.tags, descending: true }]) }),
      await count(TRUE, "live"),
    ];
    for (const { commands } of sent) {
      expect(commands).toHaveLength(1);
      expect(commands[0]).toMatchObject({ maxTimeMS: 5000 });
    }
  });

  test("what the server need not answer it is not asked", async () => {
    const nothing: StoredDocument[] = [];
    expect(await find({ limit: 0 })).toEqual({ answer: nothing, commands: [] });
    expect(await lookup([])).toEqual({ answer: nothing, commands: [] });
  });

  test("a lookup stops at the batch in which there is text enough", async () => {
    const values = Array.from({ length: 2000 }, (_, n) => `p${n}`);
    const { answer, commands } = await lookup(values, 10_000);
    expect(commands).toHaveLength(1);
    const texts = answer.map(({ text }) => text.length);
    expect(texts.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(10_000);
    expect(texts.slice(0, -1).reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(10_000);
    expect((await lookup(values)).answer).toHaveLength(2000);
  });
});
