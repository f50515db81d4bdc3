import { type Condition, conditionOf } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { type Access, requireWrite } from "../access.ts";
import { collectionOf, type Documents } from "../collection.ts";
import { clientEntrance, type Open } from "../entrance.ts";
import { purgeQuery, writeQuery } from "../query/writes.ts";
import { withholds } from "../withheld.ts";
import { removeDocument, softDeleteDocument as softDelete } from "../writes/remove.ts";
import { Writer } from "../writes/writer.ts";

const gone: Answer = { status: 204 };

/** Where no rule and no condition judges a version, the current one goes. */
function takesCurrent({ context }: Access, condition: Condition | undefined): boolean {
  return context === undefined && condition === undefined;
}

/** `DELETE /v1/{realm}/{database}/{collection}/{id}` in a collection without soft delete. */
export function deleteDocument(definition: CollectionDefinition, open: Open = clientEntrance): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const entrance = open(realm, [definition]);
    const writer = new Writer(realm, collection);
    const rule = definition.rules?.delete;
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const access = await entrance.writer(exchange);
        requireWrite(definition, access, rule);
        writeQuery(exchange.search);
        const condition = conditionOf(exchange.headers);
        const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
        const attempt = (documents: Documents) => removeDocument(collection, access, documents, target, rule);
        // As below; where nothing needs to be looked at, the store does so itself.
        if (takesCurrent(access, condition) && withholds(definition, access)) {
          await writer.alone(access, "delete", attempt);
        } else await writer.write(access, "delete", attempt);
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
    const entrance = open(realm, [definition]);
    const writer = new Writer(realm, collection);
    const { rules, softDelete: { retention } = {} } = definition;
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const access = await entrance.writer(exchange);
        const purge = purgeQuery(exchange.search);
        requireWrite(definition, access, purge ? rules?.purge : rules?.delete);
        const condition = conditionOf(exchange.headers);
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
        // Nothing may come in between.
        if (takesCurrent(access, condition)) {
          await writer.alone(access, action, attempt);
        } else await writer.write(access, action, attempt);
        return gone;
      },
    };
  };
}
