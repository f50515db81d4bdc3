import { parseIfMatch } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { collectionOf, type Documents } from "../collection.ts";
import { clientEntrance, type Open } from "../entrance.ts";
import { purgeQuery, writeQuery } from "../query/writes.ts";
import { removeDocument, softDeleteDocument as softDelete } from "../writes/remove.ts";
import { Writer } from "../writes/writer.ts";

const gone: Answer = { status: 204 };

/** `DELETE /v1/{realm}/{database}/{collection}/{id}` in a collection without soft delete. */
export function deleteDocument(definition: CollectionDefinition, open: Open = clientEntrance): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const entrance = open(realm);
    const writer = new Writer(realm, collection);
    const rule = definition.rules?.delete;
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const access = await entrance.writer(exchange);
        requireWrite(definition, access, rule);
        writeQuery(exchange.search);
        const condition = parseIfMatch(exchange.headers["if-match"]);
        const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
        await writer.write(access, "delete", (documents) =>
          removeDocument(collection, access, documents, target, rule),
        );
        return gone;
      },
    };
  };
}

/** `DELETE /v1/{realm}/{database}/{collection}/{id}` in a collection with soft delete; `?purge=true` removes for good. */
export function softDeleteDocument(
  definition: CollectionDefinition,
  open: Open = clientEntrance,
): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const entrance = open(realm);
    const writer = new Writer(realm, collection);
    const { rules, softDelete: { retention } = {} } = definition;
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const access = await entrance.writer(exchange);
        const purge = purgeQuery(exchange.search);
        requireWrite(definition, access, purge ? rules?.purge : rules?.delete);
        const condition = parseIfMatch(exchange.headers["if-match"]);
        const target = {
          id: exchange.params["id"] ?? "",
          visibility: purge ? "all" : "live",
          condition,
        } as const;
        const attempt = (documents: Documents) =>
          purge
            ? removeDocument(collection, access, documents, target, rules?.purge)
            : softDelete(collection, access, documents, target, retention);
        const action = purge ? "purge" : "delete";
        // Where no rule and no condition judged a version, the current one goes: nothing may come in between.
        if (access.context === undefined && condition === undefined) {
          await writer.alone(access, action, attempt);
        } else await writer.write(access, action, attempt);
        return gone;
      },
    };
  };
}
