import { and, type Filter, type SearchFilter, searchIn } from "../../../filter/algebra.ts";
import type { Find } from "../../contract/query.ts";
import { ticking } from "../connection.ts";
import { Parameters } from "../parameters.ts";
import { documentColumns, pageLimit } from "../query.ts";
import { foundBy, isFoundBy } from "../text/text.ts";
import { conjunction, isDeep, passing } from "./conditions.ts";
import { lower } from "./lower.ts";
import { conditionsOf, constantOf } from "./narrowing.ts";
import { afterPosition, orderBy, type SortKey, sortBy } from "./order.ts";
import {
  BEFORE,
  documentsOfRows,
  type Guard,
  guardedLimit,
  type Lowered,
  lowered,
  type PageParts,
  type Plan,
} from "./page-plan.ts";
import type { Walk } from "./walks.ts";

/** Rows that a search finds and that are sorted rather than met along an order; it counts them in no time. */
const FEW_FOUND = 2_000;

/** Rows of which the text index is asked one by one, each as if it were searched for alone. */
const FEW_ASKED = 300;

/** Conditions beside a search that are tried for being few. */
const TRIED = 2;

/** What every way to a page has to know. */
interface Sought {
  readonly parts: PageParts;
  readonly find: Find;
  /** Of the order, without those that the filter holds to one value. */
  readonly keys: readonly SortKey[];
  readonly search: SearchFilter;
}

/**
 * The statements of a page of what a search finds, in an order. What it finds is sorted where it is little. What is found
 * in nearly every document is not: then, whichever turns out to be little, the rows of another condition are asked whether
 * they are found, or those at the beginning of the order; and at last all of the order's are, with the set at hand.
 *
 * @param keys of the order, without those that the filter holds to one value
 * @param walk an index along the order, if there is one
 * @param sorted everything that is found, sorted
 */
export function searchedPlan(
  parts: PageParts,
  find: Find,
  keys: readonly SortKey[],
  walk: Walk | undefined,
  sorted: (guard: Guard) => Lowered,
): Plan {
  const { filter, visibility } = find;
  const search = searchIn(filter);
  if (search === undefined) throw new Error("the filter holds no search");
  const others = conditionsOf(filter).filter((part) => part !== search);
  const served = others.filter((part) => parts.source.serves(part, visibility)).slice(0, TRIED);
  const ordered = walk?.index.partial === true ? walk : undefined;
  const frequent = frequency(parts, search, true);
  const many: Guard = (parameters) =>
    conjunction(
      frequent(parameters),
      ...served.map((part) => fewOf(parts, part, visibility, false)(parameters)),
    );
  const sought: Sought = { parts, find, keys, search };
  const asked = served.map((part) => () => askedAlone(sought, part, frequent));
  const last =
    ordered === undefined
      ? [() => sorted(many)]
      : [
          ...(isDeep(find) ? [] : [() => begun(sought, ordered, many)]),
          () => walkedThrough(sought, ordered, many),
        ];
  return { first: sorted(frequency(parts, search, false)), others: [...asked, ...last] };
}

/** Whether the search finds more than a few rows, or, with `more` false, whether it does not. */
function frequency({ shape }: PageParts, { terms }: SearchFilter, more: boolean): Guard {
  return (parameters) => {
    const found = foundBy(shape, terms, parameters);
    if (found === undefined) return more ? "0" : "1";
    return `(SELECT count(*) ${more ? ">" : "<="} ${FEW_FOUND} FROM (${found} LIMIT ${FEW_FOUND + 1}))`;
  };
}

function fewOf({ source }: PageParts, part: Filter, visibility: Find["visibility"], few: boolean): Guard {
  return (parameters) => {
    const rows = source.rows(part, visibility, parameters);
    return `(SELECT count(*) ${few ? "<=" : ">"} ${FEW_ASKED} FROM (SELECT 1 FROM ${rows} LIMIT ${FEW_ASKED + 1}))`;
  };
}

/** The rows of another condition, where they are few, each asked whether it is found; sorted. */
function askedAlone({ parts, find, keys, search }: Sought, part: Filter, frequent: Guard): Lowered {
  const { filter, visibility, after } = find;
  const parameters = new Parameters(BEFORE);
  const guard = conjunction(frequent(parameters), fewOf(parts, part, visibility, true)(parameters));
  const few = `SELECT seq AS few FROM ${parts.source.rows(part, visibility, parameters)} LIMIT CASE WHEN ${guard} THEN ${FEW_ASKED} ELSE 0 END`;
  const conditions = conjunction(
    restOf(parts, filter, [search, part], parameters),
    after === undefined ? "" : afterPosition(keys, parameters),
    isFoundBy(parts.shape, search.terms, parameters),
  );
  const found = `SELECT seq AS found FROM (${few}) CROSS JOIN ${parts.table} ON seq = few WHERE ${conditions}${sortBy(keys)} ${pageLimit}`;
  return lowered(documentsOfRows(parts, found), parameters);
}

/** The page, where the first rows of the order fill it, each asked whether it is found. */
function begun(sought: Sought, walk: Walk, guard: Guard): Lowered {
  const { parts, find, keys, search } = sought;
  const parameters = new Parameters(BEFORE);
  const { rows, bound } = along(sought, walk, parameters);
  const conditions = conjunction(
    restOf(parts, find.filter, [search, ...bound], parameters),
    isFoundBy(parts.shape, search.terms, parameters),
  );
  const most = `CASE WHEN ${guard(parameters)} THEN ${FEW_ASKED} ELSE 0 END`;
  const page = `SELECT seq AS found FROM (SELECT seq AS met FROM ${rows}${orderBy(keys)} LIMIT ${most})
    CROSS JOIN ${parts.table} ON seq = met WHERE ${conditions} ${pageLimit}`;
  return lowered(
    `WITH page AS MATERIALIZED (${page})
    SELECT ${documentColumns} FROM page CROSS JOIN ${parts.table} ON seq = found WHERE (SELECT count(*) FROM page) >= ?2`,
    parameters,
  );
}

/** All rows of the order that are found, until the page is full. */
function walkedThrough(sought: Sought, walk: Walk, guard: Guard): Lowered {
  const { parts, find, keys, search } = sought;
  const parameters = new Parameters(BEFORE);
  const { rows, bound } = along(sought, walk, parameters);
  const conditions = conjunction(
    lower(search, parameters, parts.rowByRow),
    restOf(parts, find.filter, [search, ...bound], parameters),
  );
  const limit = guardedLimit(guard, parameters);
  const found = `SELECT seq AS found FROM ${rows} AND ${conditions}${orderBy(keys)} ${limit}`;
  return lowered(documentsOfRows(parts, found), parameters);
}

/** Rows along an index, those after the position, and the conditions by which the index begins. */
function along(
  { parts: { table, visible, rowByRow }, find: { filter, visibility, after }, keys }: Sought,
  { index, bound }: Walk,
  parameters: Parameters,
): { readonly rows: string; readonly bound: readonly Filter[] } {
  const columns = index.columns.slice(0, bound).map(({ sql }) => sql);
  const held = conditionsOf(filter).filter((part) => columns.includes(constantOf(part)?.key ?? ""));
  const conditions = conjunction(
    ticking,
    visible[visibility],
    passing(and(...held), true, parameters, rowByRow),
    after === undefined ? "" : afterPosition(keys, parameters),
  );
  return { rows: `${table} INDEXED BY ${index.name} WHERE ${conditions}`, bound: held };
}

/** What the filter wants beside these conditions. */
function restOf(
  { unindexed }: PageParts,
  filter: Filter,
  known: readonly Filter[],
  parameters: Parameters,
): string {
  return passing(
    and(...conditionsOf(filter).filter((part) => !known.includes(part))),
    true,
    parameters,
    unindexed,
  );
}
