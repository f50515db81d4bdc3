import { isId } from "../../ids.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { accessTo } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { notFound } from "../errors.ts";
import { getQuery } from "../query.ts";
import { conditional, publicCaching, readScope } from "../reads.ts";

/** `GET /v1/{realm}/{database}/{collection}/{id}`. */
export function getDocument(definition: CollectionDefinition): RouteFactory {
  return (realm) => {
    const { documents, view } = collectionOf(realm, definition);
    const identify = accessTo(realm);
    const query = getQuery(definition);
    const caching = publicCaching(definition);
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        const { id = "" } = exchange.params;
        const { deleted } = query(exchange.search);
        const { filter, visibility } = readScope(definition, access, deleted);
        const stored = isId(id) ? await documents.get(id, visibility, filter) : undefined;
        if (stored === undefined) throw notFound();
        const { text, tag } = view(access, stored);
        return conditional(exchange, tag, caching(exchange, deleted), () => text);
      },
    };
  };
}
