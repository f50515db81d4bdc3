import { hash } from "node:crypto";
import { ApiError } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { notOrgMember } from "../organizations/errors.ts";
import { isAnyDeleted } from "../organizations/withheld.ts";
import { credentialOf } from "../realm/caller.ts";
import type { Answer, Exchange, RealmInstance } from "../realm/exchange.ts";
import type { StoreCollection } from "../store/contract/collection.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import { Claimed, DuplicateId } from "../store/contract/errors.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { canonicalText } from "../validation/equal.ts";
import type { Access } from "./access.ts";
import type { Named } from "./organizations.ts";
import type { Withheld } from "./withheld.ts";

/** What successful answers to requests with an idempotency key are kept in. */
export const idempotencyShape: CollectionShape = {
  name: "_svc.idempotency",
  fields: {},
  indexes: [],
  feed: false,
};

const keyFormat = /^[A-Za-z0-9._:-]{1,200}$/;
const day = 24 * 60 * 60 * 1000;
/** So many records are written before so many expired ones are removed, twice as many at most. */
const purgeEvery = 100;

/** Who sends a key, and the key: private to the caller. */
export interface IdempotencyKey {
  readonly value: string;
  readonly owner: string;
}

/**
 * The idempotency key of a request; undefined where there is none.
 * @throws ApiError `invalid_header` for a malformed key, without a user or API key, and in realms with `auth: disabled`
 */
export function idempotencyKey(
  { headers }: Exchange,
  { caller, author }: Access,
): IdempotencyKey | undefined {
  const value = headers["idempotency-key"];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !keyFormat.test(value)) {
    throw invalidKey("must be 1 to 200 characters of A-Z a-z 0-9 . _ : -");
  }
  if (caller === undefined || author === undefined) throw invalidKey("needs a realm with authentication");
  const owner = credentialOf(caller);
  if (owner === undefined) throw invalidKey("needs a signed-in user or an API key");
  return { value, owner };
}

function invalidKey(reason: string): ApiError {
  return new ApiError("invalid_header", "The idempotency key is not accepted.", {
    details: [{ path: "Idempotency-Key", reason }],
  });
}

/** What a request with a key asks for, and whether it is one that documents are withheld from. */
export interface Asked extends Withheld {
  readonly body: JsonObject;
  /** The organization and team in its query string. */
  readonly named: Named;
  /** Of functions: it is done later. */
  readonly queued?: boolean;
}

/** What a request writes. */
export interface Work {
  /** What it will answer; undefined where only what is written tells. */
  readonly answer?: Answer;
  readonly write: (transaction: Transaction) => Promise<Answer>;
}

/**
 * Does a work once for its key, or repeats the answer it had.
 * @param prepare what is done before; what it refuses stands only where there is nothing to repeat
 * @param bytes what the work holds while it waits
 */
export type Remember<W = Work> = (
  key: IdempotencyKey,
  request: Asked,
  prepare: () => Promise<W>,
  bytes: number,
) => Promise<Answer>;

/**
 * Remembers the successful answers of one target (spec: Idempotency-Key, States). What a request wrote and its answer
 * commit together; the answer's record goes first and claims the key, for all who share the store, until that transaction
 * ends, or its server has died and the store gives it up.
 *
 * The function throws ApiError `request_in_progress` | `idempotency_key_reused`, `not_org_member` in place of an answer
 * that shows a document of an organization that was deleted since, and what `prepare` and its work throw; then nothing is remembered.
 * @param target what keys are private to, beside the caller
 * @param documentsIn what the body of an answer shows
 */
export function idempotency(
  realm: RealmInstance,
  target: string,
  documentsIn: (body: JsonObject) => readonly JsonValue[],
): Remember {
  return remembering(realm, target, documentsIn, ({ answer, write }: Work, record, bytes) =>
    realm.store.transaction(
      async (transaction) => {
        const own = transaction.collection(idempotencyShape.name);
        await own.claim(record(1, answer));
        const done = await write(transaction);
        if (answer === undefined) await own.replace(1, record(2, done));
        return done;
      },
      { bytes },
    ),
  );
}

/**
 * The same for work that is no transaction. While it goes on, a mark holds the key; when it fails, or its answer is no
 * success, the mark goes. A mark whose server died in between stays, since nobody knows what was done: 409 for 24 hours
 * (spec: Idempotency key on creates and batches, last row).
 * @param target as of {@link idempotency}
 */
export function idempotentRuns(realm: RealmInstance, target: string): Remember<() => Promise<Answer>> {
  const { log } = realm;
  const failed = (err: unknown) => log.warn({ err }, "an idempotency key stays taken");
  return remembering(
    realm,
    target,
    () => [],
    async (work: () => Promise<Answer>, record) => {
      const records = realm.store.collection(idempotencyShape.name);
      const mark = record(1);
      await records.insert(mark);
      const free = () => records.remove(mark.id, 1).catch(failed);
      let answer: Answer;
      try {
        answer = await work();
      } catch (error) {
        await free();
        throw error;
      }
      if (answer.status >= 300) await free();
      else await records.replace(1, record(2, answer)).catch(failed);
      return answer;
    },
  );
}

/** The document that holds what is known of a key; without an answer there is none yet. */
type RecordOf = (version: number, told?: Answer) => DocumentWrite;

/** @param perform does the work, and keeps its record; throws DuplicateId of the record | Claimed where somebody else has the key */
function remembering<W>(
  { store, clock, background, log }: RealmInstance,
  target: string,
  documentsIn: (body: JsonObject) => readonly JsonValue[],
  perform: (work: W, record: RecordOf, bytes: number) => Promise<Answer>,
): Remember<W> {
  // Only realms with accounts have it; in others no key gets this far.
  const records = (): StoreCollection => store.collection(idempotencyShape.name);
  /** Keys of requests that run here. */
  const running = new Set<string>();
  let written = 0;

  const replay = async (
    id: string,
    fingerprint: string,
    { withheld }: Withheld,
  ): Promise<Answer | undefined> => {
    const stored = await records().get(id, "deleted");
    if (stored === undefined) return undefined;
    const answer = repeated(stored, fingerprint);
    if (withheld !== undefined) {
      const orgs = documentsIn(JSON.parse(String(answer.body))).flatMap(organizationOf);
      // Their documents may be erased by now, so that they are withheld no longer.
      if (await isAnyDeleted(store, orgs)) throw notOrgMember();
    }
    return answer;
  };

  const purge = async (): Promise<void> => {
    try {
      await records().removeExpired(2 * purgeEvery);
    } catch (err) {
      log.warn({ err }, "expired idempotency records were not removed");
    }
  };

  const recording = (id: string, fingerprint: string): RecordOf => {
    return (version, told) => {
      const now = clock.now();
      // Stored as a deleted document with a purge time, it is forgotten by itself.
      return {
        ...{ id, version, text: recordText(id, fingerprint, told) },
        ...{ createdAt: now, deletedAt: now, purgeAt: now + day },
      };
    };
  };

  return async ({ value, owner }, request, prepare, bytes) => {
    const id = hash("sha256", JSON.stringify([target, owner, value]));
    const fingerprint = hash("sha256", fingerprintText(request));
    const before = () => replay(id, fingerprint, request);
    const repeat = async (): Promise<Answer> => {
      const answer = await before();
      if (answer === undefined) throw inProgress();
      return answer;
    };
    if (running.has(id)) return repeat();
    running.add(id);
    try {
      let work: W;
      try {
        work = await prepare();
      } catch (error) {
        // What was answered to the key goes before every refusal.
        const answer = await before();
        if (answer !== undefined) return answer;
        throw error;
      }
      const answer = await perform(work, recording(id, fingerprint), bytes);
      written += 1;
      if (written % purgeEvery === 0) background(purge());
      return answer;
    } catch (error) {
      const isTaken = error instanceof Claimed || (error instanceof DuplicateId && error.id === id);
      if (!isTaken) throw error;
      return await repeat();
    } finally {
      running.delete(id);
    }
  };
}

/** Equal for requests that ask for the same (api-decisions, Order of checks). */
function fingerprintText({ body, named: { org, team }, queued = false }: Asked): string {
  const text = canonicalText(body);
  if (queued) return `${text}\nqueued`;
  return org === undefined && team === undefined
    ? text
    : `${text}\n${JSON.stringify([org ?? null, team ?? null])}`;
}

function inProgress(): ApiError {
  return new ApiError("request_in_progress", "A request with this idempotency key is still running.");
}

/** Without an answer only as long as nobody else sees it. */
function recordText(id: string, fingerprint: string, answer: Partial<Answer> = {}): string {
  const { status, headers, body } = answer;
  return JSON.stringify({ id, fingerprint, status, headers, body });
}

function organizationOf(document: JsonValue): readonly string[] {
  const meta = isJsonObject(document) ? document["_meta"] : undefined;
  const org = isJsonObject(meta) ? meta["org"] : undefined;
  return typeof org === "string" ? [org] : [];
}

/** @throws ApiError `idempotency_key_reused` for another body | `request_in_progress` where there is no answer yet */
function repeated(stored: StoredDocument, fingerprint: string): Answer {
  const record: { fingerprint: string } & Partial<Answer> = JSON.parse(stored.text);
  if (record.fingerprint !== fingerprint) {
    throw new ApiError("idempotency_key_reused", "This idempotency key came with another request before.");
  }
  const { status, headers, body } = record;
  if (status === undefined) throw inProgress();
  return { status, body, headers: { ...headers, "idempotent-replayed": "true" } };
}
