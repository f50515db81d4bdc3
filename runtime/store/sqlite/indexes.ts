import type { Filter } from "../../filter/algebra.ts";
import { type FieldKind, holdsArray, passesArray } from "../../filter/fields.ts";
import { literalStart } from "../../filter/like.ts";
import type { Visibility } from "../contract/document.ts";
import type { CollectionShape, IndexShape } from "../contract/shape.ts";
import { documentKey, keyExpression } from "./expressions.ts";
import { indexName, orderIndexName, quoted, tableName, trashName } from "./names.ts";

/** An index of a collection's table: what it is ordered by. */
export interface TableIndex {
  /** Quoted. */
  readonly name: string;
  readonly columns: readonly { readonly sql: string; readonly descending: boolean }[];
  /** Of the rows that have a value in each column, no two have the same. */
  readonly unique: boolean;
  /** The rows in it have no other visibility. */
  readonly partial: boolean;
}

const column = (sql: string) => ({ sql, descending: false });

/** Indexes that hold every row of a visibility, those that the configuration declares first. */
export function tableIndexes(shape: CollectionShape): Readonly<Record<Visibility, readonly TableIndex[]>> {
  const { name: collection, indexes } = shape;
  const named = (index: IndexShape, own: string): TableIndex[] => {
    const columns = indexColumns(index);
    const name = quoted(indexName(collection, own));
    return columns.length === 0 ? [] : [{ name, columns, unique: index.unique, partial: true }];
  };
  const declared = indexes.flatMap((index) => named(index, index.name));
  const ofTrash = indexes.filter(hasTrash).flatMap((index) => named(index, trashName(index.name)));
  const byTime = (visibility: "live" | "deleted"): TableIndex => {
    const name = quoted(orderIndexName(collection, visibility));
    return { name, columns: [column("created_at"), column("id")], unique: false, partial: true };
  };
  // Made by SQLite for the first unique column.
  const idIndex = quoted(`sqlite_autoindex_${tableName(collection)}_1`);
  const byId: TableIndex = { name: idIndex, columns: [column("id")], unique: true, partial: false };
  return {
    live: [...declared, byTime("live"), byId],
    deleted: [...ofTrash, byTime("deleted"), byId],
    all: [byId],
  };
}

/** Whether deleted documents have one like it. */
export function hasTrash({ trash = false }: IndexShape): boolean {
  return trash;
}

/**
 * What a declared index is ordered by: its keys, but those through arrays, which have tables of their own. An index that
 * is not unique ends with the default order, so that a page of equal values needs no sorting; or, where its last key has
 * hardly any equal values, with the id, so that an order by its keys needs none. SQLite lets NULLs repeat in a unique one.
 */
export function indexColumns({ keys, unique }: IndexShape): TableIndex["columns"] {
  const own = keys
    .filter(({ field }) => !passesArray(field))
    .map(({ field, descending }) => ({
      sql: unique ? documentKey(field) : keyExpression(field),
      descending,
    }));
  if (unique || own.length === 0) return own;
  const [time, id] = ["created_at", "id"].map((sql) => own.some((key) => key.sql === sql));
  if (id) return own;
  return [...own, ...(time || isContinuous(keys) ? [] : [column("created_at")]), column("id")];
}

function isContinuous(keys: IndexShape["keys"]): boolean {
  const last = keys.findLast(({ field }) => !passesArray(field));
  return last?.field.kinds.every((kind) => continuous.has(kind)) ?? false;
}

const continuous: ReadonlySet<FieldKind> = new Set<FieldKind>(["date-time", "date", "number"]);

/** Paths of fields that indexes of every collection and visibility find values of. */
const everyDocuments: ReadonlySet<string> = new Set(["id", "_meta.created_at"]);

/** The paths of the fields that indexes find values of: these of a collection's table, or some of them. */
export function indexedPaths(indexes: readonly IndexShape[]): ReadonlySet<string> {
  const paths = new Set(everyDocuments);
  for (const { keys } of indexes) {
    // An index begins with its first key without arrays; each of the others has a table of values.
    const first = keys.find(({ field }) => !passesArray(field));
    if (first !== undefined) paths.add(first.field.path);
    for (const { field } of keys) if (passesArray(field)) paths.add(field.path);
  }
  return paths;
}

/** Whether indexes can find the rows that satisfy the filter. */
export function isServed(filter: Filter, indexed: ReadonlySet<string>): boolean {
  switch (filter.op) {
    case "false":
    case "search":
      return true;
    case "and":
      return filter.of.some((part) => isServed(part, indexed));
    case "or":
      return filter.of.every((part) => isServed(part, indexed));
    case "not":
      // Nulls stand together in an index.
      return filter.of.op === "exists" && !passesArray(filter.of.field) && indexed.has(filter.of.field.path);
    case "true":
    case "exists":
    case "endsWith":
    case "contains":
      return false;
    case "startsWith":
      return !filter.ignoreCase && indexed.has(filter.field.path);
    case "like":
      return !filter.ignoreCase && literalStart(filter.pattern) !== "" && indexed.has(filter.field.path);
    case "equalsArray":
      // By an element of it.
      return (
        holdsArray(filter.field) &&
        filter.value.some((element) => element !== null) &&
        indexed.has(filter.field.path)
      );
    default:
      return indexed.has(filter.field.path);
  }
}
