import { documentTag } from "../../http/etag.ts";
import { isId } from "../../ids.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { readable } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { clientEntrance, type Open } from "../entrance.ts";
import { notFound } from "../errors.ts";
import { expander } from "../expand/expand.ts";
import { getQuery } from "../query/get.ts";
import { conditional, publicCaching, scopeWithin } from "../reads.ts";

/** `GET /v1/{realm}/{database}/{collection}/{id}`. */
export function getDocument(definition: CollectionDefinition, open: Open = clientEntrance): RouteFactory {
  return (realm) => {
    const { documents, view } = collectionOf(realm, definition);
    const entrance = open(realm, [definition]);
    const query = getQuery(definition);
    const caching = publicCaching(definition);
    const { readExpand, run } = expander(realm, definition, entrance);
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const access = await entrance.reader(exchange);
        const { id = "" } = exchange.params;
        const read = readable(definition, access, definition.rules?.read);
        const { deleted, expand } = query(exchange.search);
        const plan = expand === undefined ? undefined : readExpand(expand);
        const { filter, visibility } = scopeWithin(definition, access, read, deleted);
        const stored = isId(id) ? await documents.get(id, visibility, filter) : undefined;
        if (stored === undefined) throw notFound();
        const { text, tag } = view(access, stored);
        if (plan === undefined) return conditional(exchange, tag, caching(exchange, deleted), () => text);
        // The plain version, whatever is hidden or expanded: such answers are never compared, only written against.
        const { texts, headers } = await run(plan, access, exchange, [stored], [text]);
        return { status: 200, headers: { ...headers, etag: documentTag(stored.version) }, body: texts[0] };
      },
    };
  };
}
