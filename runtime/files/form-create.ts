/** `POST …/{collection}/_form`: a document and its files, stored at once or not at all (files.md, Routes). */
import { createWithFiles as contract } from "../contract/file-form.ts";
import { type Access, requireWrite } from "../documents/access.ts";
import { collectionOf } from "../documents/collection.ts";
import { type Draft, draftOf } from "../documents/draft.ts";
import type { Open } from "../documents/entrance.ts";
import { type QuotaRoom, quotaRoom } from "../documents/files/usage.ts";
import { type IdempotencyKey, idempotency, idempotencyKey, type Work } from "../documents/idempotency.ts";
import { belongingIn, type Named, type Place as Placed } from "../documents/organizations.ts";
import { namedIn, writeQuery } from "../documents/query/writes.ts";
import { insertDocument, newDocument } from "../documents/writes/create.ts";
import { Writer } from "../documents/writes/writer.ts";
import type { JsonObject } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Answer, StreamExchange, StreamRouteFactory } from "../realm/exchange.ts";
import { longBackoff, optimistic } from "../retry.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { discardForm, type FormFile, type FormTaken, readDocument, takeForm } from "./form-parts.ts";
import { type Filed, filed, keepAll, membersOf, writeAlong } from "./form-writing.ts";
import { placeIn } from "./place.ts";
import { storageOf } from "./realm.ts";
import { counted } from "./taking.ts";

/** What a form asks for, all of which was taken in. */
interface Asked {
  readonly access: Access;
  readonly named: Named;
  readonly placed: Placed;
  readonly document: JsonObject;
  readonly draft: Draft;
  readonly form: FormTaken;
  readonly files: readonly Filed[];
}

/** Carries the answer of an earlier request out of what would have kept the bytes of this one. */
class Repeated extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super("the request was answered before");
    this.answer = answer;
  }
}

export function createByForm(definition: CollectionDefinition, open: Open): StreamRouteFactory {
  return (realm) => {
    const collection = collectionOf(realm, definition);
    const storage = storageOf(realm);
    const entrance = open(realm, [definition]);
    const fields = definition.files ?? [];
    const places = new Map(fields.map((field) => [field.name, placeIn(realm, definition, field, open)]));
    const query = writeQuery(contract, realm, [definition]);
    const writer = new Writer(realm, collection);
    const target = `${entrance.name}${definition.database}/${definition.name}/_form`;
    const remember = idempotency(realm, target, (body) => [body]);
    return {
      class: entrance.class,
      body: "stream",
      async handle(exchange) {
        const access = await entrance.writer(exchange);
        const key = idempotencyKey(exchange, access);
        // What was answered to the key goes before what its caller may do now.
        if (key === undefined) requireWrite(definition, access, "create");
        const named = namedIn(query(exchange.search), [definition]);
        const placed = await entrance.place(access, named);
        const room = key === undefined ? await roomIn(placed) : undefined;
        let stored = 0;
        const answering = async (): Promise<Answer> => {
          const form = await takeForm({ storage, places }, exchange, room, (body) => {
            if (key !== undefined) return;
            newDocument(collection, access, exchange, draftOf(body.value, body), placed, "later");
          });
          try {
            const answer = await create(exchange, key, named, form);
            stored = form.files.length;
            return answer;
          } catch (error) {
            if (error instanceof Repeated) return error.answer;
            throw error;
          } finally {
            await discardForm(storage, form);
          }
        };
        return counted({ storage }, answering, () => stored);
      },
    };

    /** @throws ApiError as {@link belongingIn} does */
    async function roomIn(placed: Placed): Promise<QuotaRoom | undefined> {
      const { storage: quotas } = realm.definition;
      return quotas && quotaRoom(realm.store, quotas, belongingIn(definition, placed).org);
    }

    /** @throws ApiError; {@link Repeated} */
    async function create(
      exchange: StreamExchange,
      key: IdempotencyKey | undefined,
      named: Named,
      form: FormTaken,
    ): Promise<Answer> {
      // Sessions end and keys are revoked while a body comes.
      const access = await entrance.writer(exchange);
      const placed = await entrance.place(access, named);
      if (key === undefined) requireWrite(definition, access, "create");
      const files: Filed[] = [];
      try {
        for (const file of form.files) files.push(await filed(access, file));
        const body = await readDocument(form.document);
        const draft = draftOf(body.value, body);
        const asked = { access, named, placed, document: body.value, draft, form, files };
        const answer = await (key === undefined ? write(exchange, asked) : writeOnce(exchange, asked, key));
        if (files.some(({ file }) => file.versions !== undefined)) realm.wakeJobs();
        return answer;
      } finally {
        for (const { arrived } of files) await storage.spool.discard(arrived.spooled);
      }
    }

    async function write(exchange: StreamExchange, asked: Asked): Promise<Answer> {
      const { answer, write: within } = work(exchange, asked);
      await keepAll(realm, storage, asked.files, () =>
        optimistic(longBackoff, () => realm.store.transaction(within)),
      );
      return answer;
    }

    /** @throws Repeated where the key was answered before: nothing names the bytes that came now */
    async function writeOnce(exchange: StreamExchange, asked: Asked, key: IdempotencyKey): Promise<Answer> {
      const { access, named, document, form, files } = asked;
      const request = { body: asking(document, form.files), named, withheld: access.withheld };
      return keepAll(realm, storage, files, async () => {
        const answer = await optimistic(longBackoff, () =>
          remember(key, request, async () => work(exchange, asked), form.document.size),
        );
        if (answer.headers?.["idempotent-replayed"] !== undefined) throw new Repeated(answer);
        return answer;
      });
    }

    /** @throws ApiError where the document is refused */
    function work(exchange: StreamExchange, { access, placed, draft, files }: Asked): Required<Work> {
      const document = newDocument(collection, access, exchange, draft, placed, membersOf(files));
      const { text, tag } = collection.view(access, document);
      const location = `${collection.path}/${document.id}`;
      const answer: Answer = { status: 201, body: text, headers: { etag: tag, location } };
      return {
        answer,
        async write(transaction) {
          await insert(transaction, exchange, access, document);
          await writeAlong(realm, collection, transaction, access, document, files);
          return answer;
        },
      };
    }

    async function insert(
      transaction: Transaction,
      exchange: StreamExchange,
      access: Access,
      document: DocumentWrite,
    ): Promise<void> {
      await writer.within(transaction, access, "create", (documents) =>
        insertDocument(collection, access, exchange, documents, document),
      );
    }
  };
}

/** What a request with a key asks for: the same for forms with the same document and the same files, however they are written. */
function asking(document: JsonObject, files: readonly FormFile[]): JsonObject {
  return {
    document,
    files: files.map(({ place, name, type, spooled }) => ({
      ...{ field: place.field.name, name, type: type ?? null, sha256: spooled.sha256 },
    })),
  };
}
