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
  type Scalar,
  TRUE,
  text,
} from "../../filter/algebra.ts";
import {
  deletionFields,
  documentFields,
  type Field,
  type FieldKind,
  ownershipFields,
} from "../../filter/fields.ts";
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
  "\ud7ff",
  "\ue000",
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

const name = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("a", "b") },
  { weight: 1, arbitrary: fc.constantFrom(...names) },
);
const anyScalar = fc.oneof(
  fc.constantFrom(...strings),
  fc.constantFrom(...dates),
  fc.constantFrom(...numbers),
  fc.boolean(),
);

/** What stands at the end of a path: most often a scalar, now and then anything. */
const leafValue = (scalar: fc.Arbitrary<Scalar>): fc.Arbitrary<JsonValue> =>
  fc.oneof(
    { weight: 6, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constantFrom<JsonValue>(null, [], {}, [null], [[1]], { a: 1 }) },
    { weight: 2, arbitrary: fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 3 }) },
  );

/** A value that the field's path reaches something in, arrays standing mostly where they are declared. */
function along(field: Field, at: number, scalar: fc.Arbitrary<Scalar>): fc.Arbitrary<JsonValue> {
  const segment = field.segments[at];
  if (segment === undefined) return leafValue(scalar);
  const inner = along(field, at + 1, scalar);
  const several = fc.array(fc.oneof({ weight: 5, arbitrary: inner }, { weight: 1, arbitrary: scalar }), {
    maxLength: 3,
  });
  const likely = field.arrays[at] === true ? several : inner;
  const unlikely = field.arrays[at] === true ? inner : several;
  return fc
    .oneof(
      { weight: 5, arbitrary: likely },
      { weight: 1, arbitrary: unlikely },
      { weight: 1, arbitrary: scalar },
    )
    .map((value): JsonValue => Object.fromEntries([[segment, value]]));
}

/** Objects laid over one another, member by member; what is no object is simply replaced. */
function laidOver(below: JsonValue | undefined, above: JsonValue): JsonValue {
  if (!isJsonObject(below) || !isJsonObject(above)) return above;
  const members = new Map(Object.entries(below));
  for (const [key, value] of Object.entries(above)) {
    if (value !== undefined) members.set(key, laidOver(members.get(key), value));
  }
  return Object.fromEntries(members);
}

const bodyOver = (fields: readonly Field[], scalar: fc.Arbitrary<Scalar>): fc.Arbitrary<JsonObject> =>
  fc
    .tuple(...fields.map((field) => fc.option(along(field, 0, scalar), { freq: 4 })))
    .map((parts) =>
      parts.reduce<JsonValue>((whole, part) => (part === null ? whole : laidOver(whole, part)), {}),
    )
    .map((whole) => (isJsonObject(whole) ? whole : {}));

const now = Date.parse("2026-03-01T12:00:00.000Z");
const instant = fc.constantFrom(...dates).map((date) => Date.parse(date));
const documentOver = (fields: readonly Field[], scalar: fc.Arbitrary<Scalar>) =>
  fc.record({
    id: fc.constantFrom(...strings, ...dates, "x", "y", "z"),
    body: bodyOver(fields, scalar),
    version: fc.nat(2),
    createdAt: instant,
    owner: fc.constantFrom("", "x", "y", "2026-03-01", null, undefined),
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
const serverFields: readonly Field[] = [
  ...Object.values(documentFields),
  ...Object.values(deletionFields),
  ...Object.values(ownershipFields),
];

const filterOver = (fields: readonly Field[], scalar: fc.Arbitrary<Scalar>) => {
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
    fields: fc.uniqueArray(declared, { selector: ({ path }) => path, minLength: 1, maxLength: 4 }),
    values: fc.uniqueArray(anyScalar, { minLength: 2, maxLength: 6 }),
  })
  .chain(({ fields, values }) => {
    const scalar = fc.constantFrom(...values);
    return fc.record({
      fields: fc.constant(fields),
      documents: fc.uniqueArray(documentOver(fields, scalar), {
        selector: ({ id }) => id,
        minLength: 4,
        maxLength: 12,
      }),
      filters: fc.array(
        fc.oneof(
          { weight: 4, arbitrary: filterOver(fields, scalar) },
          { weight: 1, arbitrary: filterOver([...fields, ...serverFields], anyScalar) },
        ),
        { minLength: 10, maxLength: 30 },
      ),
    });
  });

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

type Generated = Parameters<Parameters<ReturnType<typeof documentOver>["map"]>[0]>[0];

function writtenAs(generated: Generated): DocumentWrite {
  const { id, body: members, version, createdAt, deletedAt, purgeAt, owner } = generated;
  const date = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString());
  const meta = {
    created_at: date(createdAt),
    version: version === 0 ? undefined : version,
    owner,
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
