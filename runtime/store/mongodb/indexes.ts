import { createHash } from "node:crypto";
import type { Document, IndexDescription, IndexDescriptionInfo, IndexDirection } from "mongodb";
import { type Field, type FieldKind, passesArray } from "../../filter/fields.ts";
import type { TextIndex } from "../../filter/search/text-index.ts";
import { kept } from "../../kept.ts";
import type { CollectionShape, IndexShape } from "../contract/shape.ts";
import { columns, INDEX_PREFIX, isDeleted, isLive, own, pathOf } from "./layout.ts";

/** An index as it is made. Its name ends with the hash of everything else, so that one of that name is this one. */
export interface IndexDefinition extends IndexDescription {
  name: string;
  key: Map<string, IndexDirection>;
}

/** Whether documents may hold arrays at a field that is not declared so. */
export type MayHoldArrays = (field: Field) => boolean;

const never: MayHoldArrays = () => false;

/**
 * Every index of a collection but those for texts: the default order, deleted documents, retention, then those declared.
 * The second ones of a kind, and those over `_id` alone, which MongoDB has by itself, are left out.
 */
export function indexDefinitions(
  shape: CollectionShape,
  mayHoldArrays: MayHoldArrays = never,
): readonly IndexDefinition[] {
  const declared = shape.indexes.flatMap((index) => {
    const made = declaredDefinition(shape.name, index, mayHoldArrays);
    return made === undefined ? [] : index.trash === true ? [made, inTrash(index.name, made)] : [made];
  });
  const byKind = new Map<string, IndexDefinition>();
  for (const made of [orderIndex, deletedIndex, retentionIndex, ...declared])
    kept(byKind, hashIn(made.name), () => made);
  return [...byKind.values()];
}

/**
 * Default order of documents of any visibility. That a document is live stands in the index itself: MongoDB does not
 * conclude it from the condition of a partial one, and would fetch every document that it only counts.
 */
export const orderIndex = definition("order", [
  [columns.createdAt, 1],
  [columns.id, 1],
  [own.live, 1],
]);

/** Default order of deleted documents, which are few among the others. */
export const deletedIndex = definition(
  "deleted",
  [
    [columns.createdAt, 1],
    [columns.id, 1],
  ],
  { partialFilterExpression: isDeleted },
);

/** Documents that are to be purged. */
export const retentionIndex = definition("purge", [[columns.purgeAt, 1]], {
  partialFilterExpression: { [columns.purgeAt]: { $exists: true } },
});

/** Holds the tokens of {@link own}.stems, a text for each weight, whatever their language. */
export function textIndexDefinition({ fields }: TextIndex): IndexDefinition {
  const weights = [...new Set(fields.map(({ weight }) => weight))].sort((a, b) => a - b);
  const paths = weights.map((weight) => [`${own.stems}.w${weight}`, weight] as const);
  return definition(
    "text",
    paths.map(([path]) => [path, "text"]),
    { weights: Object.fromEntries(paths), default_language: "none", language_override: "_expanded" },
  );
}

/** Documents by what their stems were made by: finds those that are to be indexed anew. */
export const analysisIndex = definition("analysis", [[own.analysis, 1]]);

/** Those two, which are made and dropped in the background (`text-build.ts`). */
export function isForTexts({ name = "", key }: IndexDescriptionInfo): boolean {
  return name === analysisIndex.name || (name.startsWith(INDEX_PREFIX) && "_fts" in key);
}

/** Indexes that `provision` makes and drops. */
export function isOurs(index: IndexDescriptionInfo): boolean {
  return index.name?.startsWith(INDEX_PREFIX) === true && !isForTexts(index);
}

/**
 * The definition of a declared index; undefined where MongoDB has it by itself. Unique ones have exactly the declared
 * keys. Others go on with the default order, so that a page of equal values needs no sorting; or, where the last key has
 * hardly any equal values, with the id; and end as {@link orderIndex} does. Of the keys at which documents may hold arrays
 * only the first is in it: MongoDB refuses to write a document with arrays under two keys of one index.
 */
export function declaredDefinition(
  collection: string,
  { name, keys, unique }: IndexShape,
  mayHoldArrays: MayHoldArrays = never,
): IndexDefinition | undefined {
  if (unique && keys.some(({ field }) => passesArray(field)))
    throw new Error(`unique index ${name} of ${collection} passes through an array`);
  const arrays = keys.filter(({ field }) => passesArray(field) || mayHoldArrays(field));
  const used = unique ? keys : keys.filter((key) => !arrays.includes(key) || key === arrays[0]);
  const key = new Map<string, IndexDirection>(
    used.map(({ field, descending }) => [pathOf(field), descending ? -1 : 1]),
  );
  if (unique) {
    const isId = key.size === 1 && key.has(columns.id);
    return isId ? undefined : definition(name, [...key], { unique, partialFilterExpression: ofUnique(used) });
  }
  const last = used.at(-1)?.field;
  if (last === undefined || (key.size === 1 && key.has(columns.id))) return undefined;
  if (!key.has(columns.id)) {
    if (!key.has(columns.createdAt) && !isContinuous(last)) key.set(columns.createdAt, 1);
    key.set(columns.id, 1);
  }
  key.set(own.live, 1);
  return definition(name, [...key], { partialFilterExpression: isLive });
}

/** The same over deleted documents. */
function inTrash(name: string, { key }: IndexDefinition): IndexDefinition {
  const keys = [...key].filter(([path]) => path !== own.live);
  return definition(`${name}_trash`, keys, { partialFilterExpression: isDeleted });
}

function ofUnique(keys: IndexShape["keys"]): Document {
  return {
    ...isLive,
    ...Object.fromEntries(keys.map(({ field }) => [pathOf(field), isThere])),
  };
}

/**
 * What a document's value under each key of a unique index is, else it takes no part. Queries for which a unique index is
 * to be used say it too.
 */
export const isThere = { $type: ["string", "number", "bool", "date"] } as const;

function isContinuous({ kinds }: Field): boolean {
  return kinds.every((kind) => continuous.has(kind));
}

const continuous: ReadonlySet<FieldKind> = new Set<FieldKind>(["date-time", "date", "number"]);

function definition(
  name: string,
  keys: readonly (readonly [string, IndexDirection])[],
  options: Omit<IndexDescription, "name" | "key"> = {},
): IndexDefinition {
  const hash = hashOf(keys, options);
  return {
    ...options,
    name: `${INDEX_PREFIX}${name}_${hash}`,
    key: new Map(keys),
  };
}

function hashOf(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}

/** What an index's name says of its definition. */
function hashIn(name: string): string {
  return name.slice(name.lastIndexOf("_"));
}

/** The declared index that the database knows by this name, told by its definition: names may have changed since. */
export function declaredIndex(shape: CollectionShape, name: string): IndexShape | undefined {
  const hash = hashIn(name);
  return shape.indexes.find((index) => declaredDefinition(shape.name, index)?.name.endsWith(hash) === true);
}

/** What an index of ours was called when it was made; undefined for one that is not. */
export function nameIn(name: string): string | undefined {
  return name.startsWith(INDEX_PREFIX) ? name.slice(INDEX_PREFIX.length, name.lastIndexOf("_")) : undefined;
}
