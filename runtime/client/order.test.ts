import fc from "fast-check";
import { expect, it } from "vitest";
import { type FieldType, field } from "../filter/fields.ts";
import { compareDocuments, orderBy } from "../filter/order.ts";
import type { JsonObject } from "../json.ts";
import { runs } from "../testing/random.ts";
import { type OrderKinds, orderOf } from "./order.ts";

const types: Readonly<Record<string, FieldType | readonly FieldType[]>> = {
  n: ["number", "integer", "null"],
  "a.n": "integer",
  b: "boolean",
  s: "string",
  "a.s": ["string", "null"],
  day: "date",
  either: ["date", "date-time"],
  id: "string",
};
const kinds: OrderKinds = { n: "number", "a.n": "number", b: "boolean", either: "instant" };

const scalar = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom(
    null,
    "",
    "a",
    "A",
    "ä",
    "\uffff",
    "😀",
    "\ud800",
    "2026-01-01",
    "2026-01-01T00:00:00.000Z",
  ),
  fc.string({ unit: "binary", maxLength: 3 }),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(fc.constant("s"), scalar));
const documents = fc.array(
  fc.record(
    {
      n: value,
      a: fc.oneof(value, fc.record({ n: value, s: value })),
      b: value,
      s: value,
      day: value,
      either: value,
    },
    { requiredKeys: [] },
  ),
  { minLength: 2, maxLength: 8 },
);
const key = fc
  .tuple(fc.constantFrom(...Object.keys(types)), fc.boolean())
  .map(([path, descending]) => `${descending ? "-" : ""}${path}`);

it("is that of lists, whatever documents hold, older than their schema or not", () => {
  const property = fc.property(documents, fc.array(key, { minLength: 1, maxLength: 3 }), (contents, keys) => {
    const all: JsonObject[] = contents.map((content, at) => ({ ...content, id: `d${at % 5}` }));
    const server = compareDocuments(
      orderBy(
        keys.map((each) => {
          const path = each.replace(/^-/, "");
          return { field: field(path, types[path] ?? []), descending: each.startsWith("-") };
        }),
      ),
    );
    const client = orderOf<JsonObject>(keys, kinds);
    for (const a of all) for (const b of all) expect(Math.sign(client(a, b))).toBe(Math.sign(server(a, b)));
  });
  fc.assert(property, { numRuns: runs(5_000) });
});

it("is by creation time, then by id, unless keys are given", () => {
  const document = (id: string, created: string): JsonObject => ({ id, _meta: { created_at: created } });
  const all = [document("b", "2026"), document("a", "2026"), document("c", "2025")];
  expect(all.sort(orderOf<JsonObject>([], {})).map(({ id }) => id)).toEqual(["c", "a", "b"]);
});
