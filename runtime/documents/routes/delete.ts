import { deleteDocument as hard, softDeleteDocument as soft } from "../../contract/documents.ts";
import { type Condition, conditionOf } from "../../http/etag.ts";
import type { Answer } from "../../realm/exchange.ts";
import { type Access, requireWrite } from "../access.ts";
import type { Documents } from "../collection.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { withholds } from "../withheld.ts";
import { removeDocument, softDeleteDocument as softDelete } from "../writes/remove.ts";
import { Writer } from "../writes/writer.ts";

const gone: Answer = { status: 204 };

/** Where no rule and no condition judges a version, the current one goes. */
function takesCurrent({ context }: Access, condition: Condition | undefined): boolean {
  return context === undefined && condition === undefined;
}

export const deleteDocument = collectionRoute(hard, ({ realm, definition, collection, enter }) => {
  const query = writeQuery(hard, realm, [definition]);
  const writer = new Writer(realm, collection);
  return async (exchange): Promise<Answer> => {
    const access = await enter(exchange);
    requireWrite(definition, access, "delete");
    query(exchange.search);
    const condition = conditionOf(exchange.headers);
    const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
    const attempt = (documents: Documents) => removeDocument(collection, access, documents, target, "delete");
    // As below; where nothing needs to be looked at, the store does so itself.
    if (takesCurrent(access, condition) && withholds(definition, access)) {
      await writer.alone(access, "delete", attempt);
    } else await writer.write(access, "delete", attempt);
    return gone;
  };
});

/** In a collection with soft delete: `?purge=true` removes for good. */
export const softDeleteDocument = collectionRoute(soft, ({ realm, definition, collection, enter }) => {
  const query = writeQuery(soft, realm, [definition]);
  const writer = new Writer(realm, collection);
  const { softDelete: { retention } = {} } = definition;
  return async (exchange): Promise<Answer> => {
    const access = await enter(exchange);
    const purge = query(exchange.search).get("purge") === "true";
    requireWrite(definition, access, purge ? "purge" : "delete");
    const condition = conditionOf(exchange.headers);
    const target = {
      id: exchange.params["id"] ?? "",
      visibility: purge ? "all" : "live",
      condition,
    } as const;
    const attempt = (documents: Documents) =>
      purge
        ? removeDocument(collection, access, documents, target, "purge")
        : softDelete(collection, access, documents, target, retention);
    const action = purge ? "purge" : "delete";
    // Nothing may come in between.
    if (takesCurrent(access, condition)) {
      await writer.alone(access, action, attempt);
    } else await writer.write(access, action, attempt);
    return gone;
  };
});
