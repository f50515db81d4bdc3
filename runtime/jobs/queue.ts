import type { Read } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import { and, eq } from "../filter/algebra.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Sealed } from "../sealing.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { enterEmptyLanes, enterLane, leaveLane } from "./lanes.ts";
import { type JobRecord, jobCollection, jobFields, readJob, writeJob } from "./records.ts";

/** A job to be queued. */
export interface NewJob {
  /** Default: a new one; where the change that queues it has to name it. */
  readonly id?: string;
  /** Name of a kind. */
  readonly kind: string;
  /** `org:<id>`, `collection:<database>/<collection>`. */
  readonly target: string;
  /** What its kind begins with; becomes JSON text. */
  readonly state: object;
  /** What of it is secret. */
  readonly sealed?: Sealed;
  /** Who queues it, as the audit trail names them. */
  readonly by: string;
  /** Who is shown it: see `identityOf`; absent: whoever has the name. */
  readonly owner?: string | undefined;
  /** Milliseconds until it is due; default: none. */
  readonly delay?: number;
  /** While it waits there is no other of its kind with the same one: a `UniqueViolation` of the index {@link keyIndex} then. */
  readonly key?: string;
  /** It is done after those that were queued with the same one before. */
  readonly lane?: string;
}

/**
 * Queues a job in the transaction of the change that wants it: it is done if, and only if, that is committed. Call
 * `realm.wakeJobs()` then, else it waits for some seconds.
 * @returns its id
 */
export async function queueJob(
  realm: Pick<RealmInstance, "clock" | "newId">,
  transaction: Transaction,
  job: NewJob,
): Promise<string> {
  const queued = await enterLane(transaction, recordOf(realm, job));
  await transaction.collection(jobCollection).insert(writeJob(queued, 1));
  return queued.id;
}

/**
 * The same of several jobs, in as few commands as the engine can.
 * @param empty lanes in which there was nothing a moment ago (`emptyLanes`)
 * @throws InsertRefused where there is something in one of them by now: what is to be done is done anew
 */
export async function queueJobs(
  realm: Pick<RealmInstance, "clock" | "newId">,
  transaction: Transaction,
  jobs: readonly NewJob[],
  empty: ReadonlySet<string>,
): Promise<void> {
  const isFirst = ({ lane }: NewJob) => lane === undefined || empty.has(lane);
  const records = jobs.filter(isFirst).map((job) => recordOf(realm, job));
  await enterEmptyLanes(transaction, records);
  if (records.length > 0)
    await transaction.collection(jobCollection).insertAll(records.map((record) => writeJob(record, 1)));
  for (const job of jobs) if (!isFirst(job)) await queueJob(realm, transaction, job);
}

/** Notes a job that is over before it has begun. */
export async function recordJob(
  realm: Pick<RealmInstance, "clock" | "newId">,
  transaction: Transaction,
  job: NewJob,
  over: Pick<JobRecord, "status" | "error">,
): Promise<void> {
  const record = recordOf(realm, job);
  const ended: JobRecord = { ...record, ...over, finished_at: record.created_at, due_at: null };
  await transaction.collection(jobCollection).insert(writeJob(ended, 1));
}

function recordOf({ clock, newId }: Pick<RealmInstance, "clock" | "newId">, job: NewJob): JobRecord {
  const { id = newId(), kind, target, state, sealed, by, owner, delay = 0, key, lane } = job;
  const now = clock.now();
  return {
    id,
    kind,
    status: "queued",
    target,
    created_at: timestamp(now),
    created_by: by,
    ...(owner !== undefined && { owner }),
    started_at: null,
    finished_at: null,
    due_at: timestamp(now + delay),
    attempts: 0,
    state: JSON.stringify(state),
    ...(sealed !== undefined && { sealed }),
    result: null,
    error: null,
    ...(key !== undefined && { key }),
    ...(lane !== undefined && { lane }),
  };
}

/** Undefined where there is none, or none any longer. */
export async function findJob(store: Store, id: string): Promise<JobRecord | undefined> {
  const document = await store.collection(jobCollection).get(id, "live");
  return document && readJob(document).record;
}

/** The job of a kind that waits under a key; undefined where there is none, or it has begun. */
export async function findJobUnder(store: Store, kind: string, key: string): Promise<JobRecord | undefined> {
  const filter = and(eq(jobFields.kind, kind), eq(jobFields.key, key));
  const [document] = await store
    .collection(jobCollection)
    .find({ filter, visibility: "live", limit: 1, skip: 0 });
  return document && readJob(document).record;
}

/** Writes what else belongs to a change of a job, in its transaction. */
type Along = (transaction: Transaction) => Promise<void>;

/**
 * Has a job that failed go on where it was, with as many attempts as a new one, at the end of its lane; undefined where it
 * has not failed.
 */
export function retryJob(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  id: string,
  along?: Along,
): Promise<JobRecord | undefined> {
  return change(store, id, along, async (transaction, { record: job }) => {
    if (job.status !== "failed") return undefined;
    const due_at = timestamp(clock.now());
    const again = { ...job, status: "queued", finished_at: null, due_at, attempts: 0, error: null } as const;
    return enterLane(transaction, again);
  });
}

/**
 * Ends a job that is not over: a step of it that is under way writes nothing any more. What steps before have done stays
 * done. Undefined where it is over.
 */
export function cancelJob(
  { store, clock }: Pick<RealmInstance, "store" | "clock">,
  id: string,
  along?: Along,
): Promise<JobRecord | undefined> {
  return change(store, id, along, async (transaction, { record }) => {
    if (record.finished_at !== null) return undefined;
    const { claimed_by: _, ...job } = record;
    const finished_at = timestamp(clock.now());
    const over = { status: "cancelled", finished_at, due_at: null, key: undefined } as const;
    // One that waits keeps its place, so that those behind it are found.
    if (job.waits !== undefined) return { ...job, ...over };
    await leaveLane(transaction, job);
    const { next: __, ...left } = job;
    return { ...left, ...over };
  });
}

/** Changes a job in a transaction, if `changed` answers what it becomes. */
function change(
  store: Store,
  id: string,
  along: Along | undefined,
  changed: (transaction: Transaction, job: Read<JobRecord>) => Promise<JobRecord | undefined>,
): Promise<JobRecord | undefined> {
  return store.transaction(async (transaction) => {
    const jobs = transaction.collection(jobCollection);
    const document = await jobs.get(id, "live");
    if (document === undefined) return undefined;
    const read = readJob(document);
    const next = await changed(transaction, read);
    if (next === undefined) return undefined;
    await jobs.replace(read.version, writeJob(next, read.version + 1));
    await along?.(transaction);
    return next;
  });
}
