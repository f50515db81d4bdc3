import { shape } from "../auth/collections.ts";
import { type Read, readRecord, writeRecord } from "../auth/records.ts";
import { isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import { Outdated } from "../retry.ts";
import type { DocumentWrite, StoredDocument } from "../store/contract/document.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { type JobRecord, jobCollection, readJob, writeJob } from "./records.ts";

/**
 * Lanes: jobs that are done one after another. Each unfinished one names the next, and the lane its last. All but the first
 * have no due time but `waits`: nobody looks at them, however many there are, until their turn has come. Whatever changes
 * in a lane is done in the transaction of what changes it.
 */

/** `_svc.lanes`: a lane, as long as there are jobs in it. */
interface LaneRecord {
  /** The lane's name. */
  readonly id: string;
  /** Id of its last job. */
  readonly last: string;
  readonly created_at: string;
}

export const laneCollection = "_svc.lanes";

export const laneShape: CollectionShape = shape(laneCollection, {});

function writeLane(record: LaneRecord, version: number): DocumentWrite {
  return writeRecord(record, version, record.created_at);
}

/** The job as it is to be stored, at the end of its lane. */
export async function enterLane(transaction: Transaction, job: JobRecord): Promise<JobRecord> {
  const { id, lane, due_at, created_at } = job;
  if (lane === undefined || due_at === null) return job;
  const lanes = transaction.collection(laneCollection);
  const document = await lanes.get(lane, "live");
  if (document === undefined) {
    await lanes.insert(writeLane({ id: lane, last: id, created_at }, 1));
    return job;
  }
  const { record, version } = readRecord<LaneRecord>(document);
  const before = await jobIn(transaction, record.last);
  const next: LaneRecord = { ...record, last: id };
  await done(lanes.replace(version, writeLane(next, version + 1)));
  if (before === undefined) return job;
  await put(transaction, before, { ...before.record, next: id });
  return { ...job, due_at: null, waits: due_at };
}

/** Those of the lanes in which there is nothing now; but not those that are named more than once. */
export async function emptyLanes(store: Store, names: readonly string[]): Promise<ReadonlySet<string>> {
  const empty = new Set(names);
  if (empty.size === 0) return empty;
  const filter = isIn(documentFields.id, [...empty]);
  const lanes = store.collection(laneCollection);
  for (const { id } of await lanes.find({ filter, visibility: "live", limit: empty.size, skip: 0 }))
    empty.delete(id);
  for (const [at, name] of names.entries()) if (names.indexOf(name) < at) empty.delete(name);
  return empty;
}

/** Enters lanes in which there is nothing, in as few commands as the engine can. */
export async function enterEmptyLanes(transaction: Transaction, jobs: readonly JobRecord[]): Promise<void> {
  const lanes = jobs.flatMap(({ id, lane, created_at }) =>
    lane === undefined ? [] : [writeLane({ id: lane, last: id, created_at }, 1)],
  );
  if (lanes.length > 0) await transaction.collection(laneCollection).insertAll(lanes);
}

/** The lanes in which nothing stands behind these jobs, which are their last. */
export async function lanesEndedBy(
  store: Store,
  jobs: readonly { readonly lane: string; readonly last: string }[],
): Promise<readonly Pick<StoredDocument, "id" | "version">[]> {
  if (jobs.length === 0) return [];
  const lasts = new Map(jobs.map(({ lane, last }) => [lane, last]));
  const filter = isIn(documentFields.id, [...lasts.keys()]);
  const found = await store
    .collection(laneCollection)
    .find({ filter, visibility: "live", limit: lasts.size, skip: 0 });
  return found.filter((document) => readRecord<LaneRecord>(document).record.last === lasts.get(document.id));
}

/** Gives its turn to the next one; to be called when a job that had its turn is over. */
export async function leaveLane(transaction: Transaction, { id, lane, next }: JobRecord): Promise<void> {
  if (lane === undefined) return;
  let last = id;
  for (let following = next; following !== undefined; ) {
    const found = await jobIn(transaction, following);
    if (found === undefined) break;
    const { next: afterIt, waits, ...job } = found.record;
    if (job.finished_at === null) {
      const due_at = waits ?? job.due_at;
      return put(transaction, found, { ...job, due_at, ...(afterIt !== undefined && { next: afterIt }) });
    }
    // It was cancelled while it waited.
    await put(transaction, found, job);
    last = following;
    following = afterIt;
  }
  const lanes = transaction.collection(laneCollection);
  const document = await lanes.get(lane, "live");
  if (document === undefined || readRecord<LaneRecord>(document).record.last !== last) return;
  await done(lanes.remove(lane, document.version));
}

async function jobIn(transaction: Transaction, id: string): Promise<Read<JobRecord> | undefined> {
  const document = await transaction.collection(jobCollection).get(id, "live");
  return document && readJob(document);
}

function put(transaction: Transaction, { version }: Read<JobRecord>, job: JobRecord): Promise<void> {
  return done(transaction.collection(jobCollection).replace(version, writeJob(job, version + 1)));
}

async function done(write: Promise<boolean>): Promise<void> {
  if (!(await write)) throw new Outdated();
}
