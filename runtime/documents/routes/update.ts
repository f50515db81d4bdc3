import { patchDocument as patch, replaceDocument as replace } from "../../contract/documents.ts";
import { bodyBytes, readJson } from "../../http/body.ts";
import { conditionOf } from "../../http/etag.ts";
import type { Answer } from "../../realm/exchange.ts";
import { requireWrite } from "../access.ts";
import { draftOf } from "../draft.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { written } from "../view.ts";
import { type Change, updateDocument } from "../writes/update.ts";
import { Writer } from "../writes/writer.ts";

/** The body is the complete new document. */
export const replaceDocument = updateRoute(replace, "replace");

/** The body is a JSON Merge Patch. */
export const patchDocument = updateRoute(patch, "patch");

function updateRoute(contract: typeof replace | typeof patch, change: Change) {
  return collectionRoute(contract, ({ realm, definition, collection, enter, receive }) => {
    const query = writeQuery(contract, realm, [definition]);
    const writer = new Writer(realm, collection);
    return async (exchange): Promise<Answer> => {
      const asked = await enter(exchange);
      requireWrite(definition, asked, "update");
      const org = query(exchange.search).get("org");
      const { received, access } = await receive(asked, exchange);
      const sent = readJson(received, contract.body.media);
      const draft = draftOf(sent.value, sent, org);
      const condition = conditionOf(exchange.headers);
      const target = { id: exchange.params["id"] ?? "", visibility: "live", condition } as const;
      const bytes = bodyBytes(received);
      const stored = await writer.write(access, change, (documents) =>
        updateDocument(collection, access, documents, target, change, draft, bytes),
      );
      return written(collection.view(access, stored));
    };
  });
}
