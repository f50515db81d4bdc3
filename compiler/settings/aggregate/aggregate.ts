/** `aggregate`: what documents may be grouped by, and what of them measured. */
import type { AggregateFunction } from "../../../runtime/realm/definition.ts";
import { code, property } from "../../../templates/print/code.ts";
import { object, someOf, texts } from "../../model/given.ts";
import type { Aggregation, Collection } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import { collectionSetting, fieldCode } from "../setting.ts";
import { turnover } from "../words.ts";
import { aggregation } from "./checks.ts";
import { codes } from "./codes.ts";

const changes = {
  "aggregation-removed": {
    kind: "breaking",
    message: "the route _aggregate is gone",
    why: "Aggregations are refused.",
  },
  "aggregation-added": {
    kind: "additive",
    message: "the route _aggregate is new",
    why: "Nobody aggregates yet.",
  },
  "group-removed": {
    kind: "breaking",
    message: "documents cannot be grouped by {fields} any longer",
    why: "Aggregations that do are refused (`invalid_aggregate`).",
  },
  "group-added": {
    kind: "additive",
    message: "documents can be grouped by {fields}",
    why: "More aggregations are answered.",
  },
  "metric-removed": {
    kind: "breaking",
    message: "{metrics} cannot be asked for any longer",
    why: "Aggregations that do are refused (`invalid_aggregate`).",
  },
  "metric-added": {
    kind: "additive",
    message: "{metrics} can be asked for",
    why: "More aggregations are answered.",
  },
} as const satisfies Changes;

/** In the order in which they are emitted. */
const functionsOf = someOf<AggregateFunction>("sum", "avg", "min", "max", "distinct");

function compare(
  { aggregate: old }: Collection,
  { aggregate: now }: Collection,
  place: string,
  report: Report<typeof changes>,
): void {
  const where = `${place} aggregate`;
  if (old === undefined || now === undefined) {
    if (old !== undefined) report("aggregation-removed", where, {});
    if (now !== undefined) report("aggregation-added", where, {});
    return;
  }
  const groups = turnover(old.groupBy, now.groupBy);
  if (groups.gone) report("group-removed", `${where}.group_by`, { fields: groups.gone });
  if (groups.added) report("group-added", `${where}.group_by`, { fields: groups.added });
  const metricsOf = ({ metrics }: Aggregation): string[] =>
    metrics.flatMap(({ path, functions }) => functions.map((name) => `${name}:${path}`));
  const metrics = turnover(metricsOf(old), metricsOf(now));
  if (metrics.gone) report("metric-removed", `${where}.metrics`, { metrics: metrics.gone });
  if (metrics.added) report("metric-added", `${where}.metrics`, { metrics: metrics.added });
}

export const aggregate = collectionSetting({
  chapter: "Aggregation",
  codes,
  changes,
  checks: [aggregation],
  compare,
  read: ({ file, given }): Pick<Collection, "aggregate"> => {
    if (given.find("aggregate", object) === undefined) return {};
    const settings = given.in("aggregate");
    return {
      aggregate: {
        groupBy: settings.read("group_by", texts),
        metrics: Object.entries(settings.read("metrics", object))
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([path, functions = []]) => ({ path, functions: functionsOf(functions) ?? [] })),
        span: locate(file, ["aggregate"]),
      },
    };
  },
  definition: ({ collection: { aggregate: declared } }) => ({
    aggregate: declared && {
      groupBy: declared.groupBy.map(fieldCode),
      metrics: declared.metrics.map(
        ({ path, functions }) =>
          code`{ ${property("field", fieldCode(path))}, ${property("functions", functions)} }`,
      ),
    },
  }),
  traits: ({ aggregate: declared }) => (declared === undefined ? [] : ["aggregate"]),
  effective: ({ collection: { aggregate: declared } }) => ({
    aggregate:
      declared === undefined
        ? null
        : {
            group_by: declared.groupBy,
            metrics: Object.fromEntries(declared.metrics.map(({ path, functions }) => [path, functions])),
          },
  }),
});
