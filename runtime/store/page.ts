import type { StoreCollection } from "./contract/collection.ts";
import type { StoredDocument } from "./contract/document.ts";
import type { Find } from "./contract/query.ts";

/** A page of a list. */
export interface Page {
  readonly found: readonly StoredDocument[];
  /** There are documents beyond it. */
  readonly hasMore: boolean;
  /** Of its documents' texts. */
  readonly characters: number;
}

/** Characters of documents that background work reads at once. */
export const BATCH_CHARACTERS = 4 * 1024 * 1024;

/**
 * At most `limit` documents, and, but for a single one, no more than `characters` of their texts together.
 * @throws as `find` does
 */
export async function findPage(
  collection: Pick<StoreCollection, "find">,
  query: Find & { readonly characters: number },
): Promise<Page> {
  const { filter, visibility, order, after, limit, skip, characters: most } = query;
  // One more than the page, in either measure, says that there is more. Spelled out, since a spread copy would be dear.
  const found = await collection.find({
    filter,
    visibility,
    order,
    after,
    limit: limit + 1,
    skip,
    characters: most,
  });
  let characters = charactersOf(found);
  const hasMore = found.length > limit || (found.length > 1 && characters > most);
  if (hasMore) characters -= found.pop()?.text.length ?? 0;
  return { found, hasMore, characters };
}

export function charactersOf(found: readonly StoredDocument[]): number {
  let characters = 0;
  for (const { text } of found) characters += text.length;
  return characters;
}
