import fc from "fast-check";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Field, type FieldType, field } from "../../../filter/fields.ts";
import type { JsonObject } from "../../../json.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { written } from "../../testing/suite/fixtures.ts";
import {
  fieldsOf,
  hostileNames,
  olderBody,
  pool,
  schemaWith,
  seed,
  writtenAround,
} from "../../testing/suite/random.ts";
import { type TestEngine, testEngine } from "../testing/engine.ts";
import { describeMongo } from "../testing/server.ts";
import { encoderFor, type Stored } from "../write/codec.ts";
import { fitOf, scanPipeline } from "./scan.ts";

const shapeOf = (fields: readonly Field[]): CollectionShape => ({
  name: "app.people",
  fields: Object.fromEntries(fields.map((each) => [each.path, each])),
  indexes: [],
  feed: false,
});
const one = (types: FieldType | readonly FieldType[], arrays: readonly string[] = [], path = "a") =>
  field(path, types, arrays);

describeMongo("how documents fit declarations", () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await testEngine();
  });
  afterEach(() => documents().deleteMany({}));
  afterAll(() => engine.close());
  const documents = () => engine.database.collection<Stored>("app.people");

  const cases: readonly (readonly [
    what: string,
    before: Field,
    body: JsonObject,
    now: Field,
    regular: boolean,
  ])[] = [
    ["what fits", one("string"), { a: "x" }, one(["string", "integer"]), true],
    ["null and nothing", one("string"), { a: null }, one("integer"), true],
    ["an array where none is", one("string", ["a"]), { a: [] }, one("string"), false],
    ["none where an array is", one("string"), { a: "x" }, one("string", ["a"]), false],
    ["null where an array is", one("string"), { a: null }, one("string", ["a"]), true],
    ["another type", one("integer"), { a: 1 }, one("string"), false],
    [
      "another type in an array",
      one(["string", "integer"], ["a"]),
      { a: ["x", 1] },
      one("string", ["a"]),
      false,
    ],
    ["integers and numbers are one type", one("number"), { a: 1.5 }, one("integer"), true],
    ["a string where dates are", one("string"), { a: "2026-03-01T00:00:00.000Z" }, one("date-time"), false],
    ["a date where strings are", one("date-time"), { a: "2026-03-01T00:00:00.000Z" }, one("string"), false],
    ["a date where one of both may be", one("date"), { a: "2026-03-01" }, one(["date", "string"]), false],
    ["a day where days and instants are", one("date"), { a: "2026-03-01" }, one(["date", "date-time"]), true],
    ["a day where instants are", one("date"), { a: "2026-03-01" }, one("date-time"), false],
    ["an instant where days are", one("date-time"), { a: "2026-03-01T00:00:00.000Z" }, one("date"), false],
    [
      "an array in an array",
      one(["string", "null", "boolean"], ["a"]),
      { a: [["x"]] },
      one("string", ["a"]),
      false,
    ],
    [
      "an array on the way",
      one("string", ["a"], "a.b"),
      { a: [{ b: "x" }] },
      one("string", [], "a.b"),
      false,
    ],
    ["something else on the way", one("string"), { a: "x" }, one("string", [], "a.b"), true],
    ["days in arrays", one("date", ["a"]), { a: ["2026-03-01", "2026-03-02"] }, one("date", ["a"]), true],
    ["an object", one("object"), { a: {} }, one("string"), false],
    [
      "hostile names",
      one("integer", [], "__proto__.0"),
      JSON.parse('{"__proto__":{"0":1}}'),
      one("string", [], "__proto__.0"),
      false,
    ],
  ];
  test.each(cases)("%s", async (_, before, body, now, regular) => {
    const { document } = encoderFor(shapeOf([before]))(written("1", body));
    await documents().insertOne(document);
    const answer = await documents()
      .aggregate(scanPipeline([now]))
      .next();
    expect(fitOf(answer ?? undefined, 0) === "regular").toBe(regular);
  });

  test("agrees with what is found when a document is written", async () => {
    const setting = fc.tuple(schemaWith(hostileNames), pool).chain(([schema, values]) =>
      fc.tuple(
        fc.constant(
          fieldsOf(schema).filter(
            ({ segments }) => !segments.some((each) => each === "" || each.startsWith("$")),
          ),
        ),
        fc.uniqueArray(writtenAround(olderBody(schema, values)), {
          selector: ({ id }) => id,
          minLength: 20,
          maxLength: 20,
        }),
      ),
    );
    const compared: Field[] = [];
    const agrees = async (
      fields: readonly Field[],
      writes: Parameters<ReturnType<typeof encoderFor>>[0][],
    ) => {
      const encode = encoderFor(shapeOf(fields));
      const encoded = writes.filter(({ text }) => !/"(|\$)":/.test(text)).map(encode);
      if (encoded.length === 0 || fields.length === 0) return;
      await documents().deleteMany({});
      await documents().insertMany(encoded.map(({ document }) => document));
      const $group = scanPipeline(fields)[0]?.["$group"];
      for (const answer of await documents()
        .aggregate([{ $group: { ...$group, _id: "$_id" } }])
        .toArray()) {
        const found = fields.filter((_, at) => fitOf(answer, at) !== "regular");
        const written = encoded.find(({ document }) => document._id === answer["_id"]);
        const expected = written?.irregular.filter(({ path }) => !path.startsWith("_meta."));
        compared.push(...found);
        expect(found.map(({ path }) => path).sort()).toEqual(expected?.map(({ path }) => path).sort());
      }
    };
    await fc.assert(
      fc.asyncProperty(setting, ([fields, writes]) => agrees(fields, writes)),
      { seed, numRuns: 40 },
    );
  });
});
