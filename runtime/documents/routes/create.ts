import { createDocument as contract } from "../../contract/documents.ts";
import { bodyBytes, readJson } from "../../http/body.ts";
import type { Answer } from "../../realm/exchange.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { mayWrite, refusalBy } from "../access.ts";
import type { Documents } from "../collection.ts";
import { draftOf } from "../draft.ts";
import { idempotency, idempotencyKey, type Work } from "../idempotency.ts";
import { namedIn, writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { insertDocument, newDocument } from "../writes/create.ts";
import { Writer } from "../writes/writer.ts";

export const createDocument = collectionRoute(
  contract,
  ({ realm, definition, collection, entrance, enter, receive }) => {
    const { path, view } = collection;
    const query = writeQuery(contract, realm, [definition]);
    const writer = new Writer(realm, collection);
    const remember = idempotency(
      realm,
      `${entrance.name}${definition.database}/${definition.name}`,
      (body) => [body],
    );
    return async (exchange): Promise<Answer> => {
      const asked = await enter(exchange);
      const key = idempotencyKey(exchange, asked);
      const named = namedIn(query(exchange.search), [definition]);
      // What was answered to the key goes before what its caller may do now.
      const isRefused = () => key === undefined && !mayWrite(definition, asked, "create");
      const { received, access } = await receive(asked, exchange, () =>
        isRefused() ? refusalBy(definition, asked, "create") : undefined,
      );
      const sent = readJson(received, contract.body.media);
      const placed = entrance.place(access, named);
      const place = placed instanceof Promise ? await placed : placed;

      const draft = draftOf(sent.value, sent);
      const checked = () => newDocument(collection, access, exchange, draft, place);
      const answer = (stored: StoredDocument): Answer => {
        const { text, tag } = view(access, stored);
        return { status: 201, body: text, headers: { etag: tag, location: `${path}/${stored.id}` } };
      };
      const inserting = (document: DocumentWrite) => (documents: Documents) =>
        insertDocument(collection, access, exchange, documents, document);
      if (key === undefined) return answer(await writer.write(access, "create", inserting(checked())));
      const prepare = async (): Promise<Work> => {
        const document = checked();
        const told = answer(document);
        return {
          answer: told,
          async write(transaction) {
            await writer.within(transaction, access, "create", inserting(document));
            return told;
          },
        };
      };
      const request = { body: sent.value, named, withheld: access.withheld };
      return remember(key, request, prepare, bodyBytes(received));
    };
  },
);
