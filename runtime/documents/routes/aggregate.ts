import { aggregateDocuments as contract } from "../../contract/documents.ts";
import { ApiError } from "../../errors.ts";
import { and, type Filter } from "../../filter/algebra.ts";
import { listTag } from "../../http/etag.ts";
import type { Answer } from "../../realm/exchange.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import { QueryTimeout, TooManyGroups } from "../../store/contract/errors.ts";
import { readable } from "../access.ts";
import { aggregateText } from "../aggregate/answer.ts";
import { type AggregateQuery, aggregateQuery } from "../aggregate/query.ts";
import { varyByLanguage } from "../query/language.ts";
import { conditional, publicCaching } from "../reads.ts";
import { collectionRoute } from "../route.ts";

/** Spec: Aggregation. */
export const aggregateDocuments = collectionRoute(contract, ({ realm, definition, collection, enter }) => {
  const { documents } = collection;
  const { aggregate } = definition;
  const readQuery =
    aggregate === undefined ? notEnabled : aggregateQuery(contract, realm, definition, aggregate);
  const caching = publicCaching(definition);
  const negotiatedVary = varyByLanguage(realm.definition);
  return async (exchange): Promise<Answer> => {
    const access = await enter(exchange);
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
  };
});

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
