import { getDocument as contract } from "../../contract/documents.ts";
import { documentTag } from "../../http/etag.ts";
import { isId } from "../../ids.ts";
import type { Answer } from "../../realm/exchange.ts";
import { readable } from "../access.ts";
import { expander } from "../expand/expand.ts";
import { linkAdder, linkedCaching } from "../files/links.ts";
import { missing } from "../missing.ts";
import { getQuery } from "../query/get.ts";
import { conditional, publicCaching, scopeWithin } from "../reads.ts";
import { collectionRoute } from "../route.ts";

export const getDocument = collectionRoute(contract, ({ realm, definition, collection, entrance, enter }) => {
  const { documents, view } = collection;
  const query = getQuery(contract, realm, definition);
  const caching = publicCaching(definition);
  const addLinks = linkAdder(realm, definition);
  const { readExpand, run } = expander(realm, definition, entrance);
  return async (exchange): Promise<Answer> => {
    const access = await enter(exchange);
    const { id = "" } = exchange.params;
    const read = readable(definition, access, definition.rules?.read);
    const { deleted, expand, links } = query(exchange.search);
    const plan = expand === undefined ? undefined : readExpand(expand);
    const { filter, visibility } = scopeWithin(definition, access, read, deleted);
    const stored = isId(id) ? await documents.get(id, visibility, filter) : undefined;
    if (stored === undefined) throw await missing(realm, collection, access, id, visibility);
    const { text, tag } = view(access, stored);
    if (plan === undefined && links === undefined)
      return conditional(exchange, tag, caching(exchange, deleted), () => text);
    const body = links === undefined ? text : addLinks(id, text, links);
    // The plain version, whatever is hidden, expanded or linked: such answers are never compared, only written against.
    const headers = { etag: documentTag(stored.version), ...(links !== undefined && linkedCaching) };
    if (plan === undefined) return { status: 200, headers, body };
    const { texts, headers: figures } = await run(plan, access, exchange, [stored], [body]);
    return { status: 200, headers: { ...figures, ...headers }, body: texts[0] };
  };
});
