import type { JsonObject } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { NewJob } from "./queue.ts";
import type { JobRecord } from "./records.ts";

/** The part of a realm that jobs need. */
export type JobRealm = Pick<RealmInstance, "definition" | "store" | "clock" | "newId" | "log" | "files">;

/** A kind of job: how it is done, a step after the other. */
export interface JobKind {
  /**
   * As records name it: what is stored under it has to be understood for as long as it may be. Kinds that differ in what
   * follows a colon are one to those who look at jobs.
   */
  readonly name: string;
  /** Steps of its jobs that one instance does at once in a realm. */
  readonly limit: number;
  /** Kinds that have the same one share its limit, too. */
  readonly pool?: JobPool;
  /** Milliseconds before each attempt of a step but the first: a step that fails after the last has failed. Default: 1 and 2 minutes. */
  readonly backoff?: readonly number[];
  /** Jobs of it that a realm remembers after their end, the newest ones; default: {@link jobsKept}. 0: nothing is ever kept. */
  readonly kept?: number;
  /** Of jobs that are over: nothing is kept of this one. */
  readonly forgets?: (job: JobRecord) => boolean;
  /** What is due when the instance stops is done yet, as long as there is time. */
  readonly drains?: true;
  /**
   * A standing job: every realm has one, due again so many milliseconds after each run, whatever came of it, or, where
   * that leaves a state, when its pause is over.
   */
  readonly every?: number;
  /**
   * What a realm needs when an instance begins with it: a job each is queued, but where one of this kind and target goes on
   * already.
   */
  readonly needed?: (realm: JobRealm) => readonly Pick<NewJob, "target" | "state">[];
  /**
   * Reads what the next step needs, then answers what comes of it, or how it writes: in one transaction with the job's own
   * record, so that a step is done wholly or not at all, however the process ends. It may be done again by another
   * instance as long as that has not been committed.
   * @throws JobFailure where the job cannot go on, ever
   */
  readonly step: (realm: JobRealm, job: JobRecord, hold: Hold) => Promise<Step>;
  /** Writes what there is to say when the job has failed, in the transaction that makes it so. */
  readonly failed?: (realm: JobRealm, job: JobRecord, transaction: Transaction) => Promise<void>;
}

export const jobsKept = 10_000;

/** Steps of several kinds together that one instance does at once in a realm. */
export interface JobPool {
  readonly limit: number;
}

/** What a step knows of its right to go on. */
export interface Hold {
  /** Aborted when nothing that the step does will count: its job was cancelled, another instance has it, or time is up. */
  readonly signal: AbortSignal;
  /** False when a long step is to end early, with what it has done: the instance stops. */
  goesOn(): boolean;
}

/** The second may run several times, as any work of a transaction. */
export type Step = Progress | ((transaction: Transaction) => Promise<Progress>);

/** What became of a job by a step. */
export interface Progress {
  /** The job succeeded by it. */
  readonly result?: JsonObject;
  /** JSON text for who queued it. */
  readonly output?: string;
  /** Where the next step goes on, as JSON; absent: there is none. */
  readonly state?: object;
  /** Milliseconds until the next step is due; default: none. */
  readonly pause?: number;
}

/** Why a job cannot go on, in words that may be shown. */
export class JobFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "JobFailure";
  }
}

/** An attempt that failed, and of which whoever makes it has told already; in words that may be shown. */
export class AttemptFailed extends Error {
  /** Milliseconds until the next one, if there is one, in place of what the kind says. */
  readonly after: number | undefined;

  constructor(reason: string, after?: number) {
    super(reason);
    this.name = "AttemptFailed";
    this.after = after;
  }
}

/** There is no room for a step at the moment: it counts for nothing, and is done later. */
export class NotNow extends Error {
  /** Milliseconds. */
  readonly after: number;

  constructor(after: number) {
    super("there is no room for the step now");
    this.name = "NotNow";
    this.after = after;
  }
}
