import { parseIfMatch } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { accessTo, requireWrite } from "../access.ts";
import { collectionOf, type Documents } from "../collection.ts";
import { purgeQuery, writeQuery } from "../query/writes.ts";
import { removeDocument, softDeleteDocument as softDelete } from "../writes/remove.ts";
import { once, optimistic, type Retry, shortBackoff } from "../writes/retry.ts";

const gone: Answer = { status: 204 };

/** `DELETE /v1/{realm}/{database}/{collection}/{id}` in a collection without soft delete. */
export function deleteDocument(definition: CollectionDefinition, retry: Retry = shortBackoff): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const { documents } = collection;
    const identify = accessTo(realm);
    const rule = definition.rules?.delete;
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        requireWrite(definition, access, rule);
        writeQuery(exchange.search);
        const condition = parseIfMatch(exchange.headers["if-match"]);
        const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
        await optimistic(retry, () => removeDocument(collection, access, documents, target, rule));
        return gone;
      },
    };
  };
}

/** `DELETE /v1/{realm}/{database}/{collection}/{id}` in a collection with soft delete; `?purge=true` removes for good. */
export function softDeleteDocument(
  definition: CollectionDefinition,
  retry: Retry = shortBackoff,
): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const { documents, storeName } = collection;
    const identify = accessTo(realm);
    const { rules, softDelete: { retention } = {} } = definition;
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        const purge = purgeQuery(exchange.search);
        requireWrite(definition, access, purge ? rules?.purge : rules?.delete);
        const condition = parseIfMatch(exchange.headers["if-match"]);
        const target = {
          id: exchange.params["id"] ?? "",
          visibility: purge ? "all" : "live",
          condition,
        } as const;
        const attempt = (where: Documents) =>
          purge
            ? removeDocument(collection, access, where, target, rules?.purge)
            : softDelete(collection, access, where, target, retention);
        // Where no rule and no condition judged a version, the current one goes: nothing may come in between.
        if (access.context === undefined && condition === undefined) {
          await realm.store.transaction((transaction) =>
            optimistic(once, () => attempt(transaction.collection(storeName))),
          );
        } else await optimistic(retry, () => attempt(documents));
        return gone;
      },
    };
  };
}
