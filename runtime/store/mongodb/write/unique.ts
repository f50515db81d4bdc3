import type { Document, Filter } from "mongodb";
import type { CollectionShape } from "../../contract/shape.ts";
import { isThere } from "../indexes.ts";
import { isLive, pathOf } from "../layout.ts";
import { memberOf, type Stored } from "./codec.ts";

/** Its name in the shape, and where its keys lie. */
export interface UniqueIndex {
  readonly name: string;
  readonly keys: readonly { readonly path: string; readonly segments: readonly string[] }[];
}

export function uniqueIndexesOf({ indexes }: CollectionShape): readonly UniqueIndex[] {
  return indexes
    .filter(({ unique }) => unique)
    .map(({ name, keys }) => ({
      name,
      keys: keys.map(({ field }) => ({ path: pathOf(field), segments: field.segments })),
    }));
}

/** Which documents have the values that this one has under a unique index; none where it takes no part in it. */
export function alikeUnder({ keys }: UniqueIndex, document: Stored): readonly Filter<Stored>[] {
  const values = keys.map(({ path, segments }) => [path, valueAt(document, segments)] as const);
  if (values.some(([, value]) => value === undefined || value === null)) return [];
  return [
    { ...isLive, ...Object.fromEntries(values.map(([path, $eq]) => [path, { $eq, ...isThere }] as const)) },
  ];
}

/** Keys of unique indexes pass through no array. */
function valueAt(document: Document, segments: readonly string[]): unknown {
  return segments.reduce<unknown>(memberOf, document);
}
