import { ApiError } from "../../errors.ts";
import { and, type Filter } from "../../filter/algebra.ts";
import { listTag } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RouteFactory } from "../../realm/exchange.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import { QueryTimeout, TooManyGroups } from "../../store/contract/errors.ts";
import { readable } from "../access.ts";
import { aggregateText } from "../aggregate/answer.ts";
import { type AggregateQuery, aggregateQuery } from "../aggregate/query.ts";
import { collectionOf } from "../collection.ts";
import { clientEntrance, type Open } from "../entrance.ts";
import { varyByLanguage } from "../query/language.ts";
import { conditional, publicCaching } from "../reads.ts";

/** `GET /v1/{realm}/{database}/{collection}/_aggregate` (spec: Aggregation). */
export function aggregateDocuments(
  definition: CollectionDefinition,
  open: Open = clientEntrance,
): RouteFactory {
  return (realm) => {
    const { documents } = collectionOf(realm, definition);
    const entrance = open(realm, [definition]);
    const readQuery =
      definition.aggregate === undefined ? notEnabled : aggregateQuery(definition, definition.aggregate);
    const caching = publicCaching(definition);
    const negotiatedVary = varyByLanguage(realm.definition);
    return {
      class: entrance.class,
      async handle(exchange) {
        const access = await entrance.reader(exchange);
        const read = readable(definition, access, definition.rules?.read);
        const query = readQuery(exchange, access);
        const { groups, hasMore } = await aggregated(documents, read, query);
        const text = aggregateText(query, groups, hasMore);
        return conditional(
          exchange,
          listTag(text),
          caching(exchange, undefined),
          () => text,
          query.negotiated ? negotiatedVary : undefined,
        );
      },
    };
  };
}

function notEnabled(): never {
  throw new ApiError("aggregate_not_enabled", "The collection declares no aggregation.");
}

/** @throws ApiError `aggregate_too_expensive`, and as the store does */
async function aggregated(documents: StoreCollection, read: Filter, query: AggregateQuery) {
  const { groupBy, metrics, order, limit } = query;
  const filter = and(read, query.filter);
  try {
    return await documents.aggregate({ filter, visibility: "live", groupBy, metrics, order, limit });
  } catch (error) {
    if (error instanceof QueryTimeout || error instanceof TooManyGroups) {
      throw new ApiError("aggregate_too_expensive", `This needs too much: ${error.message}.`, {
        cause: error,
      });
    }
    throw error;
  }
}
