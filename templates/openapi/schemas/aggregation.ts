import type { Aggregation } from "../../../compiler/model/model.ts";
import { bucketUnits } from "../../../runtime/filter/buckets.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import type { AggregateFunction } from "../../../runtime/realm/definition.ts";
import type { MadeSchemas } from "./contracted.ts";
import { bothWays, keysSchema } from "./order.ts";
import type { SchemaPool } from "./pool.ts";
import { type QueryField, valueSchema } from "./values.ts";

const mostKeys = 4;
const mostMetrics = 10;

/**
 * How a collection's documents are aggregated (spec: Aggregation); no `GroupBy` where nothing can be grouped by.
 * @param stem For the names: `TicketsGroupBy`, `TicketsMetrics`, `TicketsGroupOrder`, `TicketsGroups`.
 */
export function aggregationSchemas(
  pool: SchemaPool,
  { groupBy, metrics }: Aggregation,
  fields: readonly QueryField[],
  stem: string,
): MadeSchemas {
  const byPath = new Map(fields.map((field) => [field.path, field]));
  const keyFields = groupBy.flatMap((path) => byPath.get(path) ?? []);
  const measured = metrics.flatMap(({ path, functions }) =>
    functions.map((name) => [`${name}:${path}`, metricSchema(name, byPath.get(path))] as const),
  );
  const values: JsonObject = { count: { type: "integer", minimum: 0 }, ...Object.fromEntries(measured) };
  const keys = keyFields.flatMap(keysOf);
  const ordered = [...keyFields.map(({ path }) => path), ...Object.keys(values)];
  return {
    ...(keys.length > 0 && { GroupBy: pool.add(`${stem}GroupBy`, keysSchema(keys, mostKeys)) }),
    Metrics: pool.add(`${stem}Metrics`, keysSchema(Object.keys(values), mostMetrics)),
    GroupOrder: pool.add(`${stem}GroupOrder`, keysSchema(bothWays(ordered), mostKeys + mostMetrics)),
    Groups: pool.add(`${stem}Groups`, groupsSchema(keyFields, values)),
  };
}

/** A field as it can be grouped by: itself, and by the periods of a date that stands in no array. */
function keysOf({ path, kinds, array }: QueryField): readonly string[] {
  const dates = !array && kinds.some((kind) => kind === "date" || kind === "date-time");
  const units = bucketUnits.filter((unit) => unit !== "hour" || kinds.includes("date-time"));
  return [path, ...(dates ? units.map((unit) => `${path}:${unit}`) : [])];
}

function metricSchema(name: AggregateFunction, field: QueryField | undefined): JsonObject {
  switch (name) {
    case "distinct":
      return { type: "integer", minimum: 0 };
    case "sum":
      return { type: "number" };
    case "avg":
      return { type: ["number", "null"] };
    default:
      return valueSchema(field?.kinds ?? [], true) ?? {};
  }
}

function groupsSchema(keyFields: readonly QueryField[], metrics: JsonObject): JsonObject {
  const keys = keyFields.map(({ path, kinds }) => [path, valueSchema(kinds, true) ?? {}] as const);
  return {
    type: "object",
    required: ["groups", "has_more"],
    properties: {
      groups: {
        type: "array",
        items: {
          type: "object",
          description: "Each with the metrics asked for.",
          required: ["key"],
          properties: {
            key: {
              type: "object",
              description:
                "The fields asked for; null where documents have none. A period is named by its start.",
              properties: Object.fromEntries(keys),
              additionalProperties: false,
            },
            ...metrics,
          },
          additionalProperties: false,
        },
      },
      has_more: { type: "boolean", description: "Whether there are groups beyond `limit`." },
    },
  };
}
