import { type MediaType, readJson } from "../../http/body.ts";
import { parseIfMatch } from "../../http/etag.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, RouteFactory } from "../../realm/exchange.ts";
import { accessTo, requireWrite } from "../access.ts";
import { collectionOf } from "../collection.ts";
import { draftOf } from "../draft.ts";
import { writeQuery } from "../query/writes.ts";
import { optimistic, type Retry, shortBackoff } from "../writes/retry.ts";
import { type Change, updateDocument } from "../writes/update.ts";

/** `PUT /v1/{realm}/{database}/{collection}/{id}`: the body is the complete new document. */
export function replaceDocument(definition: CollectionDefinition, retry?: Retry): RouteFactory {
  return update(definition, "replace", "application/json", retry);
}

/** `PATCH /v1/{realm}/{database}/{collection}/{id}`: the body is a JSON Merge Patch. */
export function patchDocument(definition: CollectionDefinition, retry?: Retry): RouteFactory {
  return update(definition, "patch", "application/merge-patch+json", retry);
}

function update(
  definition: CollectionDefinition,
  change: Change,
  media: MediaType,
  retry: Retry = shortBackoff,
): RouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const { documents, view } = collection;
    const identify = accessTo(realm);
    return {
      class: "document",
      async handle(exchange): Promise<Answer> {
        const access = await identify(exchange);
        requireWrite(definition, access, definition.rules?.update);
        writeQuery(exchange.search);
        const { value, problems } = readJson(exchange, media);
        const draft = draftOf(value, problems);
        const condition = parseIfMatch(exchange.headers["if-match"]);
        const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
        const stored = await optimistic(retry, () =>
          updateDocument(collection, access, documents, target, change, draft),
        );
        const { text, tag } = view(access, stored);
        return { status: 200, body: text, headers: { etag: tag } };
      },
    };
  };
}
