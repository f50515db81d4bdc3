import { timestamp } from "../clock.ts";
import { and, compare, eq, isIn, not } from "../filter/algebra.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import type { JobKind, JobRealm } from "./kind.ts";
import { queueJob } from "./queue.ts";
import { type JobRecord, jobCollection, jobFields, readJob, writeJob } from "./records.ts";

/** What a worker does before its first look: may be done again where it failed, and by several instances. */
export async function beginJobs(realm: JobRealm, kinds: readonly JobKind[]): Promise<void> {
  for (const kind of kinds) {
    if (kind.every !== undefined) await stand(realm, kind);
    if (kind.needed !== undefined) await queueNeeded(realm, kind, kind.needed);
  }
  await tellUnknown(realm, kinds);
}

/** Makes a standing job, where there is none yet. */
async function stand({ store, clock }: JobRealm, { name }: JobKind): Promise<void> {
  const jobs = store.collection(jobCollection);
  if ((await jobs.get(name, "live")) !== undefined) return;
  const now = timestamp(clock.now());
  const record: JobRecord = {
    id: name,
    kind: name,
    status: "queued",
    target: "realm",
    created_at: now,
    created_by: "service",
    started_at: null,
    finished_at: null,
    due_at: now,
    attempts: 0,
    state: "{}",
    result: null,
    error: null,
  };
  try {
    await jobs.insert(writeJob(record, 1));
  } catch (error) {
    // Another instance was quicker.
    if (!(error instanceof DuplicateId)) throw error;
  }
}

/** Queues what is needed and does not go on already. */
async function queueNeeded(
  realm: JobRealm,
  { name }: JobKind,
  needed: NonNullable<JobKind["needed"]>,
): Promise<void> {
  const wanted = needed(realm);
  if (wanted.length === 0) return;
  const filter = and(eq(jobFields.kind, name), isIn(jobFields.status, ["queued", "running"]));
  const jobs = realm.store.collection(jobCollection);
  const found = await jobs.find({ filter, visibility: "live", limit: 1_000, skip: 0 });
  const known = new Set(found.map((document) => readJob(document).record.target));
  await realm.store.transaction(async (transaction) => {
    for (const { target, state } of wanted)
      if (!known.has(target))
        await queueJob(realm, transaction, { kind: name, target, state, by: "service" });
  });
}

/** Tells of jobs that are due and of no kind that this version knows. */
async function tellUnknown(
  { store, clock, log, definition }: JobRealm,
  kinds: readonly JobKind[],
): Promise<void> {
  const isUnknown = not(
    isIn(
      jobFields.kind,
      kinds.map(({ name }) => name),
    ),
  );
  const filter = and(isUnknown, compare("lte", jobFields.due_at, timestamp(clock.now())));
  const found = await store
    .collection(jobCollection)
    .find({ filter, visibility: "live", limit: 10, skip: 0 });
  for (const { record } of found.map(readJob)) {
    const fields = { realm: definition.name, job: record.id, kind: record.kind };
    log.warn(fields, "a job is of a kind that this version does not know: it waits for one that does");
  }
}
