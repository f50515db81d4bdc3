import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  and,
  compare,
  eq,
  exists,
  FALSE,
  type Filter,
  isIn,
  not,
  or,
  TRUE,
  text,
} from "../../filter/algebra.ts";
import { deletionFields, documentFields, type Field, type FieldKind } from "../../filter/fields.ts";
import { matches } from "../../filter/predicate.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { DocumentWrite, Store } from "../contract.ts";
import { testStore } from "../testing.ts";

/** Names that mean something to JavaScript, JSON paths or SQL. */
const names = [
  "a",
  "b",
  "__proto__",
  "constructor",
  "it's",
  'q"q',
  "back\\slash",
  "[0]",
  "0",
  "é😀",
  "",
  "a b",
  "doc",
  "$",
];
const strings = [
  "",
  "a",
  "A",
  "ab",
  "b",
  "é",
  "\uffff",
  "😀",
  "😀b",
  "{}",
  "[]",
  '"',
  "1",
  "true",
  "%",
  "a'b",
  "null",
];
const dates = [
  "2026-03-01",
  "2026-03-01T00:00:00.000Z",
  "2026-03-01T00:00:00.001Z",
  "2026-02-28T23:59:59.999Z",
  "2026-03-02",
];
const numbers = [
  0,
  1,
  -1,
  2,
  1.5,
  -0.5,
  0.1,
  0.30000000000000004,
  1e21,
  5e-324,
  3.175344214805288e-136,
  2 ** 53 - 1,
];

const name = fc.constantFrom(...names);
const scalar = fc.oneof(fc.constantFrom(...strings, ...dates), fc.constantFrom(...numbers), fc.boolean());
const { value } = fc.letrec<{ value: JsonValue; object: JsonObject; array: JsonValue[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: tie("object") },
    { weight: 3, arbitrary: tie("array") },
  ),
  object: fc
    .array(fc.tuple(name, tie("value")), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
  array: fc.array(tie("value"), { maxLength: 3 }),
}));
const body = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((entries): JsonObject => Object.fromEntries(entries));

const now = Date.parse("2026-03-01T12:00:00.000Z");
const instant = fc.constantFrom(...dates).map((date) => Date.parse(date));
const document = fc.record({
  id: fc.constantFrom(...strings, ...dates, "x", "y", "z"),
  body,
  version: fc.nat(2),
  createdAt: instant,
  deletedAt: fc.option(instant, { nil: undefined }),
  purgeAt: fc.option(fc.constantFrom(now + 1, now + 86_400_000), { nil: undefined }),
});

const kind = fc.constantFrom<FieldKind>(
  "string",
  "integer",
  "number",
  "boolean",
  "date-time",
  "date",
  "object",
);
const declared = fc
  .array(fc.record({ name, array: fc.boolean() }), { minLength: 1, maxLength: 3 })
  .chain((parts) =>
    fc.uniqueArray(kind, { minLength: 1, maxLength: 3 }).map((kinds): Field => {
      const segments = parts.map((part) => part.name);
      return { path: segments.join("."), segments, kinds, arrays: parts.map((part) => part.array) };
    }),
  );
const serverFields: readonly Field[] = [...Object.values(documentFields), ...Object.values(deletionFields)];

const filterOver = (fields: readonly Field[]) => {
  const field = fc.constantFrom(...fields);
  const known = fc.oneof(
    scalar,
    instant.map((at) => new Date(at).toISOString()),
  );
  const leaf = fc.oneof(
    fc.record({ field, value: known }).map((of) => eq(of.field, of.value)),
    fc.record({ field, values: fc.array(known, { maxLength: 4 }) }).map((of) => isIn(of.field, of.values)),
    fc
      .record({
        op: fc.constantFrom("lt", "lte", "gt", "gte"),
        field,
        bound: known.filter((of): of is string | number => typeof of !== "boolean"),
      })
      .map((of) => compare(of.op, of.field, of.bound)),
    fc
      .record({
        op: fc.constantFrom("startsWith", "endsWith", "contains"),
        field,
        part: fc.constantFrom(...strings, "2026"),
      })
      .map((of) => text(of.op, of.field, of.part)),
    field.map(exists),
    fc.constantFrom(TRUE, FALSE),
  );
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3 },
      { weight: 3, arbitrary: leaf },
      { weight: 1, arbitrary: tie("filter").map(not) },
      { weight: 1, arbitrary: fc.array(tie("filter"), { maxLength: 3 }).map((of) => and(...of)) },
      { weight: 1, arbitrary: fc.array(tie("filter"), { maxLength: 3 }).map((of) => or(...of)) },
    ),
  })).filter;
};

const setting = fc
  .record({
    documents: fc.uniqueArray(document, { selector: ({ id }) => id, maxLength: 12 }),
    fields: fc.uniqueArray(declared, { selector: ({ path }) => path, minLength: 1, maxLength: 6 }),
  })
  .chain(({ documents, fields }) =>
    fc.record({
      documents: fc.constant(documents),
      fields: fc.constant(fields),
      filters: fc.array(filterOver([...fields, ...serverFields]), { minLength: 1, maxLength: 20 }),
    }),
  );

let store: Store;
beforeAll(async () => {
  store = await testStore({ clock: { now: () => now } });
});
afterAll(() => store.close());

test("a filter selects in SQL exactly the documents that it matches in memory, with indexes and without", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(setting, async ({ documents, fields, filters }) => {
      const indexes = fields.map((field, n) => ({
        name: `i${n}`,
        keys: [{ field, descending: n % 2 === 1 }],
        unique: false,
      }));
      const [plain, indexed] = [`app.plain${++run}`, `app.indexed${run}`];
      await store.provision([
        { name: plain, fields: {}, indexes: [], feed: false },
        { name: indexed, fields: {}, indexes, feed: false },
      ]);
      const writes = documents.map(writtenAs);
      await store.transaction(async (transaction) => {
        for (const write of writes) {
          await transaction.collection(plain).insert(write);
          await transaction.collection(indexed).insert(write);
        }
      });
      for (const filter of filters) {
        const expected = writes.filter(({ text: json }) => matches(filter, parsed(json))).map(({ id }) => id);
        for (const collection of [plain, indexed]) {
          const found = await store
            .collection(collection)
            .find({ filter, visibility: "all", limit: 100, skip: 0 });
          expect(found.map(({ id }) => id).sort()).toEqual(expected.toSorted());
        }
      }
    }),
    { seed: 20260301, numRuns: 120 },
  );
});

type Generated = Parameters<Parameters<typeof document.map>[0]>[0];

function writtenAs({ id, body: members, version, createdAt, deletedAt, purgeAt }: Generated): DocumentWrite {
  const date = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  const meta = {
    created_at: date(createdAt),
    version: version === 0 ? undefined : version,
    deleted_at: date(deletedAt),
    purge_at: date(purgeAt),
  };
  const entries = Object.entries(members);
  return {
    id,
    version,
    createdAt,
    deletedAt,
    purgeAt,
    text: JSON.stringify(Object.fromEntries([...entries, ["id", id], ["_meta", meta]])),
  };
}

function parsed(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) throw new Error("a document is an object");
  return value;
}
