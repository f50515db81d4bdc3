import { bodyBytes, type MediaType, readJson } from "../../http/body.ts";
import { conditionOf } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { draftOf } from "../draft.ts";
import { clientEntrance, type Open, receiveFrom } from "../entrance.ts";
import { updateQuery } from "../query/writes.ts";
import { type Change, updateDocument } from "../writes/update.ts";
import { Writer } from "../writes/writer.ts";

/** `PUT /v1/{realm}/{database}/{collection}/{id}`: the body is the complete new document. */
export function replaceDocument(definition: CollectionDefinition, open?: Open): RouteFactory {
  return update(definition, "replace", "application/json", open);
}

/** `PATCH /v1/{realm}/{database}/{collection}/{id}`: the body is a JSON Merge Patch. */
export function patchDocument(definition: CollectionDefinition, open?: Open): RouteFactory {
  return update(definition, "patch", "application/merge-patch+json", open);
}

function update(
  definition: CollectionDefinition,
  change: Change,
  media: MediaType,
  open: Open = clientEntrance,
): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const entrance = open(realm, [definition]);
    const writer = new Writer(realm, collection);
    const query = updateQuery(definition);
    return {
      class: entrance.class,
      async handle(exchange): Promise<Answer> {
        const asked = await entrance.writer(exchange);
        requireWrite(definition, asked, definition.rules?.update);
        const org = query(exchange.search);
        const { received, access } = await receiveFrom(entrance, asked, exchange);
        const { value, problems } = readJson(received, media);
        const draft = draftOf(value, problems, org);
        const condition = conditionOf(exchange.headers);
        const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
        const bytes = bodyBytes(received);
        const stored = await writer.write(access, change, (documents) =>
          updateDocument(collection, access, documents, target, change, draft, bytes),
        );
        const { text, tag } = collection.view(access, stored);
        return { status: 200, body: text, headers: { etag: tag } };
      },
    };
  };
}
