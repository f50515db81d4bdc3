import { type Collection, type Document, MongoServerError } from "mongodb";
import { type Scalar, searchIn } from "../../../filter/algebra.ts";
import { type Field, holdsArray } from "../../../filter/fields.ts";
import {
  type Aggregate,
  type Group,
  type GroupKey,
  MAX_GROUPS,
  type Metric,
} from "../../contract/aggregate.ts";
import { TooManyGroups } from "../../contract/errors.ts";
import type { Engine, Provisioned, Regularity } from "../engine.ts";
import { periodsOf } from "./aggregate-periods.ts";
import { type Column, rowsOf } from "./aggregate-rows.ts";
import { comparableOf, elementsIn, mayBeLong, reference, valueIn, valueReader } from "./aggregate-values.ts";
import { type Expression, isType } from "./expressions.ts";

/** Characters that all groups' keys and metrics may have together. */
const MAX_TEXT = 2 ** 24;

/**
 * Aggregates the documents that satisfy a condition, as one pipeline on the server: documents are grouped, the groups are
 * counted and put in order.
 *
 * @param condition of the filter and the visibility
 * @throws TooManyGroups | IndexBuilding | the driver's errors
 */
export async function aggregateDocuments(
  collection: Collection<Document>,
  { regularity, text }: Provisioned,
  { searchTime }: Engine,
  query: Aggregate,
  condition: Document,
): Promise<{ readonly groups: readonly Group[]; readonly hasMore: boolean }> {
  if (searchIn(query.filter) !== undefined) await text.check();
  const run = async (zoneOf: ZoneNames) => {
    const { pipeline, read } = planOf(query, regularity, zoneOf);
    const rows = await collection
      // What needs more memory than servers give to a stage is given up, not continued on their disks.
      .aggregate([{ $match: condition }, ...pipeline], { maxTimeMS: searchTime, allowDiskUse: false })
      .toArray();
    if (rows.length === 0 && query.groupBy.length === 0)
      return { groups: [groupOfNothing(query)], hasMore: false };
    return { groups: rows.slice(0, query.limit).map(read), hasMore: rows.length > query.limit };
  };
  try {
    return await run((zone) => zone);
  } catch (error) {
    if (isTooMuch(error)) throw new TooManyGroups();
    if (!hasCode(error, UNKNOWN_ZONE)) throw error;
    return run(canonicalZone);
  }
}

function groupOfNothing({ metrics }: Aggregate): Group {
  const isNumber = (op: Metric["op"]) => op === "count" || op === "sum" || op === "distinct";
  return { key: [], metrics: metrics.map(({ op }) => (isNumber(op) ? 0 : null)) };
}

/** What time zones are called by the server. */
type ZoneNames = (zone: string) => string;

const UNKNOWN_ZONE = 40485;

/** The name by which all servers know the zone, in capitals and small letters: theirs may be older, or lack synonyms. */
function canonicalZone(zone: string): string {
  return new Intl.DateTimeFormat("en-US", { timeZone: zone }).resolvedOptions().timeZone;
}

/**
 * More memory than a stage, or a set of distinct values, may have (ExceededMemoryLimit,
 * QueryExceededMemoryLimitNoDiskUseAllowed, older numbers of both, and that of `$setWindowFields`), or a group that is
 * larger than a document.
 */
const tooMuch: ReadonlySet<unknown> = new Set([146, 292, 10334, 16819, 16820, 16945, 17419, 17420, 5643011]);

function isTooMuch(error: unknown): boolean {
  return error instanceof MongoServerError && tooMuch.has(error.code);
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

interface Plan {
  /** Of the documents chosen. */
  readonly pipeline: Document[];
  /** @throws TooManyGroups */
  read(row: Document): Group;
}

function planOf(query: Aggregate, regularity: Regularity, zoneOf: ZoneNames): Plan {
  const keys = query.groupBy.map((key, at) => keyColumn(key, `k${at}`, regularity, zoneOf));
  const metrics = query.metrics.map((metric, at) => metricColumn(metric, `m${at}`, regularity));
  const columns = [...keys, ...metrics];

  const { stages, takenFor } = rowsOf(keys, metrics);
  const groupedBy = (column: Column<unknown>) => column.grouped(takenFor(column));
  const by = Object.fromEntries(keys.map((column, at) => [`k${at}`, groupedBy(column)]));
  const accumulated = Object.fromEntries(metrics.map((column) => [column.path, groupedBy(column)]));
  const values = Object.fromEntries(
    metrics.flatMap(({ path, value }) => (value === undefined ? [] : [[path, value]])),
  );
  const order = new Map<string, 1 | -1>();
  for (const { column, descending } of [...query.order, ...keys.map(ascending)]) {
    const path = columns[column]?.path;
    if (path !== undefined && !order.has(path)) order.set(path, descending ? -1 : 1);
  }
  const { output, isTooMuch } = totals(columns);
  const pipeline = [
    ...stages,
    { $group: { _id: keys.length === 0 ? null : by, ...accumulated } },
    { $limit: MAX_GROUPS + 1 },
    ...(Object.keys(values).length === 0 ? [] : [{ $set: values }]),
    { $setWindowFields: { output } },
    ...(order.size === 0 ? [] : [{ $sort: order }]),
    { $limit: query.limit + 1 },
    { $replaceWith: { $cond: [isTooMuch, { tooMuch: true }, "$$ROOT"] } },
  ];
  const read = (row: Document): Group => {
    if (row["tooMuch"] === true) throw new TooManyGroups();
    const by: Document = row["_id"] ?? {};
    return {
      key: keys.map((key, at) => key.read(by[`k${at}`])),
      metrics: metrics.map((metric) => metric.read(row[metric.path])),
    };
  };
  return { pipeline, read };
}

const ascending = (_: unknown, column: number) => ({ column, descending: false });

/** What all groups have together, computed beside each of them, and whether it is too much. */
function totals(columns: readonly Column<unknown>[]): {
  readonly output: Document;
  readonly isTooMuch: Document;
} {
  const bounded = (by: Column<unknown>["bounded"]) => columns.filter((column) => column.bounded === by);
  const distinct = bounded("distinct").map(({ path }) => `$${path}`);
  const texts = bounded("text").map(({ path }) => characters(`$${path}`));
  return {
    output: {
      "all.groups": { $sum: 1 },
      ...(distinct.length > 0 && { "all.distinct": { $max: { $max: distinct } } }),
      ...(texts.length > 0 && { "all.characters": { $sum: { $add: texts } } }),
    },
    isTooMuch: {
      $or: [
        { $gt: ["$all.groups", MAX_GROUPS] },
        ...(distinct.length > 0 ? [{ $gt: ["$all.distinct", MAX_GROUPS] }] : []),
        ...(texts.length > 0 ? [{ $gt: ["$all.characters", MAX_TEXT] }] : []),
      ],
    },
  };
}

function characters(path: string): Expression {
  return { $cond: [isType(path, "string"), { $strLenCP: path }, 0] };
}

function keyColumn(
  { field, bucket }: GroupKey,
  name: string,
  regularity: Regularity,
  zoneOf: ZoneNames,
): Column<Scalar | null> {
  const path = `_id.${name}`;
  const regular = regularity.isRegular(field);
  if (bucket !== undefined) {
    const { key, read } = periodsOf(field, regular, bucket, zoneOf(bucket.zone));
    return { path, taken: key, grouped: itself, read };
  }
  return {
    path,
    taken: holdsArray(field) ? elementsIn(field, regular) : valueIn(field, regular),
    spread: holdsArray(field),
    // Missing and null are one group.
    grouped: (value) => ({ $ifNull: [value, null] }),
    bounded: mayBeLong(field, regular) ? "text" : undefined,
    read: valueReader(field),
  };
}

const itself = (value: Expression) => value;

function metricColumn(metric: Metric, path: string, regularity: Regularity): Column<string | number | null> {
  if (metric.op === "count")
    return { path, taken: undefined, grouped: (value) => ({ $sum: value }), read: numberOf };
  const { op, field } = metric;
  const regular = regularity.isRegular(field);
  switch (op) {
    // Both pass over whatever is no number.
    case "sum":
      return {
        path,
        taken: reference(field),
        grouped: (value) => ({ $sum: value }),
        value: { $toDouble: `$${path}` },
        read: numberOf,
      };
    case "avg":
      return { path, taken: reference(field), grouped: (value) => ({ $avg: value }), read: numberOf };
    case "min":
    case "max":
      return {
        path,
        taken: comparableOf(field, regular),
        grouped: (value) => ({ [`$${op}`]: value }),
        bounded: mayBeLong(field, regular) ? "text" : undefined,
        read: comparableReader(field),
      };
    case "distinct":
      return {
        path,
        taken: holdsArray(field) ? elementsIn(field, regular) : valueIn(field, regular),
        spread: holdsArray(field),
        grouped: (value) => ({ $addToSet: value }),
        value: { $size: { $setDifference: [`$${path}`, [null]] } },
        bounded: "distinct",
        read: numberOf,
      };
  }
}

/** A sum may be beyond every number. */
function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value === null || value === undefined) return null;
  throw new TypeError("the metric is a number");
}

function comparableReader(field: Field): Column<string | number | null>["read"] {
  const read = valueReader(field);
  return (value) => {
    const scalar = read(value);
    return typeof scalar === "boolean" ? null : scalar;
  };
}
