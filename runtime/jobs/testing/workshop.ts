import { afterEach, beforeEach } from "vitest";
import { silent } from "../../http/testing/server.ts";
import { idGenerator } from "../../ids.ts";
import { type HeldClock, heldClock } from "../../instance/testing/servers.ts";
import type { Store } from "../../store/contract/store.ts";
import { testStore } from "../../store/testing/stores.ts";
import type { JobKind, JobRealm, Progress } from "../kind.ts";
import { laneShape } from "../lanes.ts";
import { findJob, type NewJob, queueJob } from "../queue.ts";
import { type JobRecord, jobShape } from "../records.ts";
import { JobWorker } from "../worker.ts";
import { type GoOn, runJobs } from "./run.ts";

export const minute = 60_000;
export const day = 24 * 60 * minute;

export type StepOf = JobKind["step"];

/** A realm in which jobs are queued and done, anew for each test of the file that asks for it. */
export interface Workshop {
  readonly clock: HeldClock;
  readonly store: Store;
  readonly realm: JobRealm;
  /** What was logged as errors, and as warnings. */
  readonly errors: readonly object[];
  readonly warnings: readonly object[];
  /** Queues a job of kind `count`, unless it says otherwise; answers its id. */
  queue(state?: object, more?: Partial<NewJob>): Promise<string>;
  /** @throws Error where there is none */
  job(id: string): Promise<JobRecord>;
  statuses(ids: readonly string[]): Promise<readonly JobRecord["status"][]>;
  /** Does what is due, with this as the only work. */
  run(step: StepOf | JobKind, goOn?: GoOn): Promise<void>;
  /** A worker as an instance has one, which stops with the test. */
  worker(...kinds: readonly JobKind[]): JobWorker;
}

interface Made {
  readonly clock: HeldClock;
  readonly store: Store;
  readonly realm: JobRealm;
  readonly errors: object[];
  readonly warnings: object[];
  readonly workers: JobWorker[];
}

/** To be called once, where a test file begins. */
export function workshop(): Workshop {
  let made: Made;
  beforeEach(async () => {
    made = await make();
  });
  afterEach(async () => {
    for (const worker of made.workers) await worker.stop(0);
    await made.store.close();
  });

  const job = async (id: string): Promise<JobRecord> => {
    const found = await findJob(made.store, id);
    if (found === undefined) throw new Error(`no job ${id}`);
    return found;
  };
  return {
    get clock() {
      return made.clock;
    },
    get store() {
      return made.store;
    },
    get realm() {
      return made.realm;
    },
    get errors() {
      return made.errors;
    },
    get warnings() {
      return made.warnings;
    },
    queue: (state = {}, more = {}) =>
      made.store.transaction((transaction) =>
        queueJob(made.realm, transaction, {
          kind: "count",
          target: "org:a",
          state,
          by: "user:ada",
          ...more,
        }),
      ),
    job,
    statuses: async (ids) => (await Promise.all(ids.map(job))).map(({ status }) => status),
    run: (step, goOn) => runJobs(made.realm, [typeof step === "function" ? kind(step) : step], goOn),
    worker(...kinds) {
      const worker = new JobWorker(made.realm, kinds);
      made.workers.push(worker);
      return worker;
    },
  };
}

async function make(): Promise<Made> {
  const clock = heldClock();
  const store = await testStore({ clock, collections: [jobShape, laneShape] });
  const errors: object[] = [];
  const warnings: object[] = [];
  const definition = {
    name: "shop",
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    collections: [],
  };
  const log = {
    ...silent,
    error: (fields: object) => errors.push(fields),
    warn: (fields: object) => warnings.push(fields),
  };
  const realm = { definition, store, clock, newId: idGenerator(clock), log };
  return { clock, store, realm, errors, warnings, workers: [] };
}

export function kind(step: StepOf, more: Partial<JobKind> = {}): JobKind {
  return { name: "count", limit: 20, step, ...more };
}

/** Counts to a number, a step for each. */
export const counting: StepOf = async (_, { state }) => {
  const { n, to }: { n: number; to: number } = JSON.parse(state);
  return async () => (n < to ? { state: { n: n + 1, to } } : { result: { counted: n } });
};

export const nothing: StepOf = async () => ({});

/** Steps that wait until they are let go, by the target of their job. */
export function waiting() {
  const begun: string[] = [];
  const signals = new Map<string, AbortSignal>();
  const go = new Map<string, (progress: Progress) => void>();
  const step: StepOf = (_, { target }, { signal }) => {
    begun.push(target);
    signals.set(target, signal);
    return new Promise((resolve) => go.set(target, resolve));
  };
  const end = (target: string, progress: Progress = {}) => go.get(target)?.(progress);
  return { begun, signals, step, end };
}
