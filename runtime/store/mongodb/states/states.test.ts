import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  documentFields,
  type Field,
  type FieldTable,
  type FieldType,
  field,
} from "../../../filter/fields.ts";
import type { JsonObject } from "../../../json.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { written } from "../../testing/suite/fixtures.ts";
import { bookkeeping } from "../layout.ts";
import { provision, upkeepOf } from "../provision/provision.ts";
import { type TestEngine, testEngine } from "../testing/engine.ts";
import { describeMongo } from "../testing/server.ts";
import { encoderFor, type Stored } from "../write/codec.ts";

const name = "app.people";
const shapeOf = (fields: FieldTable): CollectionShape => ({ name, fields, indexes: [], feed: false });
const one = (types: FieldType | readonly FieldType[], arrays: readonly string[] = [], path = "a") =>
  field(path, types, arrays);

describeMongo("irregular fields on MongoDB", () => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await testEngine();
  });
  afterEach(() => engine.close());

  const documents = (of = engine) => of.database.collection<Stored>(name);
  const opened = async (of: TestEngine, ...fields: readonly Field[]) => {
    const shape = shapeOf(Object.fromEntries(fields.map((each) => [each.path, each])));
    const provisioned = (await provision(of, [shape])).get(name);
    if (provisioned === undefined) throw new Error("not provisioned");
    return provisioned.regularity;
  };
  /** As an instance stores it that declares these fields. */
  const stored = async (fields: readonly Field[], ...bodies: readonly JsonObject[]) => {
    const encode = encoderFor(shapeOf(Object.fromEntries(fields.map((each) => [each.path, each]))));
    for (const body of bodies)
      await documents().insertOne(encode(written(`${Math.random()}`, body)).document);
  };

  const letNotesAge = async () => {
    const states = engine.database.collection(bookkeeping.collections);
    await states.updateOne({}, [{ $set: { notedAt: { $subtract: ["$$NOW", 70_000] } } }]);
  };

  test("a new collection is regular; fields that nobody declared, or that are asked for otherwise, are not", async () => {
    const a = one("string");
    const regularity = await opened(engine, a);
    expect(regularity.isRegular(a)).toBe(true);
    expect(regularity.isRegular(one("string"))).toBe(true);
    expect(regularity.isRegular(one("integer"))).toBe(false);
    expect(regularity.isRegular(one("string", [], "b"))).toBe(false);
    for (const own of Object.values(documentFields)) expect(regularity.isRegular(own)).toBe(true);
  });

  test("documents are not looked at again where nothing changed; they are where something did", async () => {
    const a = one("string");
    await opened(engine, a);
    // By hand: nobody noted it.
    await documents().insertOne({ _id: "1", a: 1 });
    expect((await opened(engine, a)).isRegular(a)).toBe(true);
    expect((await opened(engine, a, one("string", [], "b"))).isRegular(a)).toBe(true);
    const nullable = one(["string", "null"]);
    expect((await opened(engine, nullable)).isRegular(nullable)).toBe(true);
    const other = one(["string", "boolean"]);
    expect((await opened(engine, other)).isRegular(other)).toBe(false);
  });

  test("irregular fields are regular again when the documents are gone", async () => {
    await opened(engine, one("integer"));
    await stored([one("integer")], { a: 1 });
    const a = one("string");
    const before = await opened(engine, a);
    expect(before.isRegular(a)).toBe(false);
    await documents().deleteMany({});
    expect((await opened(engine, a)).isRegular(a)).toBe(true);
  });

  test("collections that are there but not known are looked at", async () => {
    await stored([one("integer")], { a: 1 });
    const a = one("string");
    expect((await opened(engine, a)).isRegular(a)).toBe(false);
  });

  test("a collection that was dropped by hand is new", async () => {
    const a = one("string");
    await (await opened(engine, a)).note([a]);
    await letNotesAge();
    await documents().drop();
    const again = await opened(engine, a);
    await upkeepOf(engine).tick();
    expect(again.isRegular(a)).toBe(true);
  });

  describe("note", () => {
    test("is durable, and known to other instances at their next look", async () => {
      const a = one("string");
      const beside = engine.beside();
      const [mine, theirs] = [await opened(engine, a), await opened(beside, a)];
      await mine.note([a]);
      expect(mine.isRegular(a)).toBe(false);
      expect(theirs.isRegular(a)).toBe(true);
      await upkeepOf(beside).tick();
      expect(theirs.isRegular(a)).toBe(false);
    });

    test("counts for a minute also where no such document is there yet", async () => {
      const a = one("string");
      await (await opened(engine, a)).note([a]);
      const soon = await opened(engine, a);
      expect(soon.isRegular(a)).toBe(false);
      await letNotesAge();
      await upkeepOf(engine).tick();
      expect(soon.isRegular(a)).toBe(true);
    });
  });

  describe("instances that declare a field otherwise", () => {
    const older = one("integer");
    const newer = one("string");

    test("nobody relies on its declaration while both run; whoever is left looks at the documents", async () => {
      const beside = engine.beside();
      const before = await opened(beside, older);
      expect(before.isRegular(older)).toBe(true);
      const now = await opened(engine, newer);
      expect(now.isRegular(newer)).toBe(false);
      await upkeepOf(beside).tick();
      expect(before.isRegular(older)).toBe(false);
      // Regular by its own declaration: it notes nothing.
      await stored([older], { a: 1 });
      await upkeepOf(beside).end();
      await upkeepOf(engine).tick();
      expect(now.isRegular(newer)).toBe(false);
      expect((await opened(engine, newer)).isRegular(newer)).toBe(false);
    });

    test("regular again when the other is gone, and no document is otherwise", async () => {
      const beside = engine.beside();
      await opened(beside, older);
      const now = await opened(engine, newer);
      await upkeepOf(engine).tick();
      expect(now.isRegular(newer)).toBe(false);
      await upkeepOf(beside).end();
      await upkeepOf(engine).tick();
      expect(now.isRegular(newer)).toBe(true);
      const third = engine.beside();
      expect((await opened(third, newer)).isRegular(newer)).toBe(true);
    });

    test("a third one, of the newer configuration, does not believe what was looked at meanwhile", async () => {
      await opened(engine.beside(), older);
      await opened(engine, newer);
      await stored([older], { a: 1 });
      expect((await opened(engine.beside(), newer)).isRegular(newer)).toBe(false);
    });

    test("an older one that starts again contests it anew", async () => {
      const now = await opened(engine, newer);
      expect(now.isRegular(newer)).toBe(true);
      const again = await opened(engine.beside(), older);
      expect(again.isRegular(older)).toBe(false);
      await upkeepOf(engine).tick();
      expect(now.isRegular(newer)).toBe(false);
    });

    test("fields that they declare alike are left alone", async () => {
      const same = one("string", [], "b");
      const beside = await opened(engine.beside(), older, same);
      const now = await opened(engine, newer, same);
      expect([beside.isRegular(same), now.isRegular(same)]).toEqual([true, true]);
    });
  });
});
