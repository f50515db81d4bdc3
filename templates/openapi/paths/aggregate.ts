import type { Collection } from "../../../compiler/model/model.ts";
import { searchErrors } from "../../../compiler/model/operation-errors.ts";
import type { Build, Operation } from "../build.ts";
import { aggregationSchemas } from "../schemas/aggregation.ts";
import type { QueryField } from "../schemas/values.ts";
import { accessBy } from "../security.ts";
import { type AggregationQuery, about, type Described, readAnswer, readHeaders } from "./described.ts";
import { listed } from "./queries.ts";
import type { Way } from "./way.ts";
import { organizationParameters } from "./writes.ts";

/** Undefined for a collection that declares none. */
export function aggregationQuery(
  { schemas, parameters }: Build,
  { aggregate }: Collection,
  fields: readonly QueryField[],
  stem: string,
): AggregationQuery | undefined {
  if (aggregate === undefined) return undefined;
  const { groupBy, metrics, orderBy, groups } = aggregationSchemas(schemas, aggregate, fields, stem);
  return {
    groupBy: groupBy
      ? [
          parameters.add(`${stem}GroupBy`, {
            name: "group_by",
            description:
              "Fields to group by, each at most once; a date also by `:hour` to `:year`. Weeks start on Monday. By an array a document is in the group of each different element.",
            ...listed,
            schema: groupBy,
          }),
        ]
      : [],
    metrics: parameters.add(`${stem}Metrics`, {
      name: "metrics",
      description: "What is measured in every group; `count` when left out.",
      ...listed,
      schema: metrics,
    }),
    orderBy: parameters.add(`${stem}GroupOrder`, {
      name: "order_by",
      description:
        "Fields grouped by and metrics asked for, `-` for descending; the fields grouped by when left out.",
      ...listed,
      schema: orderBy,
    }),
    groups,
  };
}

/** spec: Aggregation. */
export function aggregate(
  build: Build,
  way: Way,
  { collection, rules, queries, stem, tag }: Described,
  { groupBy, metrics, orderBy, groups }: AggregationQuery,
): Operation {
  const headers = readHeaders(way, collection, "ListETag");
  return build.operation({
    id: way.id(`aggregate${stem}`),
    tag: way.tag(tag),
    summary: `Aggregate documents of ${collection.name}`,
    about: about(
      "Over the documents that the caller may read; without `group_by` one group of all.",
      way.decides(rules, "read"),
    ),
    parameters: [
      ...groupBy,
      metrics,
      queries.where,
      ...organizationParameters(collection, { org: "OrgOfList", team: "TeamOfList" }),
      ...queries.language,
      orderBy,
      "GroupLimit",
      "TimeZone",
      "IfNoneMatch",
    ],
    answers: {
      200: {
        name: readAnswer(way, collection, `${stem}Groups`),
        description: "The groups.",
        schema: groups,
        headers,
      },
      304: {
        name: readAnswer(way, collection, "PageNotModified"),
        description: "The client has it.",
        headers,
      },
    },
    errors: ["invalid_aggregate", "aggregate_too_expensive", ...searchErrors(collection)],
    admits: way.admits(accessBy(rules.read)),
  });
}
