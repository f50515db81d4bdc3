import { restoreDocument as contract } from "../../contract/documents.ts";
import { conditionOf } from "../../http/etag.ts";
import type { Answer } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { written } from "../view.ts";
import { restoreExisting } from "../writes/restore.ts";
import { Writer } from "../writes/writer.ts";

/** The next version of a deleted document, live again. Takes no body. */
export const restoreDocument = collectionRoute(
  contract,
  ({ realm, definition, collection, enter, receive }) => {
    const query = writeQuery(contract, realm, [definition]);
    const writer = new Writer(realm, collection);
    return async (exchange): Promise<Answer> => {
      const asked = await enter(exchange);
      requireWrite(definition, asked, "restore");
      query(exchange.search);
      const { access } = await receive(asked, exchange);
      const condition = conditionOf(exchange.headers);
      const target = { id: exchange.params["id"] ?? "", visibility: "deleted", condition } as const;
      const stored = await writer.write(access, "restore", (documents) =>
        restoreExisting(collection, access, documents, target),
      );
      return written(collection.view(access, stored));
    };
  },
);
