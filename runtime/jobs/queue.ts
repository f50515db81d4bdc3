import { timestamp } from "../clock.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Sealed } from "../sealing.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { type JobKind, type JobRecord, jobCollection, readJob, writeJob } from "./records.ts";

/** A job to be queued. */
export interface NewJob {
  /** Default: a new one; where the change that queues it has to name it. */
  readonly id?: string;
  readonly kind: JobKind;
  /** `org:<id>`, `collection:<database>/<collection>`. */
  readonly target: string;
  /** What its kind begins with; becomes JSON text. */
  readonly state: object;
  /** What of it is secret. */
  readonly sealed?: Sealed;
  /** Who queues it, as the audit trail names them. */
  readonly by: string;
}

/**
 * Queues a job in the transaction of the change that wants it: it is done if, and only if, that is committed. Call
 * `realm.wakeJobs()` then, else it waits for up to a minute.
 * @returns its id
 */
export async function queueJob(
  { clock, newId }: Pick<RealmInstance, "clock" | "newId">,
  transaction: Transaction,
  { id = newId(), kind, target, state, sealed, by }: NewJob,
): Promise<string> {
  const now = timestamp(clock.now());
  const record: JobRecord = {
    id,
    kind,
    status: "queued",
    target,
    created_at: now,
    created_by: by,
    started_at: null,
    finished_at: null,
    due_at: now,
    attempts: 0,
    state: JSON.stringify(state),
    ...(sealed !== undefined && { sealed }),
    result: null,
    error: null,
  };
  await transaction.collection(jobCollection).insert(writeJob(record, 1));
  return id;
}

/** Undefined where there is none, or none any longer. */
export async function findJob(store: Store, id: string): Promise<JobRecord | undefined> {
  const document = await store.collection(jobCollection).get(id, "live");
  return document && readJob(document).record;
}

/** Has a job that failed go on where it was, with as many attempts as a new one; false where it has not failed. */
export async function retryJob(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  id: string,
): Promise<boolean> {
  const jobs = store.collection(jobCollection);
  const document = await jobs.get(id, "live");
  if (document === undefined) return false;
  const { record, version } = readJob(document);
  if (record.status !== "failed") return false;
  const again: JobRecord = {
    ...record,
    status: "queued",
    finished_at: null,
    due_at: timestamp(clock.now()),
    attempts: 0,
    error: null,
  };
  return jobs.replace(version, writeJob(again, version + 1));
}
