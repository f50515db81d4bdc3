import { listTag } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { accessTo } from "../access.ts";
import { type Collection, collectionOf } from "../collection.ts";
import { type ListQuery, listQuery } from "../query.ts";
import { conditional, publicCaching, readScope, type Scope } from "../reads.ts";
import type { View } from "../view.ts";

/** `GET /v1/{realm}/{database}/{collection}`. */
export function listDocuments(definition: CollectionDefinition): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const identify = accessTo(realm);
    const read = listQuery(definition);
    const caching = publicCaching(definition);
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        const query = read(exchange.search);
        const scope = readScope(definition, access, query.deleted);
        const found = await collection.documents.find({ ...scope, limit: query.limit + 1, skip: query.skip });
        const hasMore = found.length > query.limit;
        if (hasMore) found.pop();
        const total = query.count
          ? await countAll(collection, scope, query, found.length, hasMore)
          : undefined;

        const views: View[] = [];
        let shown = `${hasMore},${total}`;
        for (const stored of found) {
          const view = collection.view(access, stored);
          views.push(view);
          shown += `\n${stored.id}${view.tag}`;
        }
        const page: Page = { views, query, hasMore, total };
        return conditional(exchange, listTag(shown), caching(exchange, query.deleted), () => pageText(page));
      },
    };
  };
}

/** How many documents there are in all; a page that is the last says it itself. */
async function countAll(
  { documents }: Collection,
  { filter, visibility }: Scope,
  { skip }: ListQuery,
  found: number,
  hasMore: boolean,
): Promise<number> {
  if (!hasMore && (found > 0 || skip === 0)) return skip + found;
  return documents.count(filter, visibility);
}

interface Page {
  readonly views: readonly View[];
  readonly query: ListQuery;
  readonly hasMore: boolean;
  readonly total: number | undefined;
}

/** The answer (spec: List response): stored texts side by side. */
function pageText({ views, query, hasMore, total }: Page): string {
  let items = "";
  for (const { text } of views) items += items === "" ? text : `,${text}`;
  const count = total === undefined ? "" : `,"total":${total}`;
  return `{"items":[${items}],"limit":${query.limit},"skip":${query.skip},"has_more":${hasMore}${count}}`;
}
