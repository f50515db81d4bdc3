import { queryNames, type RouteContract } from "../../contract/contract.ts";
import { parameters as defaults } from "../../contract/parameters.ts";
import { traitsOf } from "../../contract/traits.ts";
import type { Detail } from "../../errors.ts";
import { and, type Filter, TRUE } from "../../filter/algebra.ts";
import { defaultOrder, isSeekable, type Order, type Position } from "../../filter/order.ts";
import { readParameters, refuseProblems } from "../../http/parameters.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { Access } from "../access.ts";
import type { Cursors } from "./cursors.ts";
import { type QueryFields, queryFields } from "./fields.ts";
import {
  type AskedLinks,
  type Deleted,
  deletedOf,
  type Judges,
  judgeDeleted,
  judgeLanguage,
  judgeLinks,
  judgesOf,
  linksOf,
  problemsOf,
} from "./judges.ts";
import { isNegotiated, searchLanguage } from "./language.ts";
import { readOrder } from "./order.ts";
import { judgeShorthands, shorthands } from "./shorthands.ts";
import { readWhere } from "./where.ts";

/** The query string of a list (spec: List query parameters). */
export interface ListQuery {
  /** Of `where`, `org` and `team`. */
  readonly filter: Filter;
  readonly order: Order | "relevance";
  readonly after: Position | undefined;
  readonly limit: number;
  readonly skip: number;
  readonly count: boolean;
  readonly deleted: Deleted | undefined;
  /** As it was sent: see `readExpand`. */
  readonly expand: string | undefined;
  readonly links: AskedLinks | undefined;
  /** `Accept-Language` had a say in the search. */
  readonly negotiated: boolean;
}

const plainList: ListQuery = {
  filter: TRUE,
  order: defaultOrder,
  after: undefined,
  limit: defaults.Limit.schema.default,
  skip: defaults.Skip.schema.default,
  count: false,
  deleted: undefined,
  expand: undefined,
  links: undefined,
  negotiated: false,
};

/** In relevance order, `skip` and `limit` stay within the first of them (spec: Full-text search 5). */
const mostRelevant = 1000;

/**
 * @returns reads the query string of a list, or throws ApiError `invalid_query` with one detail per problem |
 *   `search_not_enabled`
 */
export function listQuery(
  route: RouteContract,
  realm: RealmInstance,
  definition: CollectionDefinition,
  cursors: Cursors,
): (exchange: Exchange, access: Access) => ListQuery {
  const traits = traitsOf(realm.definition, [definition]);
  const judges: Judges = {
    ...judgesOf(route, traits),
    ...judgeLinks(definition),
    deleted: judgeDeleted(definition),
    language: judgeLanguage,
    ...judgeShorthands(definition),
  };
  const names = queryNames(route, traits);
  return (exchange, access) => {
    if (exchange.search === "") return plainList;
    const { values, problems } = readParameters(exchange.search, names, ["expand"]);
    const reader = new ListReader(values, [...problems, ...problemsOf(values, judges)]);
    const query = reader.read(queryFields(definition, access), access, exchange, cursors);
    refuseProblems(reader.problems);
    return query;
  };
}

/** The very filter where the other one asks for nothing: what is made of it is kept with it. */
function within(filter: Filter, other: Filter): Filter {
  return other.op === "true" ? filter : and(filter, other);
}

/** Reads the parameters of one list; what is wrong is in `problems`, and stands for nothing in the query. */
class ListReader {
  readonly problems: Detail[];
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>, problems: Detail[]) {
    this.#values = values;
    this.problems = problems;
  }

  read(fields: QueryFields, access: Access, exchange: Exchange, cursors: Cursors): ListQuery {
    const values = this.#values;
    const limit = Number(values.get("limit") ?? plainList.limit);
    const skip = Number(values.get("skip") ?? plainList.skip);
    const language = values.get("language");
    const where = this.#where(fields, () => searchLanguage(language, access, exchange));
    const order = this.#order(fields);
    if (order === "relevance") this.#judgeRelevance(where?.searches !== false, skip + limit);
    return {
      filter: within(where?.filter ?? TRUE, shorthands(values)),
      order: order ?? defaultOrder,
      after: order === undefined ? undefined : this.#after(order, cursors),
      limit,
      skip,
      count: values.get("count") === "true",
      deleted: deletedOf(values),
      links: linksOf(values),
      expand: values.get("expand"),
      negotiated: where?.searches === true && isNegotiated(language, access),
    };
  }

  #where(fields: QueryFields, language: () => string | undefined) {
    const text = this.#values.get("where");
    if (text === undefined) return { filter: TRUE, searches: false };
    const where = readWhere(text, fields, language);
    if (!("problems" in where)) return where;
    this.problems.push(...where.problems);
    return undefined;
  }

  #order(fields: QueryFields): Order | "relevance" | undefined {
    const text = this.#values.get("order_by");
    if (text === undefined) return defaultOrder;
    const read = readOrder(text, fields);
    if ("order" in read) return read.order;
    this.problems.push(...read.problems);
    return undefined;
  }

  #judgeRelevance(searches: boolean, end: number): void {
    if (!searches) this.#refuse("order_by", "_relevance needs a $search in where");
    if (end > mostRelevant) {
      this.#refuse("skip", `skip and limit must stay within the first ${mostRelevant} results by relevance`);
    }
  }

  #after(order: Order | "relevance", cursors: Cursors): Position | undefined {
    const cursor = this.#values.get("after");
    if (cursor === undefined) return undefined;
    if (this.#values.has("skip")) return this.#refuse("after", "cannot be combined with skip");
    if (order === "relevance" || !isSeekable(order)) {
      return this.#refuse("after", "is not available in this order: use skip");
    }
    const position = cursors.read(order, cursor);
    return position ?? this.#refuse("after", "is not a cursor of this order");
  }

  #refuse(path: string, reason: string): undefined {
    this.problems.push({ path, reason });
    return undefined;
  }
}
