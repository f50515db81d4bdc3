import { checkNeedlessBody } from "../../http/body.ts";
import { parseIfMatch } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { requireValid } from "../../validation/details.ts";
import { accessTo, requireWrite } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { ownMembers } from "../draft.ts";
import { writeQuery } from "../query/writes.ts";
import { existing } from "../writes/existing.ts";
import { optimistic, type Retry, shortBackoff } from "../writes/retry.ts";
import { rewrite } from "../writes/update.ts";

/**
 * `POST /v1/{realm}/{database}/{collection}/{id}/restore`: the next version of a deleted document, live again. Takes no
 * body.
 */
export function restoreDocument(definition: CollectionDefinition, retry: Retry = shortBackoff): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const { documents, view } = collection;
    const identify = accessTo(realm);
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        requireWrite(definition, access, definition.rules?.restore);
        writeQuery(exchange.search);
        checkNeedlessBody(exchange);
        const condition = parseIfMatch(exchange.headers["if-match"]);
        const target = { id: exchange.params["id"] ?? "", visibility: "deleted", condition } as const;
        const stored = await optimistic(retry, async () => {
          const found = await existing(collection, access, documents, target);
          const members = ownMembers(found.document);
          requireValid(definition, members, []);
          return rewrite(collection, access, documents, found, members);
        });
        const { text, tag } = view(access, stored);
        return { status: 200, body: text, headers: { etag: tag } };
      },
    };
  };
}
