import { queryNames, type RouteContract } from "../../contract/contract.ts";
import { parameters as defaults } from "../../contract/parameters.ts";
import { traitsOf } from "../../contract/traits.ts";
import type { Detail } from "../../errors.ts";
import { and, type Filter, TRUE } from "../../filter/algebra.ts";
import { type BucketUnit, bucketUnits, isTimeZone } from "../../filter/buckets.ts";
import { type Field, holdsArray } from "../../filter/fields.ts";
import { parameters, refuseProblems } from "../../http/parameters.ts";
import type { AggregateDefinition, CollectionDefinition } from "../../realm/definition.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { Aggregate, GroupKey, Metric } from "../../store/contract/aggregate.ts";
import type { Access } from "../access.ts";
import { queryFields } from "../query/fields.ts";
import { isHidden } from "../query/hidden.ts";
import { type Judges, judgeLanguage, judgesOf, problemsOf } from "../query/judges.ts";
import { isNegotiated, searchLanguage } from "../query/language.ts";
import { judgeShorthands, shorthandNames, shorthands } from "../query/shorthands.ts";
import { readWhere } from "../query/where.ts";

/** The query string of an aggregation (api-decisions: Aggregation). */
export interface AggregateQuery extends Omit<Aggregate, "visibility"> {
  /** Of the columns in the answer: the paths of the keys, then the metrics as they were asked for. */
  readonly names: readonly string[];
  readonly zone: string;
  /** `Accept-Language` had a say in the search. */
  readonly negotiated: boolean;
}

/** What one request may ask for. */
const most = { groupBy: 4, metrics: 10, orderBy: 14 };

/** Whose problems are those of the aggregation. */
const judges: Judges = {
  tz: (value) => (isTimeZone(value) ? undefined : "must be an IANA time zone such as Europe/Berlin"),
  language: judgeLanguage,
};

/**
 * @returns reads the query string of an aggregation, or throws ApiError `invalid_query` for parameters that are unknown or
 *   repeated | `invalid_aggregate` with one detail per problem | `search_not_enabled`
 */
export function aggregateQuery(
  route: RouteContract,
  realm: RealmInstance,
  definition: CollectionDefinition,
  aggregate: AggregateDefinition,
): (exchange: Exchange, access: Access) => AggregateQuery {
  const declared = declaredBy(aggregate);
  const shorthandJudges = judgeShorthands(definition);
  const traits = traitsOf(realm.definition, [definition]);
  const ownJudges = { ...judges, ...judgesOf(route, traits) };
  const names = queryNames(route, traits);
  const parsed = names.filter((name) => !shorthandNames.includes(name));
  return (exchange, access) => {
    const judge = (read: ReadonlyMap<string, string>) => problemsOf(read, shorthandJudges);
    const values = parameters(exchange.search, names, judge, parsed);
    const reader = new AggregateReader(
      values,
      ownJudges,
      declared,
      ({ path }) => !isHidden(definition, access, path),
    );
    const language = values.get("language");
    const groups = reader.groupBy();
    const metrics = reader.metrics();
    const columns = [...groups.names, ...metrics.names];
    const order = reader.order(columns);
    const where = reader.where(definition, access, () => searchLanguage(language, access, exchange));
    refuseProblems(reader.problems, "invalid_aggregate");
    return {
      filter: and(where.filter, shorthands(values)),
      groupBy: groups.read,
      metrics: metrics.read,
      order,
      limit: Number(values.get("limit") ?? defaults.GroupLimit.schema.default),
      names: columns,
      zone: reader.zone,
      negotiated: where.searches && isNegotiated(language, access),
    };
  };
}

/** What may be asked for, by its name in requests. */
interface Declared {
  readonly groupable: ReadonlyMap<string, Field>;
  readonly measurable: ReadonlyMap<string, Metric>;
}

function declaredBy({ groupBy, metrics }: AggregateDefinition): Declared {
  const measurable = new Map<string, Metric>([["count", { op: "count" }]]);
  for (const { field, functions } of metrics) {
    for (const op of functions) measurable.set(`${op}:${field.path}`, { op, field });
  }
  return { groupable: new Map(groupBy.map((field) => [field.path, field])), measurable };
}

/** A parameter that names several things. */
interface ReadNames<T> {
  readonly read: readonly T[];
  /** Also of what is wrong, so that it is not wrong to order by it as well. */
  readonly names: readonly string[];
}

/** Reads the parameters of one aggregation; what is wrong is in `problems`, and stands for nothing in the query. */
class AggregateReader {
  readonly problems: Detail[];
  readonly zone: string;
  readonly #values: ReadonlyMap<string, string>;
  readonly #declared: Declared;
  readonly #isVisible: (field: Field) => boolean;

  constructor(
    values: ReadonlyMap<string, string>,
    judges: Judges,
    declared: Declared,
    isVisible: (field: Field) => boolean,
  ) {
    this.problems = [...problemsOf(values, judges)];
    this.zone = values.get("tz") ?? "UTC";
    this.#values = values;
    this.#declared = declared;
    this.#isVisible = isVisible;
  }

  groupBy(): ReadNames<GroupKey> {
    const { groupable } = this.#declared;
    const pathOf = (entry: string) =>
      groupable.has(entry) || !entry.includes(":") ? entry : entry.slice(0, entry.lastIndexOf(":"));
    return this.#names("group_by", most.groupBy, pathOf, (path, entry) => {
      const field = groupable.get(path);
      if (field === undefined || !this.#isVisible(field)) return `cannot group by ${path}`;
      if (entry === path) return { field };
      const unit = entry.slice(path.length + 1);
      if (!isBucketUnit(unit)) return `unknown bucket ${unit}: must be one of ${bucketUnits.join(", ")}`;
      const problem = bucketProblem(field, unit);
      return problem ?? { field, bucket: { unit, zone: this.zone } };
    });
  }

  metrics(): ReadNames<Metric> {
    if (!this.#values.has("metrics")) return { read: [{ op: "count" }], names: ["count"] };
    const { measurable } = this.#declared;
    return this.#names("metrics", most.metrics, itself, (name) => {
      const metric = measurable.get(name);
      if (metric === undefined) return `unknown metric: ${name}`;
      return metric.op === "count" || this.#isVisible(metric.field) ? metric : `unknown metric: ${name}`;
    });
  }

  /** @param columns their names in the answer */
  order(columns: readonly string[]): Aggregate["order"] {
    const nameOf = (entry: string) => (entry.startsWith("-") ? entry.slice(1) : entry);
    return this.#names("order_by", most.orderBy, nameOf, (name, entry) => {
      const column = columns.indexOf(name);
      return column < 0 ? `the answer has no ${name}` : { column, descending: entry !== name };
    }).read;
  }

  where(
    definition: CollectionDefinition,
    access: Access,
    language: () => string | undefined,
  ): { readonly filter: Filter; readonly searches: boolean } {
    const none = { filter: TRUE, searches: false };
    const text = this.#values.get("where");
    if (text === undefined) return none;
    const where = readWhere(text, queryFields(definition, access), language);
    if (!("problems" in where)) return where;
    this.problems.push(...where.problems);
    return none;
  }

  /**
   * @param nameOf what an entry names; each once
   * @param read what the entry stands for, or why it stands for nothing
   */
  #names<T extends object>(
    parameter: string,
    limit: number,
    nameOf: (entry: string) => string,
    read: (name: string, entry: string) => T | string,
  ): ReadNames<T> {
    const refuse = (reason: string) => this.problems.push({ path: parameter, reason });
    const entries = this.#values.get(parameter)?.split(",") ?? [];
    if (entries.length > limit) refuse(`must have at most ${limit} entries`);
    const things: T[] = [];
    const named = new Set<string>();
    for (const entry of entries.slice(0, limit)) {
      const name = nameOf(entry);
      const thing = name === "" ? "must have an entry before and after each comma" : read(name, entry);
      if (named.has(name)) refuse(`names ${name} twice`);
      else if (typeof thing === "string") refuse(thing);
      else things.push(thing);
      named.add(name);
    }
    return { read: things, names: [...named] };
  }
}

const itself = (entry: string) => entry;

function isBucketUnit(unit: string): unit is BucketUnit {
  return bucketUnits.some((known) => known === unit);
}

function bucketProblem(field: Field, unit: BucketUnit): string | undefined {
  const { path, kinds } = field;
  if (holdsArray(field)) return `${path} holds arrays: it has no buckets`;
  if (kinds.includes("date-time")) return undefined;
  if (!kinds.includes("date")) return `${path} holds no dates: it has no buckets`;
  return unit === "hour" ? `${path} holds days: it has no hours` : undefined;
}
