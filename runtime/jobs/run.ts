import { timestamp } from "../clock.ts";
import { and, compare, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { Order } from "../filter/order.ts";
import { Outdated } from "../retry.ts";
import {
  LeaseLost,
  QueryTimeout,
  StoreBusy,
  StoreUnavailable,
  TransactionConflict,
} from "../store/contract/errors.ts";
import type { Lease } from "../store/contract/lease.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { holding, leaseTime } from "./holding.ts";
import { type JobRecord, jobCollection, jobFields, readJob, writeJob } from "./records.ts";
import { JobFailure, type JobLane, type JobRealm, type Progress } from "./step.ts";

/** Jobs that take their turns, each for one step. */
const together = 20;

/** How often a step is tried in all before its job has failed. */
const attempts = 3;

/** Milliseconds after which a failed step is tried again: this for the first time, twice this for the second. */
const pause = 60_000;

const order: Order = [jobFields.due_at, documentFields.id].map((field) => ({ field, descending: false }));

/** Whether to go on; false where the server stops. */
export type GoOn = () => Promise<boolean>;

/**
 * Does whatever is due of a lane of a realm's jobs, all of them in turn, a step of each, until nothing is due. Where the store is
 * shared one instance does so at a time; a step of one that lost its turn without knowing is not committed.
 * @throws StoreUnavailable | StoreBusy | TransactionConflict, which are no failures of a job
 */
export async function runJobs(realm: JobRealm, lane: JobLane, goOn: GoOn): Promise<void> {
  const lease = await realm.store.lease(lane.name, leaseTime);
  if (lease === undefined) return;
  const hold = holding(lease, realm.clock);
  try {
    await runDue(realm, lane, lease, async () => (await goOn()) && (await hold()));
  } catch (error) {
    // Another instance goes on.
    if (!(error instanceof LeaseLost)) throw error;
  } finally {
    await lease.release();
  }
}

async function runDue(realm: JobRealm, lane: JobLane, lease: Lease, goOn: GoOn): Promise<void> {
  const { store, clock } = realm;
  const kinds = isIn(jobFields.kind, Object.keys(lane.works));
  for (;;) {
    const filter = and(kinds, compare("lte", jobFields.due_at, timestamp(clock.now())));
    const due = await store
      .collection(jobCollection)
      .find({ filter, visibility: "live", order, limit: together, skip: 0 });
    if (due.length === 0) return;
    for (const document of due) {
      if (!(await goOn())) return;
      const { record, version } = readJob(document);
      await runStep(realm, lane, lease, record, version);
    }
  }
}

async function runStep(
  realm: JobRealm,
  lane: JobLane,
  lease: Lease,
  job: JobRecord,
  version: number,
): Promise<void> {
  const { store, clock, log } = realm;
  const work = lane.works[job.kind];
  if (work === undefined) throw new Error(`lane ${lane.name} has no jobs of kind ${job.kind}`);
  try {
    const write = await work.step(realm, job);
    await store.transaction(
      async (transaction) => {
        const progress = await write(transaction);
        if (progress.gone === true) await removeJob(transaction, job.id, version);
        else await replaceJob(transaction, version, advanced(job, progress, clock.now()));
      },
      { lease },
    );
  } catch (err) {
    // Another instance did the step, or changed what it rests on: the next round finds what is due then.
    if (err instanceof Outdated) return;
    if (passing.some((kind) => err instanceof kind)) throw err;
    log.error({ err, realm: realm.definition.name, job: job.id, kind: job.kind }, "a step of a job failed");
    const next = afterFailure(job, err, clock.now());
    await store.transaction(
      async (transaction) => {
        await replaceJob(transaction, version, next);
        if (next.status === "failed") await work.failed?.(realm, job, transaction);
      },
      { lease },
    );
  }
}

async function replaceJob(transaction: Transaction, version: number, next: JobRecord): Promise<void> {
  const jobs = transaction.collection(jobCollection);
  if (!(await jobs.replace(version, writeJob(next, version + 1)))) throw new Outdated();
}

async function removeJob(transaction: Transaction, id: string, version: number): Promise<void> {
  if (!(await transaction.collection(jobCollection).remove(id, version))) throw new Outdated();
}

/** What says nothing about a job. */
const passing = [StoreUnavailable, StoreBusy, TransactionConflict, LeaseLost];

function advanced(job: JobRecord, { result, state, pause = 0 }: Progress, now: number): JobRecord {
  const at = timestamp(now);
  const wasOver = job.finished_at !== null;
  const ends = !wasOver && (result !== undefined || state === undefined);
  return {
    ...job,
    status: ends || wasOver ? "succeeded" : "running",
    started_at: job.started_at ?? at,
    finished_at: ends ? at : job.finished_at,
    due_at: state === undefined ? null : timestamp(now + pause),
    attempts: 0,
    state: JSON.stringify(state ?? {}),
    result: result ?? job.result,
  };
}

/** Of a job that is finished, only what was left to clean up is given up in the end. */
function afterFailure(job: JobRecord, error: unknown, now: number): JobRecord {
  const at = timestamp(now);
  const failures = job.attempts + 1;
  const started = { ...job, started_at: job.started_at ?? at, attempts: failures };
  if (failures < attempts && !(error instanceof JobFailure))
    return { ...started, due_at: timestamp(now + pause * failures) };
  if (job.finished_at !== null) return { ...started, due_at: null };
  return { ...started, status: "failed", finished_at: at, due_at: null, error: reasonOf(error) };
}

/** Messages of other errors may repeat what was stored. */
function reasonOf(error: unknown): string {
  if (error instanceof JobFailure) return error.message;
  if (error instanceof QueryTimeout) return "A query of it exceeded the time limit of queries.";
  return "A step of it failed again and again; the server's log says why.";
}
