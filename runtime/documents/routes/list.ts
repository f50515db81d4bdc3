import { listDocuments as contract } from "../../contract/documents.ts";
import { ApiError } from "../../errors.ts";
import { and, type Filter, searchIn } from "../../filter/algebra.ts";
import { listTag } from "../../http/etag.ts";
import { kept } from "../../kept.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { QueryTimeout } from "../../store/contract/errors.ts";
import { readable } from "../access.ts";
import { withScore } from "../encode.ts";
import { expander } from "../expand/expand.ts";
import { linkAdder, linkedCaching } from "../files/links.ts";
import { PageReader } from "../page-reader.ts";
import { type Cursors, cursors } from "../query/cursors.ts";
import { varyByLanguage } from "../query/language.ts";
import { type ListQuery, listQuery } from "../query/list.ts";
import { conditional, publicCaching, type Scope, scopeWithin } from "../reads.ts";
import { collectionRoute } from "../route.ts";

export const listDocuments = collectionRoute(
  contract,
  ({ realm, definition, collection, entrance, enter }) => {
    const { documents, view } = collection;
    const listed = { documents, pages: new PageReader(documents, realm.pageCharacters) };
    const ofLists = cursors(realm.cursors, collection.storeName);
    const readQuery = listQuery(contract, realm, definition, ofLists);
    const caching = publicCaching(definition);
    const addLinks = linkAdder(realm, definition);
    const { readExpand, run } = expander(realm, definition, entrance);
    const negotiatedVary = varyByLanguage(realm.definition);
    return async (exchange): Promise<Answer> => {
      const access = await enter(exchange);
      const read = readable(definition, access, definition.rules?.read);
      const query = readQuery(exchange, access);
      const plan = query.expand === undefined ? undefined : readExpand(query.expand);
      const scope = scopeWithin(definition, access, read, query.deleted);
      const page = await readPage(listed, exchange, scope, query);
      const cursor = cursorAfter(page, query, ofLists);

      const texts: string[] = [];
      let shown = `${page.hasMore},${page.total},${cursor}`;
      for (const stored of page.found) {
        const { text, tag } = view(access, stored);
        const { score } = stored;
        const linked = query.links === undefined ? text : addLinks(stored.id, text, query.links);
        texts.push(score === undefined ? linked : withScore(linked, score));
        shown += score === undefined ? `\n${stored.id}${tag}` : `\n${stored.id}${tag}${score}`;
      }
      const etag = listTag(shown);
      const vary = query.negotiated ? negotiatedVary : undefined;
      if (plan === undefined && query.links === undefined) {
        const body = () => listText(texts, query, page, cursor);
        return conditional(exchange, etag, caching(exchange, query.deleted), body, vary);
      }
      const headers = {
        etag,
        ...(vary !== undefined && { vary }),
        ...(query.links !== undefined && linkedCaching),
      };
      if (plan === undefined) return { status: 200, headers, body: listText(texts, query, page, cursor) };
      const expanded = await run(plan, access, exchange, page.found, texts);
      return {
        status: 200,
        headers: { ...expanded.headers, ...headers },
        body: listText(expanded.texts, query, page, cursor),
      };
    };
  },
);

interface Listed {
  readonly documents: StoreCollection;
  readonly pages: PageReader;
}

interface Page {
  readonly found: readonly StoredDocument[];
  readonly hasMore: boolean;
  readonly total: number | undefined;
}

/** @throws ApiError `search_too_expensive` | `unavailable`, and as the store does */
async function readPage(
  { documents, pages }: Listed,
  exchange: Exchange,
  scope: Scope,
  { filter: where, order, after, limit, skip, count }: ListQuery,
): Promise<Page> {
  const { visibility } = scope;
  const filter = both(scope.filter, where);
  // Conditions that nothing can meet leave no search to order by, and nothing to order.
  const isOrdered = order !== "relevance" || searchIn(filter) !== undefined;
  try {
    const { found, hasMore } = await pages.read(exchange, {
      filter,
      visibility,
      order: isOrdered ? order : undefined,
      after,
      limit,
      skip,
    });
    if (!count) return { found, hasMore, total: undefined };
    // A last page says itself how many there are in all.
    const isTold = !hasMore && after === undefined && (found.length > 0 || skip === 0);
    const total = isTold ? skip + found.length : await documents.count(filter, visibility);
    return { found, hasMore, total };
  } catch (error) {
    throw refusedFind(filter, error);
  }
}

/** The same filter again for the same two: a caller's read rule and a `where` that many ask with. */
function both(readable: Filter, where: Filter): Filter {
  if (readable.op === "true" || where.op === "true") return and(readable, where);
  const byWhere = kept(conjunctions, readable, () => new WeakMap<Filter, Filter>());
  return kept(byWhere, where, () => and(readable, where));
}

const conjunctions = new WeakMap<Filter, WeakMap<Filter, Filter>>();

/** Spec: Full-text search 7. */
function refusedFind(filter: Filter, error: unknown): unknown {
  if (!(error instanceof QueryTimeout) || searchIn(filter) === undefined) return error;
  return new ApiError("search_too_expensive", "The search took too long.", { cause: error });
}

function cursorAfter({ found, hasMore }: Page, { order }: ListQuery, ofLists: Cursors): string | undefined {
  const last = found.at(-1);
  return hasMore && last !== undefined && order !== "relevance" ? ofLists.after(order, last) : undefined;
}

/** The answer (spec: List response): stored texts side by side. */
function listText(
  texts: readonly string[],
  { limit, skip }: ListQuery,
  { hasMore, total }: Page,
  cursor: string | undefined,
): string {
  // Cursors need no escapes: they are ids or base64url.
  const next = cursor === undefined ? "" : `,"next_cursor":"${cursor}"`;
  const count = total === undefined ? "" : `,"total":${total}`;
  return `{"items":[${texts.join(",")}],"limit":${limit},"skip":${skip},"has_more":${hasMore}${next}${count}}`;
}
