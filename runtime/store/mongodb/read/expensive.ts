import type { Filter } from "../../../filter/algebra.ts";
import { confinedTo } from "../../../filter/confined.ts";
import { documentFields, type Field, passesArray } from "../../../filter/fields.ts";
import { defaultOrder, type Order } from "../../../filter/order.ts";
import { kept } from "../../../kept.ts";
import { byVisibility, type Visibility } from "../../contract/document.ts";
import type { Find } from "../../contract/query.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Provisioned } from "../engine.ts";
import { type IndexDefinition, indexDefinitions } from "../indexes.ts";
import { columns, isDeleted, isLive, isOwn, pathOf } from "../layout.ts";
import { pathsWithValues } from "./filter.ts";
import type { SortKey } from "./order.ts";
import { sortingFor } from "./positions.ts";

/**
 * Which queries may look at many more documents, or entries of an index, than they answer with. Told by their shape: which
 * indexes there are, what is asked and in which order. How many documents there are is not looked at.
 */

/** Documents passed over by `skip` that are many. */
const DEEP = 1_000;

export function isExpensiveFind({ shape, regularity }: Provisioned, query: Find): boolean {
  const { filter, visibility, skip, order = defaultOrder, after } = query;
  if (skip > DEEP) return true;
  const { findsFew, looksIntoTexts, isLed, walked } = judged(shape, filter, visibility);
  if (findsFew) return false;
  if (order === "relevance" || looksIntoTexts) return true;
  if (isLed) return false;
  const { keys, computed } = sortingFor(regularity, order, after);
  return computed !== undefined || !kept(walked, order, () => isWalked(shape, filter, visibility, keys));
}

/** All that is counted is looked at. The service's own collections it asks only for what indexes have beside each other. */
export function isExpensiveCount({ shape }: Provisioned, filter: Filter, visibility: Visibility): boolean {
  const { findsFew, looksIntoTexts, isLed } = judged(shape, filter, visibility);
  if (findsFew) return false;
  return !isOwn(shape.name) || looksIntoTexts || !isLed;
}

/** What is known of a filter before it is asked with. */
interface Judged {
  /** It names its documents, by their ids or all values of a unique index. */
  readonly findsFew: boolean;
  /** Texts are gone through for it, or the words in them: no index has them in an order that helps. */
  readonly looksIntoTexts: boolean;
  /** An index leads to a part of the documents. */
  readonly isLed: boolean;
  /** Whether an index has the documents in an order, and in it what is asked of them. */
  readonly walked: WeakMap<Order, boolean>;
}

type Verdicts = Record<Visibility, WeakMap<Filter, Judged>>;

/** Asked again with the same filters: those of rules, of clients and of both are kept. */
const verdicts = new WeakMap<CollectionShape, Verdicts>();

function judged(shape: CollectionShape, filter: Filter, visibility: Visibility): Judged {
  const known = kept(verdicts, shape, () => byVisibility(() => new WeakMap()));
  return kept(known[visibility], filter, () => ({
    findsFew: findsFew(shape, filter, visibility),
    looksIntoTexts: looksIntoTexts(filter),
    isLed: isLed(filter, leading(shape, visibility)) || isLedByUnique(shape, filter, visibility),
    walked: new WeakMap(),
  }));
}

function findsFew(shape: CollectionShape, filter: Filter, visibility: Visibility): boolean {
  const isNamed = (field: Field) => confinedTo(filter, field) !== undefined;
  return (
    isNamed(documentFields.id) ||
    uniqueIndexes(shape, visibility).some(({ keys }) => keys.every(({ field }) => isNamed(field)))
  );
}

function looksIntoTexts(filter: Filter): boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.of.some(looksIntoTexts);
    case "not":
      return looksIntoTexts(filter.of);
    case "search":
    case "contains":
    case "endsWith":
      return true;
    case "startsWith":
      return filter.ignoreCase;
    case "like":
      return filter.ignoreCase || /^[%_]/.test(filter.pattern);
    default:
      return false;
  }
}

function isLed(filter: Filter, paths: ReadonlySet<string>): boolean {
  switch (filter.op) {
    case "false":
      return true;
    case "and":
      return filter.of.some((part) => isLed(part, paths));
    case "or":
      return filter.of.every((part) => isLed(part, paths));
    case "not":
      return filter.of.op === "exists" && !passesArray(filter.of.field) && paths.has(pathOf(filter.of.field));
    case "true":
    case "exists":
    case "search":
      return false;
    default:
      return paths.has(pathOf(filter.field));
  }
}

/** As `chosen` has it: a unique index serves where there is a value under each of its keys. */
function isLedByUnique(shape: CollectionShape, filter: Filter, visibility: Visibility): boolean {
  const given = pathsWithValues(filter);
  return uniqueIndexes(shape, visibility).some(({ keys }) =>
    keys.every(({ field }) => given.has(field.path)),
  );
}

/** They are over live documents. */
function uniqueIndexes({ indexes }: CollectionShape, visibility: Visibility): CollectionShape["indexes"] {
  return visibility === "live" ? indexes.filter(({ unique }) => unique) : [];
}

/** Paths that an index over the documents begins with; of any visibility, which are asked apart, those of deleted ones. */
function leading(shape: CollectionShape, visibility: Visibility): ReadonlySet<string> {
  const over = indexesOver(shape, visibility === "live" ? "live" : "deleted");
  return new Set([columns.id, ...over.flatMap(({ key }) => [...key.keys()].slice(0, 1))]);
}

function isWalked(
  shape: CollectionShape,
  filter: Filter,
  visibility: Visibility,
  keys: readonly SortKey[],
): boolean {
  const [first] = keys;
  // Deleted documents are few among all, which is what the index over ids has.
  if (first?.path === columns.id && filter.op === "true") return visibility !== "deleted";
  const asked = askedIn(filter);
  return indexesOver(shape, visibility).some(
    ({ key }) => follows([...key], keys) && [...asked].every((path) => key.has(path)),
  );
}

function follows(index: readonly (readonly [string, unknown])[], keys: readonly SortKey[]): boolean {
  const isReversed = ({ descending }: SortKey, at: number) => descending !== (index[at]?.[1] === -1);
  return keys.every(
    (key, at) => key.path === index[at]?.[0] && isReversed(key, at) === keys.slice(0, 1).some(isReversed),
  );
}

function askedIn(filter: Filter): ReadonlySet<string> {
  switch (filter.op) {
    case "true":
    case "false":
    case "search":
      return new Set();
    case "and":
    case "or":
      return new Set(filter.of.flatMap((part) => [...askedIn(part)]));
    case "not":
      return askedIn(filter.of);
    default:
      return new Set([pathOf(filter.field)]);
  }
}

/** But for unique ones, which lack documents. */
function indexesOver(shape: CollectionShape, visibility: Visibility): readonly IndexDefinition[] {
  return indexDefinitions(shape).filter(({ unique, partialFilterExpression: part }) => {
    if (unique === true) return false;
    if (visibility === "deleted") return part === isDeleted;
    return part === undefined || (visibility === "live" && part === isLive);
  });
}
