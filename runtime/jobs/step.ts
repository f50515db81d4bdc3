import type { JsonObject } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { JobKind, JobRecord } from "./records.ts";

/** The part of a realm that jobs need. */
export type JobRealm = Pick<RealmInstance, "definition" | "store" | "clock" | "newId" | "log">;

/** How a kind of job is done, a step after the other. */
export interface JobWork {
  /**
   * Reads what the next step needs, then answers how it writes: in one transaction with the job's own record, so that a
   * step is done wholly or not at all, however the process ends.
   * @throws JobFailure where the job cannot go on, ever
   */
  readonly step: (realm: JobRealm, job: JobRecord) => Promise<Step>;
  /** Writes what there is to say when the job has failed, in the transaction that makes it so. */
  readonly failed?: (realm: JobRealm, job: JobRecord, transaction: Transaction) => Promise<void>;
}

/** Kinds of jobs that are done in turn, beside those of other lanes. */
export interface JobLane {
  /** Of the lease by which one instance has it for itself. */
  readonly name: string;
  readonly works: Readonly<Partial<Record<JobKind, JobWork>>>;
}

/**
 * May run several times, as any work of a transaction.
 * @throws JobFailure
 */
export type Step = (transaction: Transaction) => Promise<Progress>;

/** What became of a job by a step. */
export interface Progress {
  /** The job succeeded by it. */
  readonly result?: JsonObject;
  /** Where the next step goes on, as JSON; absent: there is none. */
  readonly state?: object;
  /** Milliseconds until the next step is due; default: none. */
  readonly pause?: number;
  /** It is over, and nothing is kept of it. */
  readonly gone?: true;
}

/** Why a job cannot go on, in words that may be shown. */
export class JobFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "JobFailure";
  }
}
