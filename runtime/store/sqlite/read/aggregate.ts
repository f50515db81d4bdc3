import type { Scalar } from "../../../filter/algebra.ts";
import { type BucketUnit, isUtc, startOfDay } from "../../../filter/buckets.ts";
import { type Field, holdsArray } from "../../../filter/fields.ts";
import {
  type Aggregate,
  type Group,
  type GroupKey,
  MAX_GROUPS,
  type Metric,
} from "../../contract/aggregate.ts";
import { TooManyGroups } from "../../contract/errors.ts";
import {
  columnOf,
  dayGlob,
  declaredStrictness,
  documentKey,
  keyExpression,
  placeIn,
  strict,
} from "../expressions.ts";
import type { Parameters } from "../parameters.ts";
import { valuesOf } from "../rows.ts";
import { AggregateRows } from "./aggregate-rows.ts";

/** Characters that all groups' keys and metrics may have together. */
const MAX_TEXT = 2 ** 24;

/**
 * Aggregations as one statement: rows are made of the documents (see {@link AggregateRows}) and grouped; then the groups
 * are counted and put in order.
 *
 * @param from the table, `WHERE` and the condition, by the values that are taken out of documents
 */
export function aggregateSql(
  query: Aggregate,
  from: (values: readonly string[]) => string,
  parameters: Parameters,
): string {
  const taken = new AggregateRows();
  const keysTaken = query.groupBy.map((key) => keySql(key, taken, parameters));
  const measured = query.metrics.map((metric) => metricSql(metric, taken));
  const { clauses, from: rows, keys } = taken.sql(from(taken.values), keysTaken);
  const columns = [...keys, ...measured.map((sql) => sql ?? taken.count)];
  const grouping = keys.length === 0 ? "" : `GROUP BY ${keys.map((_, at) => at + 1).join(", ")}`;
  const tooMany = tooManyGroups(query);
  const order = query.order.map(({ column, descending }) => `c${column}${descending ? " DESC" : ""}`);
  const ties = keys.map((_, at) => `c${at}`);
  const ordering = keys.length === 0 ? "" : `ORDER BY ${[...order, ...ties].join(", ")}`;
  const grouped = `grouped AS MATERIALIZED (
      SELECT ${columns.map((sql, at) => `${sql} AS c${at}`).join(", ")}
      FROM ${rows} ${grouping} LIMIT ${MAX_GROUPS + 1}
    )`;
  return `
    WITH ${[...clauses, grouped].join(", ")}
    SELECT ${columns.map((_, at) => withinDouble(`c${at}`)).join(", ")}, ${tooMany}
    FROM grouped ${ordering} LIMIT CASE ${tooMany} WHEN 0 THEN ${parameters.add(query.limit + 1)} ELSE 1 END`;
}

/** Whether the groups are more than may be. */
function tooManyGroups({ groupBy, metrics }: Aggregate): string {
  const column = (at: number) => `c${groupBy.length + at}`;
  const distinct = metrics.flatMap(({ op }, at) => (op === "distinct" ? [column(at)] : []));
  const texts = [
    ...groupBy.flatMap((key, at) => (key.bucket === undefined ? [`c${at}`] : [])),
    ...metrics.flatMap(({ op }, at) => (op === "min" || op === "max" ? [column(at)] : [])),
  ];
  const conditions = [
    `count(*) > ${MAX_GROUPS}`,
    ...distinct.map((name) => `max(${name}) > ${MAX_GROUPS}`),
    ...texts.map((name) => `total(length(${name})) > ${MAX_TEXT}`),
  ];
  return `(SELECT ${conditions.join(" OR ")} FROM grouped)`;
}

/**
 * The groups in the rows of the statement.
 * @throws TooManyGroups
 */
export function groupsOf(query: Aggregate, rows: readonly unknown[]): { groups: Group[]; hasMore: boolean } {
  const reads = query.groupBy.map(keyReader);
  const groups = rows.slice(0, query.limit).map((row) => {
    const columns = valuesOf(row);
    if (columns.at(-1) === 1) throw new TooManyGroups();
    const metrics = columns.slice(reads.length, -1).map(metricOf);
    return { key: reads.map((read, at) => read(columns[at])), metrics };
  });
  return { groups, hasMore: rows.length > query.limit };
}

/** SQLite's integers reach further than ours; documents hold such as doubles. */
function withinDouble(sql: string): string {
  return `CASE typeof(${sql}) WHEN 'integer' THEN ${sql} + 0.0 ELSE ${sql} END`;
}

function keySql({ field, bucket }: GroupKey, taken: AggregateRows, parameters: Parameters): string {
  if (bucket === undefined) return holdsArray(field) ? taken.key(field) : taken.value(plainValue(field));
  const date = taken.value(strict(placeIn("doc", field.segments), "text"));
  const zone = isLocal(field, bucket.zone) ? parameters.add(bucket.zone) : undefined;
  return `CASE WHEN ${isDate(field, date)} THEN ${period(bucket.unit, date, zone)} END`;
}

/** Times stand in columns as numbers, in documents as they are answered. */
function plainValue(field: Field): string {
  return columnOf(field)?.holds === "instant" ? documentKey(field) : keyExpression(field);
}

/** Undefined of the number of documents. */
function metricSql(metric: Metric, taken: AggregateRows): string | undefined {
  switch (metric.op) {
    case "count":
      return undefined;
    // Unlike `sum` it cannot overflow, and is 0 of nothing.
    case "sum":
      return `total(${taken.value(numberIn(metric.field))})`;
    case "avg":
      return `avg(${taken.value(numberIn(metric.field))})`;
    case "min":
    case "max":
      return `${metric.op}(${comparable(metric.field, taken)})`;
    case "distinct":
      return `count(DISTINCT ${holdsArray(metric.field) ? taken.counted(metric.field) : taken.value(plainValue(metric.field))})`;
  }
}

function numberIn(field: Field): string {
  return columnOf(field)?.holds === "number"
    ? keyExpression(field)
    : strict(placeIn("doc", field.segments), "number");
}

/** Numbers and strings; booleans, blobs where they stand beside others, have no least. */
function comparable(field: Field, taken: AggregateRows): string {
  const name = taken.value(plainValue(field));
  return declaredStrictness(field) === "any" ? `CASE WHEN ${name} < x'' THEN ${name} END` : name;
}

/** Days are the same everywhere. */
function isLocal(field: Field, zone: string): boolean {
  return field.kinds.includes("date-time") && !isUtc(zone);
}

const digits = (count: number) => "[0-9]".repeat(count);
const forms = {
  date: dayGlob,
  "date-time": `${dayGlob}T${digits(2)}:[0-5]${digits(1)}:[0-5]${digits(1)}.${digits(3)}Z`,
} as const;

/** Whether a text is a date as they are stored: what was written under an earlier schema need not be one. */
function isDate({ kinds }: Field, sql: string): string {
  const patterns = (["date-time", "date"] as const).filter((kind) => kinds.includes(kind));
  const inForm = patterns.map((kind) => `${sql} GLOB '${forms[kind]}'`).join(" OR ");
  // Days that no month has are carried over into the next; 24 is taken for an hour.
  return `(${inForm}) AND date(${sql}) = substr(${sql}, 1, 10) AND substr(${sql}, 12, 2) < '24'`;
}

/** A label of the period, which sorts as the periods do. `zone` where local time decides. */
function period(unit: BucketUnit, date: string, zone: string | undefined): string {
  // A day counts as its midnight.
  if (unit === "hour")
    return zone === undefined ? `substr(${date} || 'T00', 1, 13)` : `svc_hour(${date}, ${zone})`;
  const day = zone === undefined ? date : `svc_day(${date}, ${zone})`;
  // Only around its ends is a month another one elsewhere.
  const inMonth =
    zone === undefined
      ? date
      : `CASE WHEN substr(${date}, 9, 2) BETWEEN '02' AND '27' THEN ${date} ELSE ${day} END`;
  switch (unit) {
    case "day":
      return `substr(${day}, 1, 10)`;
    case "week":
      return `date(${day}, '-6 days', 'weekday 1')`;
    case "month":
      return `substr(${inMonth}, 1, 7)`;
    case "quarter":
      return `substr(${inMonth}, 1, 5) || ((substr(${inMonth}, 6, 2) + 2) / 3)`;
    case "year":
      return `substr(${inMonth}, 1, 4)`;
  }
}

function keyReader({ field, bucket }: GroupKey): (value: unknown) => Scalar | null {
  if (bucket === undefined) {
    const isBoolean = declaredStrictness(field) === "boolean";
    return (value) => (isBoolean && typeof value === "number" ? value === 1 : scalarOf(value));
  }
  const { unit, zone } = bucket;
  const isDay = !field.kinds.includes("date-time");
  const local = isLocal(field, zone);
  return (value) => {
    if (typeof value !== "string") return null;
    if (unit === "hour") return local ? value : `${value}:00:00.000Z`;
    const first = firstDay(unit, value);
    return isDay ? first : startOfDay(first, zone);
  };
}

/** The first day of a period, from its label. */
function firstDay(unit: Exclude<BucketUnit, "hour">, label: string): string {
  // The first week of all begins in a year before 0.
  if (label.startsWith("-")) return "0000-01-01";
  switch (unit) {
    case "day":
    case "week":
      return label;
    case "month":
      return `${label}-01`;
    case "quarter":
      return `${label.slice(0, 5)}${["01", "04", "07", "10"][Number(label.slice(5)) - 1]}-01`;
    case "year":
      return `${label}-01-01`;
  }
}

/** Booleans beside other types are blobs of one byte. */
function scalarOf(value: unknown): Scalar | null {
  if (value instanceof Uint8Array) return value[0] === 1;
  if (typeof value === "string" || typeof value === "number") return value;
  if (value === null) return null;
  throw new TypeError("the column holds a scalar");
}

function metricOf(value: unknown): string | number | null {
  if (value === null || typeof value === "string") return value;
  if (typeof value !== "number") throw new TypeError("the column holds a number or a text");
  // A sum may be beyond every number.
  return Number.isFinite(value) ? value : null;
}
