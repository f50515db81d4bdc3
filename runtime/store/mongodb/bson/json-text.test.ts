import fc from "fast-check";
import { Binary, BSON, type Document, Long, ObjectId } from "mongodb";
import { describe, expect, test } from "vitest";
import { storedDocument, writtenDocument } from "./json-text.ts";

const textOf = (document: Document) => storedDocument(BSON.serialize(document)).text;

/** What members of a document may be called, and hold. */
const names = fc.oneof(
  fc.string({ unit: "binary" }).map((name) => name.replaceAll("\0", "").replaceAll("$", "")),
  fc.constantFrom(
    "__proto__",
    "0",
    "10",
    "",
    "é😀",
    "it's",
    "constructor",
    "_meta",
    "svc",
    "days",
    "_id",
    'a"b\\',
  ),
);
const strings = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));
const numbers = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, 1e300, 1e21, 1e-7, 5e-324, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 123456.789),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    numbers,
    strings,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 4 }).map(objectOf),
  ),
}));

/** As JSON makes one: names have no meaning. */
function objectOf(members: readonly (readonly [string, unknown])[]): object {
  return JSON.parse(
    `{${members.map((member) => member.map((part) => JSON.stringify(part)).join(":")).join()}}`,
  );
}

describe("text from BSON", () => {
  test("is what JSON.stringify makes of any document", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, value), { maxLength: 6 }), fc.string(), (members, id) => {
        const { id: _, _id, _meta, ...own } = Object.assign(objectOf(members), { id, _id: id, _meta: 1 });
        const rest = JSON.stringify(own).slice(1);
        const expected = `{"id":${JSON.stringify(id)}${rest === "}" ? "" : ","}${rest}`;
        expect(textOf({ _id: id, ...own })).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("keeps the order of members, _id first", () => {
    const document = { z: 1, a: { y: 2, b: 3 }, _id: "x", m: [] };
    expect(textOf(document)).toBe('{"id":"x","z":1,"a":{"y":2,"b":3},"m":[]}');
  });

  test("escapes as JSON.stringify does, strings longer than any buffer too", () => {
    const controls = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)).join("");
    for (const text of [controls, "é", "\u2028\u2029\u0080\uffff", "😀".repeat(100_000), '"'.repeat(300_001)])
      expect(textOf({ _id: "x", text })).toBe(JSON.stringify({ id: "x", text }));
    expect(textOf({ _id: 'é"😀', a: "x" })).toBe(JSON.stringify({ id: 'é"😀', a: "x" }));
  });

  test("of a view into larger memory", () => {
    const bytes = BSON.serialize({ _id: "x", a: 1.5 });
    const around = new Uint8Array(bytes.length + 7).fill(0xff);
    around.set(bytes, 3);
    expect(storedDocument(around.subarray(3, 3 + bytes.length)).text).toBe('{"id":"x","a":1.5}');
  });
});

describe("dates", () => {
  test("are instants with milliseconds", () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (at) => {
        expect(textOf({ _id: "x", at })).toBe(JSON.stringify({ id: "x", at }));
      }),
    );
    for (const at of [0, -1, 1, 86_399_999, 86_400_000, -86_400_001, 253_402_300_799_999])
      expect(textOf({ _id: "x", at: new Date(at) })).toBe(JSON.stringify({ id: "x", at: new Date(at) }));
  });

  test("are days where `days` names them", () => {
    const day = new Date("2026-03-01T00:00:00.000Z");
    const document = {
      _id: "x",
      due: day,
      from: day,
      lines: [{ due: day }, { due: day, to: day }, day],
      a: { due: day, "0": day },
      _meta: { created_at: day, svc: { days: ["due", "lines.1.due", "lines.2", "a.0"] } },
    };
    const instant = "2026-03-01T00:00:00.000Z";
    expect(JSON.parse(textOf(document))).toEqual({
      id: "x",
      due: "2026-03-01",
      from: instant,
      lines: [{ due: instant }, { due: "2026-03-01", to: instant }, "2026-03-01"],
      a: { due: instant, "0": "2026-03-01" },
      _meta: { created_at: instant },
    });
  });

  test("beyond those of JavaScript are Extended JSON", () => {
    const bytes = BSON.serialize({ _id: "x", at: Long.fromString("8640000000000001") });
    // The type of `at`, after `_id`.
    bytes[bytes.indexOf(0x12, 4)] = 9;
    expect(storedDocument(bytes).text).toBe('{"id":"x","at":{"$date":{"$numberLong":"8640000000000001"}}}');
  });
});

describe("what stands beside the text", () => {
  const at = new Date("2026-03-01T10:00:00.000Z");

  test("id, version and score; nothing of the engine's is shown", () => {
    const _meta = {
      created_at: at,
      svc: { live: true, score: 1.25, stems: { w1: " a " } },
      version: 3,
      x: 1,
    };
    expect(storedDocument(BSON.serialize({ _id: "x", _meta }))).toEqual({
      id: "x",
      version: 3,
      score: 1.25,
      text: `{"id":"x","_meta":{"created_at":"${at.toISOString()}","version":3,"x":1}}`,
    });
    expect(storedDocument(BSON.serialize({ _id: "x" }))).toEqual({ id: "x", version: 0, text: '{"id":"x"}' });
  });

  test("what was written, of a text with `_meta` and of one without", () => {
    const times = { created_at: at, deleted_at: new Date(5), purge_at: new Date(7) };
    const written = { id: "x", createdAt: at.getTime(), deletedAt: 5, purgeAt: 7, version: 2 };
    const shown = { created_at: at, deleted_at: new Date(5), purge_at: new Date(7), version: 2 };
    expect(
      writtenDocument(BSON.serialize({ _id: "x", _meta: { ...times, version: 2, svc: {} } }), {}),
    ).toEqual({
      ...written,
      text: JSON.stringify({ id: "x", _meta: shown }),
    });
    const bare = { ...times, version: Long.fromNumber(2), svc: { bare: true } };
    expect(writtenDocument(BSON.serialize({ _id: "x", a: 1, _meta: bare }), {})).toEqual({
      ...written,
      text: '{"id":"x","a":1}',
    });
  });

  test("an `id` and a `_meta` of others do no harm", () => {
    expect(storedDocument(BSON.serialize({ _id: "x", id: "y", _meta: "z" }))).toEqual({
      id: "x",
      version: 0,
      text: '{"id":"x","_meta":"z"}',
    });
  });
});

describe("what others wrote", () => {
  test("types that JSON does not know are Extended JSON", () => {
    const oid = new ObjectId("0123456789abcdef01234567");
    const others = {
      oid,
      decimal: BSON.Decimal128.fromString("1.50"),
      binary: new Binary(Buffer.from("hi")),
      uuid: new BSON.UUID("0123456789abcdef0123456789abcdef"),
      pattern: /a"b/i,
      stamp: new BSON.Timestamp({ t: 1, i: 2 }),
      least: new BSON.MinKey(),
      most: new BSON.MaxKey(),
      code: new BSON.Code("x()"),
      scoped: new BSON.Code("x()", { x: 1 }),
      symbol: new BSON.BSONSymbol("s"),
      nan: Number.NaN,
      infinite: Number.NEGATIVE_INFINITY,
      after: 1,
    };
    const relaxed = BSON.EJSON.stringify(others, { relaxed: true });
    expect(JSON.parse(textOf({ _id: "x", ...others }))).toEqual({ id: "x", ...JSON.parse(relaxed) });
  });

  test("whole numbers are numbers, to the last digit", () => {
    const numbers = {
      long: Long.fromString("9007199254740993"),
      least: Long.MIN_VALUE,
      double: new BSON.Double(3),
    };
    expect(textOf({ _id: "x", ...numbers, zero: -0 })).toBe(
      '{"id":"x","long":9007199254740993,"least":-9223372036854775808,"double":3,"zero":-0}',
    );
  });

  test("ids of other types are shown as text", () => {
    const idOf = (_id: unknown) => storedDocument(BSON.serialize({ _id }));
    expect(idOf(new ObjectId("0123456789abcdef01234567"))).toMatchObject({
      id: "0123456789abcdef01234567",
      text: '{"id":"0123456789abcdef01234567"}',
    });
    expect(idOf(7)).toMatchObject({ id: "7", text: '{"id":"7"}' });
    expect(idOf({ a: 1 })).toMatchObject({ id: '{"a":1}' });
    expect(JSON.parse(idOf({ a: 1 }).text)).toEqual({ id: '{"a":1}' });
  });

  test("bytes that are no UTF-8 are replaced", () => {
    const bytes = BSON.serialize({ _id: "x", a: "abc" });
    bytes[bytes.indexOf(0x62)] = 0xff;
    expect(JSON.parse(storedDocument(bytes).text)).toEqual({ id: "x", a: "a\ufffdc" });
  });
});
