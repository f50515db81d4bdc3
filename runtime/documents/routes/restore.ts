import { checkNeedlessBody } from "../../http/body.ts";
import { conditionOf } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { requireValid } from "../../validation/details.ts";
import { requireWrite } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { ownMembers } from "../draft.ts";
import { clientEntrance, type Open, receiveFrom } from "../entrance.ts";
import { writeQuery } from "../query/writes.ts";
import { type Existing, modifyExisting } from "../writes/existing.ts";
import { rewritten } from "../writes/update.ts";
import { Writer } from "../writes/writer.ts";

/**
 * `POST /v1/{realm}/{database}/{collection}/{id}/restore`: the next version of a deleted document, live again. Takes no
 * body.
 */
export function restoreDocument(definition: CollectionDefinition, open: Open = clientEntrance): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const entrance = open(realm, [definition]);
    const writer = new Writer(realm, collection);
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const asked = await entrance.writer(exchange);
        requireWrite(definition, asked, definition.rules?.restore);
        writeQuery(exchange.search);
        const { received, access } = await receiveFrom(entrance, asked, exchange);
        checkNeedlessBody(received);
        const condition = conditionOf(exchange.headers);
        const target = { id: exchange.params["id"] ?? "", visibility: "deleted", condition } as const;
        const restored = (found: Existing) => {
          const members = ownMembers(found.document);
          requireValid(definition, members, []);
          return rewritten(collection, access, found, members);
        };
        const stored = await writer.write(
          access,
          "restore",
          async (documents) =>
            (await modifyExisting(collection, access, documents, target, restored))?.document,
        );
        const { text, tag } = collection.view(access, stored);
        return { status: 200, body: text, headers: { etag: tag } };
      },
    };
  };
}
