import type { Build, Operation } from "../build.ts";
import { aggregationSchemas } from "../schemas/aggregation.ts";
import type { QueryField } from "../schemas/values.ts";
import { accessBy, security } from "../security.ts";
import { about, type Described, decided, readHeaders } from "./described.ts";
import { listed, type Queries, searchErrors } from "./queries.ts";

/** spec: Aggregation; undefined for a collection that declares none. */
export function aggregate(
  build: Build,
  { collection, rules, stem, tag }: Described,
  fields: readonly QueryField[],
  { where, language }: Queries,
): Operation | undefined {
  if (collection.aggregate === undefined) return undefined;
  const { parameters } = build;
  const { groupBy, metrics, orderBy, groups } = aggregationSchemas(
    build.schemas,
    collection.aggregate,
    fields,
    stem,
  );
  return build.operation({
    id: `aggregate${stem}`,
    tag,
    summary: `Aggregate documents of ${collection.name}`,
    about: about(
      "Over the documents that the caller may read; without `group_by` one group of all.",
      decided(build, rules, "read"),
    ),
    parameters: [
      ...(groupBy
        ? [
            parameters.add(`${stem}GroupBy`, {
              name: "group_by",
              description:
                "Fields to group by, each at most once; a date also by `:hour` to `:year`. Weeks start on Monday.",
              ...listed,
              schema: groupBy,
            }),
          ]
        : []),
      parameters.add(`${stem}Metrics`, {
        name: "metrics",
        description: "What is measured in every group; `count` when left out.",
        ...listed,
        schema: metrics,
      }),
      where,
      ...language,
      parameters.add(`${stem}GroupOrder`, {
        name: "order_by",
        description:
          "Fields grouped by and metrics asked for, `-` for descending; the fields grouped by when left out.",
        ...listed,
        schema: orderBy,
      }),
      "GroupLimit",
      "TimeZone",
      "IfNoneMatch",
    ],
    answers: {
      200: { description: "The groups.", schema: groups, headers: readHeaders(collection, "ListETag") },
      304: { description: "The client has these groups.", headers: readHeaders(collection, "ListETag") },
    },
    errors: ["invalid_aggregate", "aggregate_too_expensive", ...searchErrors(collection)],
    security: security(build.realm, accessBy(rules.read)),
  });
}
