import { timestamp } from "../clock.ts";
import { QueryTimeout } from "../store/contract/errors.ts";
import { AttemptFailed, JobFailure, type JobKind, type Progress } from "./kind.ts";
import { isOver, type JobRecord } from "./records.ts";

/** Milliseconds before the second and the third attempt of a step, where its kind says nothing else. */
const usualBackoff = [60_000, 120_000];

/** The job without whoever has claimed it. */
export function released(job: JobRecord): JobRecord {
  // Leaving the member out would make an object of it that is slow to write; undefined is not stored.
  return { ...job, claimed_by: undefined };
}

/** What is stored of it; undefined: nothing. */
export function keptOf({ kept, forgets }: JobKind, job: JobRecord): JobRecord | undefined {
  return isOver(job) && (kept === 0 || forgets?.(job) === true) ? undefined : job;
}

/** The job after a step that succeeded. */
export function advanced(kind: JobKind, job: JobRecord, progress: Progress, now: number): JobRecord {
  const { result, output, state, pause = 0 } = progress;
  const next: JobRecord = {
    ...released(job),
    attempts: 0,
    state: JSON.stringify(state ?? {}),
    result: result ?? job.result,
    ...(output !== undefined && { output }),
    error: null,
  };
  if (kind.every !== undefined) {
    const wait = state === undefined ? kind.every : pause;
    return { ...next, status: "queued", started_at: null, due_at: timestamp(now + wait) };
  }
  const due_at = state === undefined ? null : timestamp(now + pause);
  if (job.finished_at !== null) return { ...next, due_at };
  if (state !== undefined && result === undefined) return { ...next, due_at };
  return { ...next, status: "succeeded", finished_at: timestamp(now), due_at };
}

/** The job after a step that failed. Of one that is finished, only what was left to clean up is given up in the end. */
export function afterFailure(kind: JobKind, job: JobRecord, error: unknown, now: number): JobRecord {
  const attempts = job.attempts + 1;
  const next = { ...released(job), attempts };
  const isFinished = job.finished_at !== null;
  const pause = pauseAfter(kind, job, error);
  if (pause !== undefined)
    return { ...next, status: isFinished ? job.status : "queued", due_at: timestamp(now + pause) };
  if (kind.every !== undefined) {
    const due_at = timestamp(now + kind.every);
    return { ...next, status: "queued", started_at: null, due_at, attempts: 0, error: reasonOf(error) };
  }
  if (isFinished) return { ...next, due_at: null };
  return { ...next, status: "failed", finished_at: timestamp(now), due_at: null, error: reasonOf(error) };
}

/** Milliseconds until the next attempt; undefined: there is none. */
function pauseAfter({ backoff = usualBackoff }: JobKind, { attempts }: JobRecord, error: unknown) {
  const usual = error instanceof JobFailure ? undefined : backoff[attempts];
  return usual !== undefined && error instanceof AttemptFailed ? (error.after ?? usual) : usual;
}

/** Messages of other errors may repeat what was stored. */
function reasonOf(error: unknown): string {
  if (error instanceof JobFailure || error instanceof AttemptFailed) return error.message;
  if (error instanceof QueryTimeout) return "A query of it exceeded the time limit of queries.";
  return "A step of it failed again and again; the server's log says why.";
}
