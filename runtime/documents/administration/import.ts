import { createHash } from "node:crypto";
import { appendAudit } from "../../auth/administration/audit.ts";
import { importDocuments as contract, stateLength } from "../../contract/document-import.ts";
import { traitsOf } from "../../contract/traits.ts";
import { ApiError, unavailable } from "../../errors.ts";
import { readObject } from "../../http/body.ts";
import { type BodyOf, bodyReader, type Judge } from "../../http/contract-body.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { anonymous } from "../../realm/caller.ts";
import { type CollectionDefinition, storeNameOf } from "../../realm/definition.ts";
import type { Answer, Exchange, RealmInstance, Received } from "../../realm/exchange.ts";
import { LeaseLost } from "../../store/contract/errors.ts";
import type { Lease } from "../../store/contract/lease.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { type Access, requireWrite } from "../access.ts";
import { BatchImport, Changed, type Step, TooMuch } from "../importing/batch.ts";
import { documentTaker } from "../importing/document-taker.ts";
import { type Incoming, NoDocument } from "../importing/incoming.ts";
import { ImportRecord, importLease } from "../importing/record.ts";
import type { Upcoming } from "../importing/targets.ts";
import { writeQuery } from "../query/writes.ts";
import { collectionRoute } from "../route.ts";
import { administratorEntrance } from "./entrance.ts";

type Import = BodyOf<typeof contract>;
type Position = NonNullable<Import["position"]>;

/** Milliseconds for which a write is tried that meets others. */
const PATIENCE = 5_000;
/** Milliseconds for which an import whose server died holds up others where the store is shared. */
const LEASE = 30_000;
/** Characters of what is told of one document. */
const TOLD = 2_000;

/** What is done, and for whom. */
interface Work {
  readonly realm: RealmInstance;
  readonly definition: CollectionDefinition;
  readonly access: Access;
  readonly exchange: Exchange;
  readonly asked: Import;
}

/**
 * Imports documents in one transaction, which leaves one audit record; with a position each of an import's requests is done
 * once, however often it is sent (spec: Administrator routes).
 */
export const importDocuments = collectionRoute(
  contract,
  ({ realm, definition, enter, receive }) => {
    const query = writeQuery(contract, realm, [definition]);
    const read = bodyReader(contract, traitsOf(realm.definition, [definition]));
    return async (exchange): Promise<Answer> => {
      const entered = await enter(exchange);
      requireWrite(definition, entered, undefined);
      query(exchange.search);
      const { received, access } = await receive(entered, exchange);
      const asked = read(received)(judgeImport);
      const work = { realm, definition, access, exchange, asked };
      const { position } = asked;
      const body =
        position === undefined
          ? answerOf(await imported(work))
          : await alone(work, (lease) => positioned(work, position, digestOf(received), lease));
      return { status: 200, body: JSON.stringify(body) };
    };
  },
  administratorEntrance,
);

/** Beside their types. */
const judgeImport: Judge<Import> = ({ documents = [], position }, tell) => {
  const ids = new Set<unknown>();
  for (const [at, { id }] of documents.entries()) {
    if (typeof id !== "string") continue;
    if (ids.has(id)) tell(`documents.${at}.id`, "must not be that of another document of the request");
    ids.add(id);
  }
  if (position === undefined) return;
  if (JSON.stringify(position.state).length > stateLength)
    tell("position.state", `must have at most ${stateLength} characters`);
  if ((position.number === 0 || position.state === null) && documents.length > 0)
    tell("documents", "must be empty where the position is asked for, or ended");
};

/** What tells a repeated request from another one. */
function digestOf({ body }: Received): string {
  return createHash("sha256").update(body).digest("hex");
}

/**
 * Nobody else imports into the collection meanwhile.
 * @throws ApiError `unavailable` where somebody does
 */
async function alone<T>({ realm, definition }: Work, work: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await realm.store.lease(importLease(storeNameOf(definition)), LEASE);
  if (lease === undefined) throw busy();
  try {
    return await work(lease);
  } catch (error) {
    throw error instanceof LeaseLost ? busy() : error;
  } finally {
    await lease.release();
  }
}

const busy = () => unavailable("Another import into this collection is under way.", 1_000);

/** @throws ApiError `conflict` where it is not the turn of this request */
async function positioned(
  work: Work,
  { import: name, number, state }: Position,
  digest: string,
  lease: Lease,
): Promise<JsonObject> {
  const { realm, definition } = work;
  const record = new ImportRecord(realm.store, storeNameOf(definition));
  const found = keptIn(await record.read());
  const own = found?.import === name ? found : undefined;
  if (number === 0) return answered(found);
  if (state === null) {
    if (own !== undefined) await record.remove();
    return answered(undefined);
  }
  if (own?.number === number && own.digest === digest) return answered(own);
  const last = own?.number ?? 0;
  if (number !== last + 1)
    throw new ApiError("conflict", `The last request of this import that was done is number ${last}.`);
  const before = own ?? { created: 0, replaced: 0, rejected: 0 };
  let kept: Kept | undefined;
  await imported(work, lease, (step) => {
    const next = {
      ...{ import: name, number, digest, state, answer: answerOf(step) },
      created: before.created + step.created,
      replaced: before.replaced + step.replaced,
      rejected: before.rejected + step.rejected.length,
    };
    kept = next;
    return (transaction) => record.write(transaction, next);
  });
  return answered(kept);
}

/** What the record of an import by this route has. */
interface Kept {
  readonly import: string;
  readonly number: number;
  /** SHA-256 of the last request's body, in hexadecimal. */
  readonly digest: string;
  readonly state: JsonObject;
  readonly created: number;
  readonly replaced: number;
  readonly rejected: number;
  /** To the last request, but for the position. */
  readonly answer: JsonObject;
}

/** Undefined for that of another kind of import. */
function keptIn(record: JsonObject | undefined): Kept | undefined {
  if (record === undefined) return undefined;
  const { import: name, number, digest, state, created, replaced, rejected, answer } = record;
  const isRead =
    typeof name === "string" &&
    typeof number === "number" &&
    typeof digest === "string" &&
    isJsonObject(state) &&
    typeof created === "number" &&
    typeof replaced === "number" &&
    typeof rejected === "number" &&
    isJsonObject(answer);
  return isRead ? { import: name, number, digest, state, created, replaced, rejected, answer } : undefined;
}

function answered(kept: Kept | undefined): JsonObject {
  if (kept === undefined) return answerOf({ created: 0, replaced: 0, rejected: [] });
  const { digest: _, answer, ...position } = kept;
  return { ...answer, position };
}

function answerOf({
  created,
  replaced,
  rejected,
}: Pick<Step, "created" | "replaced" | "rejected">): JsonObject {
  return {
    written: created + replaced,
    replaced,
    rejected: rejected.map(({ line, id, error }) => ({ at: line, id, error: error.slice(0, TOLD) })),
  };
}

const nothing: Step = { incoming: [], created: 0, replaced: 0, rejected: [] };

/**
 * @param along what is written along with the documents
 * @throws ApiError `write_conflict` where only fewer at once may be written | `unavailable` where others write again and
 *   again
 */
async function imported(
  { realm, definition, access, exchange, asked }: Work,
  lease?: Lease,
  along?: (step: Step) => (transaction: Transaction) => Promise<void>,
): Promise<Step> {
  const { documents, mode = "create", meta = false, upcoming = [] } = asked;
  const { store, clock } = realm;
  const taker = documentTaker({
    ...{ realm: realm.definition, definition, store, clock },
    ...{ mode, meta, author: access.author, upcoming: upcomingOf(upcoming) },
    ledger: definition.files === undefined ? undefined : realm.files?.ledger,
  });
  const batch = new BatchImport({ store, taker, mode, patience: PATIENCE, ...(lease && { lease }) });
  let done = nothing;
  try {
    await batch.write(documents.map(incomingOf), (step, commit) => {
      const more = along?.(step);
      done = step;
      return commit(async (transaction) => {
        if (documents.length > 0) await audited(transaction, step);
        await more?.(transaction);
      });
    });
  } catch (error) {
    if (error instanceof TooMuch)
      throw new ApiError("write_conflict", "So many documents cannot be written at once: send fewer.");
    throw error instanceof Changed ? unavailable("Others write the same documents.", 1_000, error) : error;
  }
  return done;

  function audited(transaction: Transaction, { created, replaced, rejected }: Step): Promise<void> {
    const { database, name } = definition;
    return appendAudit(realm, transaction, exchange, access.caller ?? anonymous, {
      action: "data.import",
      target: `collection:${database}/${name}`,
      details: { mode, meta, created, replaced, rejected: rejected.length },
    });
  }
}

/** A document of a request, judged by itself as a body is. */
function incomingOf(document: JsonObject, line: number): Incoming {
  const raw = JSON.stringify(document);
  const read = () => {
    try {
      return readObject(raw);
    } catch (error) {
      throw error instanceof ApiError ? new NoDocument(error.message) : error;
    }
  };
  return { line, raw, read };
}

function upcomingOf(told: NonNullable<Import["upcoming"]>): Upcoming {
  const known = new Set(
    told.flatMap(({ collection, key, values }) => values.map((value) => named(collection, key, value))),
  );
  return {
    has: (collection, key, value) => known.has(named(collection.replace(".", "/"), key, value)),
  };
}

function named(collection: string, key: string, value: string): string {
  return JSON.stringify([collection, key, value]);
}
