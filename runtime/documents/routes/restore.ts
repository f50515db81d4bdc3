import { restoreDocument as contract } from "../../contract/documents.ts";
import { conditionOf } from "../../http/etag.ts";
import type { Answer } from "../../realm/exchange.ts";
import { requireValid } from "../../validation/details.ts";
import { requireWrite } from "../access.ts";
import { ownMembers } from "../draft.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { written } from "../view.ts";
import { type Existing, modifyExisting } from "../writes/existing.ts";
import { rewritten } from "../writes/update.ts";
import { Writer } from "../writes/writer.ts";

/** The next version of a deleted document, live again. Takes no body. */
export const restoreDocument = collectionRoute(
  contract,
  ({ realm, definition, collection, enter, receive }) => {
    const query = writeQuery(contract, realm, [definition]);
    const writer = new Writer(realm, collection);
    const { files } = collection;
    return async (exchange): Promise<Answer> => {
      const asked = await enter(exchange);
      requireWrite(definition, asked, definition.rules?.restore);
      query(exchange.search);
      const { access } = await receive(asked, exchange);
      const condition = conditionOf(exchange.headers);
      const target = { id: exchange.params["id"] ?? "", visibility: "deleted", condition } as const;
      const restored = (found: Existing) => {
        const whole = ownMembers(found.document);
        const judged = files?.apart(whole) ?? whole;
        requireValid(definition, judged, []);
        const members = files?.together(judged, found.document) ?? judged;
        return rewritten(collection, access, found, members);
      };
      const stored = await writer.write(
        access,
        "restore",
        async (documents) =>
          (await modifyExisting(collection, access, documents, target, restored))?.document,
      );
      return written(collection.view(access, stored));
    };
  },
);
