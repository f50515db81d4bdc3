import { timestamp } from "../../clock.ts";
import type { JobKind, JobRealm } from "../../jobs/kind.ts";
import { queueJob, recordJob } from "../../jobs/queue.ts";
import { isOver, jobCollection, readJob } from "../../jobs/records.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import { type EventDefinition, functionName, type ScheduleDefinition } from "../../realm/functions.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { eventJob, type ScheduleState } from "./event-jobs.ts";
import { type Times, timesReader } from "./times.ts";

/** A function with a schedule. */
type Scheduled = EventDefinition & { readonly schedule: ScheduleDefinition };

/** Where the schedules of a realm stand, by function. A schedule that is another one than here begins anew. */
type Schedules = Readonly<Record<string, Standing>>;

interface Standing extends ScheduleDefinition {
  /** When it is due: RFC 3339; null: never again. */
  readonly next: string | null;
  /** Its last run. */
  readonly job?: string;
}

/** Milliseconds between two looks where nothing is due: what is configured may change. */
const look = 60_000;

/**
 * Queues the runs of a realm's schedules when they are due: one job for all instances, which never ends. Where several
 * were missed, the last of them is made up.
 */
export function schedules({ functions = [] }: Pick<RealmDefinition, "functions">): readonly JobKind[] {
  const scheduled = functions.filter(isScheduled);
  if (scheduled.length === 0) return [];
  const kind: JobKind = {
    name: "function.schedules",
    limit: 1,
    backoff: [],
    every: look,
    async step(realm, job) {
      const known: Schedules = JSON.parse(job.state);
      const now = realm.clock.now();
      const timesOf = await timesReader();
      const stand = scheduled.map((definition) => {
        const times = () => timesOf(definition.schedule);
        return dueOf(definition, known[functionName(definition)], times, now);
      });
      return async (transaction) => {
        const next: [string, Standing][] = [];
        for (const due of stand)
          next.push([functionName(due.definition), await settled(realm, transaction, due)]);
        const left = next.map(([, standing]) =>
          standing.next === null ? look : Date.parse(standing.next) - now,
        );
        return { state: Object.fromEntries(next), pause: Math.max(0, Math.min(look, ...left)) };
      };
    },
  };
  return [kind];
}

/** When a schedule is due after `now`, in epoch milliseconds; undefined: never again. */
export async function nextDue(schedule: ScheduleDefinition, now: number): Promise<number | undefined> {
  const timesOf = await timesReader();
  return timesOf(schedule).after(now);
}

function isScheduled(definition: NonNullable<RealmDefinition["functions"]>[number]): definition is Scheduled {
  return definition.mode === "event" && definition.schedule !== undefined;
}

interface Due {
  readonly definition: Scheduled;
  readonly standing: Standing;
  /** When it was, the last time; absent: it is not. */
  readonly at?: string;
}

function dueOf(definition: Scheduled, before: Standing | undefined, make: () => Times, now: number): Due {
  const { cron, timezone } = definition.schedule;
  const isSame = before?.cron === cron && before.timezone === timezone;
  if (isSame && (before.next === null || Date.parse(before.next) > now))
    return { definition, standing: before };
  const times = make();
  const next = times.after(now);
  const standing: Standing = {
    ...(before?.job !== undefined && { job: before.job }),
    cron,
    timezone,
    next: next === undefined ? null : timestamp(next),
  };
  if (!isSame) return { definition, standing };
  const last = times.until(now);
  return { definition, standing, ...(last !== undefined && { at: timestamp(last) }) };
}

/** Queues its run, or notes that there is none, because the one before goes on yet. */
async function settled(
  realm: JobRealm,
  transaction: Transaction,
  { definition, standing, at }: Due,
): Promise<Standing> {
  if (at === undefined) return standing;
  const state: ScheduleState = { kind: "schedule", at };
  const run = eventJob(definition, state);
  if (await goesOn(transaction, standing.job)) {
    await recordJob(realm, transaction, run, {
      status: "cancelled",
      error: "It was not begun: the run before went on yet.",
    });
    return standing;
  }
  return { ...standing, job: await queueJob(realm, transaction, run) };
}

/** One that waits for another attempt does, too. */
async function goesOn(transaction: Transaction, job: string | undefined): Promise<boolean> {
  const document = job && (await transaction.collection(jobCollection).get(job, "live"));
  return document !== undefined && document !== "" && !isOver(readJob(document).record);
}
