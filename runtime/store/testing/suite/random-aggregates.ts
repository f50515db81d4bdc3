import fc from "fast-check";
import { type Scalar, TRUE } from "../../../filter/algebra.ts";
import { bucketUnits } from "../../../filter/buckets.ts";
import { documentFields, type Field, field, holdsArray } from "../../../filter/fields.ts";
import { periodStart } from "../../../filter/testing/periods.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import { compareText } from "../../../text-order.ts";
import type { Aggregate, Group, GroupKey, Metric } from "../../contract/aggregate.ts";

/** Random documents and aggregations, and what they answer. */

export const fields = {
  ...documentFields,
  status: field("status", "string"),
  hours: field("hours", "number"),
  open: field("open", "boolean"),
  code: field("code", ["string", "integer", "boolean"]),
  city: field("address.city", ["string", "null"]),
  at: field("at", "date-time"),
  day: field("day", "date"),
  when: field("when", ["date", "date-time"]),
  tags: field("tags", "string", ["tags"]),
  marks: field("facts.marks", ["string", "integer", "boolean", "null"], ["facts.marks"]),
  dues: field("dues", "date-time", ["dues"]),
};

export const count: Metric = { op: "count" };
export const of = (op: Exclude<Metric["op"], "count">, by: Field): Metric => ({ op, field: by });
/** Fractions that add up exactly in any order. */
export const anyNumber = fc.integer({ min: -40, max: 40 }).map((n) => n / 8);
export const anyInstant = fc
  .oneof(
    fc.integer({ min: Date.UTC(2018, 0), max: Date.UTC(2027, 0) }),
    // Around changes of clocks.
    fc
      .tuple(
        fc.constantFrom(
          Date.UTC(2026, 2, 29, 1),
          Date.UTC(2026, 9, 25, 1),
          Date.UTC(2018, 10, 4, 3),
          Date.UTC(2026, 3, 4, 15),
          Date.UTC(2011, 11, 30, 10),
        ),
        fc.integer({ min: -3_600_000 * 30, max: 3_600_000 * 30 }),
      )
      .map(([change, by]) => change + by),
  )
  .map((at) => new Date(at).toISOString());
const strange = fc.constantFrom<JsonValue>(null, true, false, 0, "", "1", "é", "😀", "\uffff", {}, [], ["a"]);
export const sometimes = (value: fc.Arbitrary<JsonValue>) =>
  fc.oneof({ weight: 5, arbitrary: value }, { weight: 1, arbitrary: strange });

export const anyDocument: fc.Arbitrary<JsonObject> = fc.record(
  {
    status: sometimes(fc.constantFrom("open", "closed", "")),
    hours: sometimes(anyNumber),
    open: sometimes(fc.boolean()),
    code: sometimes(fc.oneof(fc.constantFrom("a", "1"), fc.constantFrom(1, 2), fc.boolean())),
    address: sometimes(fc.record({ city: sometimes(fc.constantFrom("Bern", "Rome")) })),
    at: sometimes(anyInstant),
    day: sometimes(anyInstant.map((at) => at.slice(0, 10))),
    tags: sometimes(fc.array(sometimes(fc.constantFrom("a", "b", "c")), { maxLength: 4 })),
    facts: sometimes(fc.record({ marks: sometimes(fc.array(fc.constantFrom("a", "1", 1, true, null))) })),
    dues: sometimes(fc.array(sometimes(anyInstant), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);

const groupable = [
  fields.status,
  fields.hours,
  fields.open,
  fields.code,
  fields.city,
  fields.at,
  fields.day,
  fields.tags,
  fields.marks,
  fields.dues,
];
/** Clocks of some change at midnight, by half an hour, or have skipped a day. */
export const zones = [
  "UTC",
  "Europe/Berlin",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];
const zone = fc.constantFrom(...zones);
const anyKey: fc.Arbitrary<GroupKey> = fc.oneof(
  fc.constantFrom(...groupable).map((one) => ({ field: one })),
  fc.record({ unit: fc.constantFrom(...bucketUnits), zone }).map((bucket) => ({ field: fields.at, bucket })),
  fc
    .record({ unit: fc.constantFrom("day", "week", "month", "quarter", "year"), zone })
    .map((bucket) => ({ field: fields.day, bucket })),
);
const anyMetric: fc.Arbitrary<Metric> = fc.oneof(
  fc.constant(count),
  fc.constantFrom("sum" as const, "avg" as const).map((op) => of(op, fields.hours)),
  fc
    .tuple(
      fc.constantFrom("min" as const, "max" as const),
      fc.constantFrom(fields.status, fields.hours, fields.at, fields.day),
    )
    .map(([op, one]) => of(op, one)),
  fc.constantFrom(...groupable).map((one) => of("distinct", one)),
);
/** What a document's group is by one element and another of the same array is nothing that is asked. */
const arraysOnce = (keys: readonly GroupKey[]) =>
  keys.filter(
    (key, at) => !holdsArray(key.field) || keys.findIndex((other) => other.field === key.field) === at,
  );
export const anyAggregate: fc.Arbitrary<Aggregate> = fc
  .record({
    groupBy: fc.array(anyKey, { maxLength: 3 }).map(arraysOnce),
    metrics: fc.array(anyMetric, { minLength: 1, maxLength: 4 }),
    columns: fc.array(fc.record({ column: fc.nat(6), descending: fc.boolean() }), { maxLength: 3 }),
    limit: fc.constantFrom(1, 3, 100),
  })
  .map(({ groupBy, metrics, columns, limit }) => ({
    filter: TRUE,
    visibility: "live",
    groupBy,
    metrics,
    order: columns.filter(({ column }) => column < groupBy.length + metrics.length),
    limit,
  }));

/** What an aggregation answers, as its documentation says it. */
export function grouped(documents: readonly JsonObject[], query: Aggregate) {
  const groups = new Map<string, { key: (Scalar | null)[]; documents: JsonObject[] }>();
  if (query.groupBy.length === 0) groups.set("[]", { key: [], documents: [] });
  for (const document of documents) {
    for (const key of keysOf(document, query.groupBy)) {
      const group = groups.get(JSON.stringify(key)) ?? { key, documents: [] };
      groups.set(JSON.stringify(key), group);
      group.documents.push(document);
    }
  }
  const all: Group[] = Array.from(groups.values(), ({ key, documents: within }) => ({
    key,
    metrics: query.metrics.map((metric) => metricOf(metric, within)),
  }));
  const ties = query.groupBy.map((_, column) => ({ column, descending: false }));
  all.sort((one, other) => {
    for (const { column, descending } of [...query.order, ...ties]) {
      const difference = compareScalars(columnOf(one, column), columnOf(other, column));
      if (difference !== 0) return descending ? -difference : difference;
    }
    return 0;
  });
  return { groups: all.slice(0, query.limit), hasMore: all.length > query.limit };
}

const columnOf = ({ key, metrics }: Group, column: number) => [...key, ...metrics][column] ?? null;

/** The groups that a document is in: one for each combination of different elements. */
function keysOf(document: JsonObject, groupBy: readonly GroupKey[]): (Scalar | null)[][] {
  let keys: (Scalar | null)[][] = [[]];
  for (const by of groupBy) {
    const values = [...new Set(valuesAt(document, by.field))].map((value) => periodOf(value, by));
    keys = keys.flatMap((key) => (values.length === 0 ? [null] : values).map((value) => [...key, value]));
  }
  return keys;
}

function periodOf(value: Scalar | null, { field: of, bucket }: GroupKey): Scalar | null {
  if (bucket === undefined || value === null) return value;
  const [short, long] = [/^\d{4}-\d\d-\d\d$/, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/];
  const isDate = typeof value === "string" && (of.kinds.includes("date") ? short : long).test(value);
  if (!isDate) return null;
  return of.kinds.includes("date")
    ? periodStart(`${value}T00:00:00.000Z`, bucket.unit, "UTC").slice(0, 10)
    : periodStart(value, bucket.unit, bucket.zone);
}

/** The field's value, or its elements where it holds an array; null where one is none that the field declares. */
function valuesAt(document: JsonObject, of: Field): (Scalar | null)[] {
  let value: JsonValue | undefined = document;
  for (const segment of of.segments) {
    value =
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Reflect.get(value, segment)
        : null;
  }
  return (holdsArray(of) && Array.isArray(value) ? value : [value]).map((one) => declaredOf(one, of));
}

function declaredOf(value: JsonValue | undefined, of: Field): Scalar | null {
  const types = of.kinds.map((kind) =>
    kind === "boolean" ? "boolean" : kind === "integer" || kind === "number" ? "number" : "string",
  );
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return null;
  return types.some((type) => type === typeof value) ? value : null;
}

function metricOf(metric: Metric, documents: readonly JsonObject[]): string | number | null {
  if (metric.op === "count") return documents.length;
  const values = documents
    .flatMap((document) => valuesAt(document, metric.field))
    .filter((value) => value !== null);
  const sum = values.reduce<number>((total, value) => total + Number(value), 0);
  switch (metric.op) {
    case "sum":
      return sum;
    case "avg":
      return values.length === 0 ? null : sum / values.length;
    case "distinct":
      return new Set(values).size;
    default: {
      const sorted = values.toSorted(compareScalars);
      const value = sorted.at(metric.op === "min" ? 0 : -1) ?? null;
      return typeof value === "boolean" ? null : value;
    }
  }
}

/** Null, numbers, strings by code point, booleans. */
function compareScalars(one: Scalar | null, other: Scalar | null): number {
  const rank = (value: Scalar | null) => ["object", "number", "string", "boolean"].indexOf(typeof value);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  return typeof one === "string" && typeof other === "string"
    ? compareText(one, other)
    : Number(one) - Number(other);
}
