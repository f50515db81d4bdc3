import { formatInZone } from "../../filter/buckets.ts";
import type { Group, GroupKey } from "../../store/contract/aggregate.ts";
import type { AggregateQuery } from "./query.ts";

/** The body of the answer (api-decisions: Aggregation). */
export function aggregateText(query: AggregateQuery, groups: readonly Group[], hasMore: boolean): string {
  const members = query.names.map((name) => `${JSON.stringify(name)}:`);
  const keyMembers = members.slice(0, query.groupBy.length);
  const metricMembers = members.slice(query.groupBy.length);
  const texts = groups.map(({ key, metrics }) => {
    const keys = query.groupBy.map(
      (by, at) => `${keyMembers[at]}${JSON.stringify(shown(by, key[at] ?? null))}`,
    );
    const values = metrics.map((value, at) => `,${metricMembers[at]}${JSON.stringify(value)}`);
    return `{"key":{${keys.join(",")}}${values.join("")}}`;
  });
  return `{"groups":[${texts.join(",")}],"has_more":${hasMore}}`;
}

/** Instants that buckets start at are shown as their zone's clocks do; days are days. */
function shown({ field, bucket }: GroupKey, value: Group["key"][number]): Group["key"][number] {
  const isInstant = bucket !== undefined && field.kinds.includes("date-time");
  return isInstant && typeof value === "string" ? formatInZone(value, bucket.zone) : value;
}
