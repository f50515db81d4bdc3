import { and, type Filter, searchIn, TRUE } from "../../../filter/algebra.ts";
import { defaultOrder, type Order } from "../../../filter/order.ts";
import { kept } from "../../../kept.ts";
import type { Visibility } from "../../contract/document.ts";
import type { Find } from "../../contract/query.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { ticking } from "../connection.ts";
import type { Value } from "../driver.ts";
import { type TableIndex, tableIndexes } from "../indexes.ts";
import { quoted, tableName } from "../names.ts";
import { Parameters } from "../parameters.ts";
import { documentColumns, pageLimit, type Texts, textsOf, visibleIn, type Way } from "../query.ts";
import { relevanceOf } from "../text/text.ts";
import { type Apart, apartIn, fewApart, foundApart } from "./apart.ts";
import { conjunction, holdsConditions, isDeep, isElsewhere, passing } from "./conditions.ts";
import { type Indexes, rowByRow, unindexed } from "./lower.ts";
import { type Merge, mergeAlong, mergedRows } from "./merged.ts";
import { type Narrowing, narrowingOf } from "./narrowing.ts";
import {
  afterPosition,
  isDefault,
  keyValues,
  orderBy,
  orderByColumns,
  type Seek,
  type SortKey,
  seeksAfter,
  seeksBeyond,
  seeksFromStart,
  sortBy,
  sortKeys,
  within,
} from "./order.ts";
import {
  alone,
  BEFORE,
  documentsOfRows,
  type Guard,
  guardedLimit,
  type Lowered,
  lowered,
  type PageParts,
  type Plan,
} from "./page-plan.ts";
import { searchedPlan } from "./searched.ts";
import type { Source } from "./source.ts";
import { findsOne, isNarrow, type Walk, walksAlong } from "./walks.ts";

/** Of an index, and whether it has the rows in order; else they are sorted. */
interface Range extends Seek {
  readonly index: TableIndex;
  readonly inOrder: boolean;
}

const everything = (keys: readonly SortKey[]): Seek => ({ keys, condition: () => "" });

/** Ways to the same page. */
type Plans = readonly (() => Plan)[];

/** Walks tried where the filter binds several indexes. */
const WALKS = 2;

/**
 * The statements of lists. There are two ways to a page. Along an index that has the rows in order, taking those that the
 * filter wants until the page is full: best when these are many. Or finding what the filter wants by an index of its own,
 * and sorting it: best when that is little. Which is better depends on values that nobody has counted, so both are given,
 * and each says itself which index it means: SQLite guesses, and would guess otherwise once there are statistics.
 */
export class Pages {
  readonly #parts: PageParts;
  readonly #texts: (characters: number | undefined) => Texts;
  /**
   * By filter, order and variant: spelled out once, since rules and clients ask with the same ones again and again. They
   * live as long as these.
   */
  readonly #plans = new WeakMap<Filter, WeakMap<Order, Map<string, Plans>>>();

  constructor(shape: CollectionShape, indexes: Indexes, source: Source) {
    this.#texts = textsOf(shape);
    this.#parts = {
      shape,
      table: quoted(tableName(shape.name)),
      visible: visibleIn(shape),
      tableIndexes: tableIndexes(shape),
      source,
      rowByRow: rowByRow(indexes),
      unindexed: unindexed(indexes),
    };
  }

  /** Ways to the same rows, the one to take first where none turns out to be cheap. */
  find(now: number, find: Find): readonly Way[] {
    const { limit, skip, after, order = defaultOrder, characters } = find;
    const position = after === undefined || order === "relevance" ? [] : keyValues(order, after);
    const bound = ({ sql, values, blanks }: Lowered) => {
      const parameters = [now, limit, skip, ...values];
      for (const { at, blank } of blanks) {
        const value = position[blank.key] ?? null;
        parameters[BEFORE + at] = blank.json ? JSON.stringify(value) : value;
      }
      return { sql, parameters };
    };
    const plans =
      order === "relevance" ? [() => alone(this.#byRelevance(find))] : this.#plansOf(find, order, position);
    return plans.map((plan) => () => {
      const { first, others } = plan();
      const texts = this.#texts(characters);
      return { first: bound(first), others: others.map((other) => () => bound(other())), limit, texts };
    });
  }

  #plansOf(find: Find, order: Order, position: readonly Value[]): Plans {
    const { filter, visibility, after, skip } = find;
    const elsewhere =
      after !== undefined && filter.op !== "true" && isElsewhere(filter, sortKeys(order, after), position);
    const byOrder = kept(this.#plans, filter, () => new WeakMap<Order, Map<string, Plans>>());
    const known = kept(byOrder, order, () => new Map<string, Plans>());
    const present = position.map((value) => (value === null ? "0" : "1")).join("");
    const variant = `${visibility} ${isDeep(find)} ${skip > 0} ${elsewhere} ${present}`;
    return kept(known, variant, () => this.#ways(find, order, elsewhere).map(once));
  }

  #ways(find: Find, order: Order, elsewhere: boolean): Plans {
    const { filter, visibility, after, skip } = find;
    const keys = sortKeys(order, after);
    if (visibility === "all" && isDefault(keys)) return [() => alone(this.#sideBySide(find, keys))];

    const narrowing = narrowingOf(filter);
    const free = keys.filter(({ sql }) => !narrowing.constants.has(sql));
    const sorted = () => alone(this.#sorted(find, elsewhere ? keys : free));
    if (elsewhere || (after !== undefined && skip > 0)) return [sorted];

    const indexes = this.#parts.tableIndexes[visibility];
    const [best, ...others] = walksAlong(indexes, free, narrowing);
    if (searchIn(filter) !== undefined) {
      if (visibility === "all") return [sorted];
      return [() => searchedPlan(this.#parts, find, free, best, (guard) => this.#sorted(find, free, guard))];
    }
    const isServed = this.#parts.source.serves(filter, visibility);
    const apart = isServed || visibility !== "live" ? undefined : apartIn(indexes, filter);
    if (apart !== undefined) return this.#waysApart(find, free, best, apart);
    if (best === undefined || findsOne(best)) return [sorted];
    const merge = mergeAlong(indexes, free, filter, narrowing);
    const merging = merge === undefined ? [] : [() => alone(this.#merged(find, free, merge))];
    if (isServed && !isNarrow(best)) {
      const walked = () => this.#walked(find, free, best);
      if (merge?.merged !== undefined) return [...merging, walked, sorted];
      const isQuick = merge !== undefined && holdsConditions(best.index, free, narrowing.asked);
      return isQuick ? [walked, ...merging, sorted] : [sorted, walked, ...merging];
    }
    const [first, ...more] = [best, ...others.slice(0, WALKS - 1)].map(
      (walk) => () => this.#walked(find, free, walk),
    );
    const ways = [...(first === undefined ? [] : [first]), ...merging, ...more];
    const fromStart = best.walked === 1 && skip === 0 && !isNarrow(best);
    if (best.walked < free.length && (after !== undefined || fromStart))
      ways.push(() => this.#inParts(find, free, best, narrowing));
    return isServed ? [...ways, sorted] : ways;
  }

  /** Where one value is excluded: the others are sorted where they are few, else met along the order. */
  #waysApart(find: Find, keys: readonly SortKey[], walk: Walk | undefined, apart: Apart): Plans {
    const many = fewApart(this.#parts, apart, false);
    const met =
      walk === undefined ? alone(this.#sorted(find, keys, many)) : this.#walked(find, keys, walk, many);
    const chosen = () => ({
      first: foundApart(this.#parts, find, keys, apart),
      others: [() => met.first, ...met.others],
    });
    return walk === undefined ? [chosen] : [chosen, () => this.#walked(find, keys, walk)];
  }

  /** Along an index. After a position this is a range of it for each key that may be the first to differ. */
  #walked(find: Find, keys: readonly SortKey[], walk: Walk, guard?: Guard): Plan {
    const { index, walked } = walk;
    const inOrder = walked === keys.length;
    // A condition within an OR is out of the index's reach.
    const everyRow = isDeep(find) || !inOrder || isNarrow(walk) || !index.partial;
    const seeks = find.after === undefined ? [everything(keys)] : seeksAfter(keys, walked);
    const ranges = seeks.map((seek) => ({ ...seek, index, inOrder }));
    const isSpelled = isNarrow(walk) || holdsConditions(index, keys, narrowingOf(find.filter).asked);
    const { rowByRow, unindexed } = this.#parts;
    return this.#along(find, ranges, everyRow, isSpelled ? rowByRow : unindexed, guard);
  }

  /**
   * An index that follows the first keys only leaves the rows equal in these to be sorted. Where they are many it is
   * better to go along another one with those that come first, one that follows the other keys.
   */
  #inParts(find: Find, keys: readonly SortKey[], outer: Walk, narrowing: Narrowing): Plan {
    const { visibility, after } = find;
    const equal = keys.slice(0, outer.walked);
    const rest = keys.slice(outer.walked);
    const constants = new Set([...narrowing.constants, ...equal.map(({ sql }) => sql)]);
    const [inner] = walksAlong(this.#parts.tableIndexes[visibility], rest, { ...narrowing, constants });
    const [key] = equal;
    if (inner === undefined || key === undefined) return this.#walked(find, keys, outer);

    const rows = `${this.#parts.table} INDEXED BY ${outer.index.name} WHERE ${this.#parts.visible[visibility]}`;
    const start = `(SELECT ${key.sql} FROM ${rows}${orderBy([key])} LIMIT 1)`;
    const [first, others] =
      after === undefined
        ? seeksFromStart(key, rest, start)
        : [within(equal, seeksAfter(rest, inner.walked)), seeksBeyond(keys, outer.walked)];
    const inOrder = inner.walked === rest.length;
    return this.#along(
      find,
      [
        ...first.map((seek) => ({ ...seek, index: inner.index, inOrder })),
        ...others.map((seek) => ({ ...seek, index: outer.index, inOrder: false })),
      ],
      true,
      this.#parts.rowByRow,
    );
  }

  /** Where the filter wants one of several values of a key: of each as many rows as the page may hold. */
  #merged({ visibility, after }: Find, keys: readonly SortKey[], merge: Merge): Lowered {
    const parameters = new Parameters(BEFORE);
    const rest = passing(merge.rest, true, parameters, this.#parts.rowByRow);
    const later = after === undefined ? "" : afterPosition(keys, parameters);
    const condition = conjunction(ticking, this.#parts.visible[visibility], rest, later);
    return lowered(
      documentsOfRows(this.#parts, mergedRows(this.#parts.table, merge, keys, condition, parameters)),
      parameters,
    );
  }

  /** One range after the other. */
  #along(
    find: Find,
    [first, ...others]: readonly Range[],
    everyRow: boolean,
    indexes: Indexes,
    guard?: Guard,
  ): Plan {
    const { filter, visibility } = find;
    const statement = ({ index, keys, condition, inOrder }: Range): Lowered => {
      const parameters = new Parameters(BEFORE);
      const conditions = conjunction(
        everyRow ? ticking : "",
        this.#parts.visible[visibility],
        condition(parameters),
        passing(filter, everyRow, parameters, indexes),
      );
      const rows = `FROM ${this.#parts.table} INDEXED BY ${index.name} WHERE ${conditions}${orderBy(keys)} ${guardedLimit(guard, parameters)}`;
      const sql = inOrder
        ? `SELECT ${documentColumns} ${rows}`
        : documentsOfRows(this.#parts, `SELECT seq AS found ${rows}`);
      return lowered(sql, parameters);
    };
    if (first === undefined) throw new Error("there is nothing to go along");
    return { first: statement(first), others: others.map((range) => once(() => statement(range))) };
  }

  /** Found in any order, by the filter's indexes where it has some, and sorted. */
  #sorted({ filter, visibility, after }: Find, keys: readonly SortKey[], guard?: Guard): Lowered {
    const parameters = new Parameters(BEFORE);
    const later = after === undefined ? "" : afterPosition(keys, parameters);
    const rows = (part: Visibility) => conjunction(this.#parts.source.rows(filter, part, parameters), later);
    if (visibility !== "all" || !this.#parts.source.serves(filter, visibility)) {
      const found = `SELECT seq AS found FROM ${rows(visibility)}${sortBy(keys)} ${guardedLimit(guard, parameters)}`;
      return lowered(documentsOfRows(this.#parts, found), parameters);
    }
    // Indexes serve the live ones and the deleted ones each by themselves.
    const columns = ["seq AS found", ...keys.map(({ sql }) => `+${sql}`)].join(", ");
    const parts = (["live", "deleted"] as const).map((part) => `SELECT ${columns} FROM ${rows(part)}`);
    const found = `${parts.join(" UNION ALL ")}${orderByColumns(keys)} ${pageLimit}`;
    return lowered(documentsOfRows(this.#parts, `SELECT found FROM (${found})`), parameters);
  }

  /** Everything in the default order: the trash has an index of its own, so both are walked side by side. */
  #sideBySide(find: Find, keys: readonly SortKey[]): Lowered {
    const { filter, after } = find;
    const parameters = new Parameters(BEFORE);
    const later = after === undefined ? "" : afterPosition(keys, parameters);
    const everyRow = isDeep(find) || this.#parts.source.serves(filter, "all");
    const select = (part: Visibility) => {
      const rows = everyRow
        ? conjunction(this.#parts.source.rows(filter, part, parameters), later)
        : `${this.#parts.table} WHERE ${conjunction(this.#parts.visible[part], later, passing(filter, false, parameters, this.#parts.unindexed))}`;
      return `SELECT ${documentColumns} AS text, created_at FROM ${rows}`;
    };
    const found = `${select("live")} UNION ALL ${select("deleted")} ORDER BY created_at, id ${pageLimit}`;
    // A fourth column would be a score.
    return lowered(`SELECT id, version, text FROM (${found})`, parameters);
  }

  #byRelevance({ filter, visibility }: Find): Lowered {
    const search = searchIn(filter);
    if (search === undefined) throw new Error("an order by relevance needs a search");
    const rest = filter.op === "and" ? and(...filter.of.filter((part) => part !== search)) : TRUE;
    const parameters = new Parameters(BEFORE);
    const { from, condition, score } = relevanceOf(this.#parts.shape, search.terms, parameters);
    const conditions = conjunction(
      condition,
      ticking,
      this.#parts.visible[visibility],
      passing(rest, true, parameters, this.#parts.unindexed),
    );
    const found = `SELECT seq AS found, ${score} AS score FROM ${from} WHERE ${conditions} ORDER BY score DESC, id ${pageLimit}`;
    const sql = `SELECT ${documentColumns}, score FROM (${found}) CROSS JOIN ${this.#parts.table} ON seq = found`;
    return lowered(sql, parameters);
  }
}

function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
}
