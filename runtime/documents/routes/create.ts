import { readJson } from "../../http/body.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { accessTo } from "../access.ts";
import { collectionOf, type Documents } from "../collection.ts";
import { draftOf } from "../draft.ts";
import { idempotency, idempotencyKey } from "../idempotency.ts";
import { createQuery } from "../query/writes.ts";
import { createDocument as create } from "../writes/create.ts";

/** `POST /v1/{realm}/{database}/{collection}`. */
export function createDocument(definition: CollectionDefinition): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const { documents, storeName, path, view } = collection;
    const identify = accessTo(realm);
    const remember = idempotency(realm, `${definition.database}/${definition.name}`);
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        const key = idempotencyKey(exchange, access);
        createQuery(exchange.search);
        const { value, problems } = readJson(exchange, "application/json");

        const work = async (where: Documents): Promise<Answer> => {
          const stored = await create(collection, access, exchange, where, draftOf(value, problems));
          const { text, tag } = view(access, stored);
          return { status: 201, body: text, headers: { etag: tag, location: `${path}/${stored.id}` } };
        };
        if (key === undefined) return work(documents);
        return remember(key, value, (transaction) => work(transaction.collection(storeName)));
      },
    };
  };
}
