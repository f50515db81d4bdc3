import fc from "fast-check";
import { expect, test } from "vitest";
import { compare, eq, type Filter, TRUE } from "../../../filter/algebra.ts";
import { bucketUnits } from "../../../filter/buckets.ts";
import { documentFields, type Field, field, ownershipFields } from "../../../filter/fields.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import { runs } from "../../../testing/random.ts";
import type { Aggregate, GroupKey, Metric } from "../../contract/aggregate.ts";
import type { DocumentWrite } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Store } from "../../contract/store.ts";
import { openSqliteStore } from "../../sqlite/store.ts";
import { start, written } from "../../testing/suite/fixtures.ts";
import { seed } from "../../testing/suite/random.ts";
import { anyInstant, anyNumber, sometimes, zones } from "../../testing/suite/random-aggregates.ts";
import { describeMongo, openTestMongoStore } from "../testing/server.ts";

/** Every combination of kinds that matters, and names that something could mean something by. */
const fields: readonly Field[] = [
  field("status", "string"),
  field("hours", "number"),
  field("size", "integer"),
  field("open", "boolean"),
  field("code", ["string", "integer", "boolean"]),
  field("address.city", ["string", "null"]),
  field("0.it's", "number"),
  field("__proto__.é😀", "string"),
  field("at", "date-time"),
  field("day", "date"),
  field("when", ["date", "date-time"]),
  field("label", ["string", "date-time"]),
  field("due", ["integer", "date", "boolean"]),
  documentFields["_meta.created_at"],
  documentFields["_meta.version"],
  ownershipFields["_meta.owner"],
];

const text = fc.constantFrom("open", "closed", "", "Zoë", "\uffff", "😀", "2026-03-01", "$status", "a.b");
const anyDay = anyInstant.map((at) => at.slice(0, 10));
const anyDate = fc.oneof(
  anyInstant,
  anyDay,
  fc.constantFrom("2026-03-01T00:00:00.000Z", "2026-02-30", "2026-02-28T24:00:00.000Z", "2026-03-01T10:00Z"),
);
const inObject = (name: string, value: fc.Arbitrary<JsonValue>) =>
  sometimes(
    fc.oneof(
      { weight: 6, arbitrary: sometimes(value).map((one) => Object.fromEntries([[name, one]])) },
      { weight: 1, arbitrary: value.map((one) => [Object.fromEntries([[name, one]])]) },
    ),
  );

/** @param valid by the declarations above; others are what documents of an older schema are like */
function anyBody(valid: boolean): fc.Arbitrary<JsonObject> {
  const of = (value: fc.Arbitrary<JsonValue>) => (valid ? value : sometimes(value));
  const below = (name: string, value: fc.Arbitrary<JsonValue>) =>
    valid ? value.map((one) => Object.fromEntries([[name, one]])) : inObject(name, value);
  const dates = (value: fc.Arbitrary<JsonValue>) => (valid ? value : sometimes(anyDate));
  const body = fc.record(
    {
      status: of(text),
      hours: of(anyNumber),
      size: of(fc.constantFrom(0, 1, -7, 2 ** 31, -(2 ** 40))),
      open: of(fc.boolean()),
      code: of(fc.oneof(text, fc.constantFrom(1, 2), fc.boolean())),
      address: below("city", fc.constantFrom("Bern", "Rome", null)),
      "0": below("it's", anyNumber),
      at: dates(anyInstant),
      day: dates(anyDay),
      when: dates(fc.oneof(anyInstant, anyDay)),
      label: dates(fc.oneof(text, anyInstant)),
      due: dates(fc.oneof(anyDay, fc.boolean(), fc.integer({ min: 0, max: 3 }))),
    },
    { requiredKeys: [] },
  );
  const proto = fc.option(below("é😀", text), { nil: undefined });
  return fc.tuple(body, proto).map(([body, proto]) => {
    return proto === undefined ? body : { ...body, ["__proto__"]: proto };
  });
}

const anyWrite = (valid: boolean): fc.Arbitrary<Omit<DocumentWrite, "id">> =>
  fc
    .record({
      body: anyBody(valid),
      version: fc.integer({ min: 0, max: 3 }),
      createdAt: anyInstant.map((at) => Date.parse(at)),
      deletedAt: fc.constantFrom(...Array.from({ length: 7 }, () => undefined), start),
      purgeAt: fc.constantFrom(undefined, start - 1, start + 1),
    })
    .map(({ body, deletedAt, purgeAt, ...columns }) =>
      written("", body, { ...columns, deletedAt, purgeAt: deletedAt && purgeAt }),
    );

const anyZone = fc.constantFrom(...zones, "asia/kolkata", "America/Havana", "America/St_Johns", "US/Eastern");
const keyIn = (zone: string): fc.Arbitrary<GroupKey> =>
  fc.constantFrom(...fields).chain((by): fc.Arbitrary<GroupKey> => {
    const instants = by.kinds.includes("date-time");
    if (!instants && !by.kinds.includes("date")) return fc.constant({ field: by });
    const units = bucketUnits.filter((unit) => unit !== "hour" || instants);
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant({ field: by }) },
      {
        weight: 4,
        arbitrary: fc.constantFrom(...units).map((unit) => ({ field: by, bucket: { unit, zone } })),
      },
    );
  });
const numeric = fields.filter(({ kinds }) => kinds.every((kind) => kind === "integer" || kind === "number"));
const ordered = fields.filter(({ kinds }) => kinds.length === 1 && kinds[0] !== "boolean");
const anyMetric: fc.Arbitrary<Metric> = fc.oneof(
  fc.constant<Metric>({ op: "count" }),
  fc.record({ op: fc.constantFrom("sum", "avg"), field: fc.constantFrom(...numeric) }),
  fc.record({ op: fc.constantFrom("min", "max"), field: fc.constantFrom(...ordered) }),
  fc.record({ op: fc.constant("distinct" as const), field: fc.constantFrom(...fields) }),
);
const anyFilter: fc.Arbitrary<Filter> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(TRUE) },
  { weight: 1, arbitrary: fc.constantFrom(...fields.slice(0, 1)).map((of) => eq(of, "open")) },
  { weight: 1, arbitrary: anyNumber.map((bound) => compare("gte", field("hours", "number"), bound)) },
);
const anyAggregate: fc.Arbitrary<Aggregate> = fc
  .record({
    filter: anyFilter,
    visibility: fc.constantFrom("live", "live", "deleted", "all"),
    groupBy: anyZone.chain((zone) => fc.array(keyIn(zone), { maxLength: 3 })),
    metrics: fc.array(anyMetric, { minLength: 1, maxLength: 4 }),
    columns: fc.array(fc.record({ column: fc.nat(6), descending: fc.boolean() }), { maxLength: 3 }),
    limit: fc.constantFrom(1, 3, 100, 100, 100, 100),
  })
  .map(({ columns, ...query }) => ({
    ...query,
    order: columns.filter(({ column }) => column < query.groupBy.length + query.metrics.length),
  }));

const named = (all: readonly Field[]): CollectionShape => ({
  name: "app.parity",
  fields: Object.fromEntries(all.map((of) => [of.path, of])),
  indexes: [],
  feed: false,
});

/** Declared otherwise: instants are texts, texts instants, numbers anything. */
const older = fields.map((of) => {
  if (of.path.startsWith("_meta.")) return of;
  const dates = of.kinds.includes("date-time") || of.kinds.includes("date");
  return field(of.path, dates ? "string" : of.kinds.includes("string") ? "date-time" : "object");
});

describeMongo("aggregations of both engines", () => {
  test.each([
    { documents: "valid documents", rounds: runs(10), written: [{ by: fields, valid: true }] },
    {
      documents: "documents of older schemas among them",
      rounds: runs(10),
      written: [
        { by: older, valid: false },
        { by: fields, valid: false },
        { by: fields, valid: true },
      ],
    },
  ])(
    "answer the same: $documents",
    async ({ rounds, written }) => {
      const clock = { now: () => start };
      let [asked, groups] = [0, 0];
      for (let round = 0; round < rounds; round++) {
        const stores = await Promise.all([
          openSqliteStore({ location: ":memory:", realm: "test", clock, queryTime: 5_000 }),
          openTestMongoStore({ clock, queryTime: 5_000 }),
        ]);
        try {
          for (const [at, { by, valid }] of written.entries()) {
            const one = fc.array(anyWrite(valid), { minLength: 40, maxLength: 60 });
            const [bodies = []] = fc.sample(one, { seed: seed + round, numRuns: 1 });
            await store(stores, by, bodies, `${at}-`);
          }
          for (const query of fc.sample(anyAggregate, { seed: seed + round, numRuns: 110 })) {
            const [expected, found] = await Promise.all(stores.map((store) => answer(store, query)));
            expect(found, JSON.stringify(query)).toEqual(expected);
            asked++;
            groups += expected?.groups.length ?? 0;
          }
        } finally {
          await Promise.all(stores.map((store) => store.close()));
        }
      }
      expect(asked).toBeGreaterThanOrEqual(runs(1_100));
      expect(groups).toBeGreaterThan(5 * asked);
    },
    120_000,
  );
});

async function store(
  stores: readonly Store[],
  by: readonly Field[],
  writes: readonly Omit<DocumentWrite, "id">[],
  prefix: string,
): Promise<void> {
  const documents = writes.map((write, at) => {
    const id = `${prefix}${at}`;
    return { ...write, id, text: write.text.replace('{"id":""', `{"id":"${id}"`) };
  });
  for (const store of stores) {
    await store.provision([named(by)]);
    await store.collection("app.parity").load(documents);
  }
}

function answer(store: Store, query: Aggregate) {
  return store.collection("app.parity").aggregate(query);
}
