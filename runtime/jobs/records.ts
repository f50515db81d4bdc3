import { index, shape } from "../auth/collections.ts";
import { readRecord, writeRecord } from "../auth/records.ts";
import { documentFields, field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { Sealed } from "../sealing.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { CollectionShape } from "../store/contract/shape.ts";

export const jobStatuses = ["queued", "running", "succeeded", "failed", "cancelled"] as const;

export type JobStatus = (typeof jobStatuses)[number];

/** `_svc.jobs`: work that goes on in the background, step by step. Times are RFC 3339, UTC, milliseconds. */
export interface JobRecord {
  readonly id: string;
  /** Of one that no kind of this version is called nobody does anything: an instance of another version may. */
  readonly kind: string;
  readonly status: JobStatus;
  /** What it is done to: `org:<id>`, `collection:<database>/<collection>`, `realm`. */
  readonly target: string;
  readonly created_at: string;
  /** Who queued it, as the audit trail names them. */
  readonly created_by: string;
  /** Who is shown it by that name, since keys of several organizations may have one; absent: whoever has it. */
  readonly owner?: string | undefined;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  /**
   * When its next step is due, by the store's clock; while somebody has claimed it, when the claim ends: it is due then,
   * too. Null: it has no more, or waits in its lane. A job that is finished may have one left, to clean up.
   */
  readonly due_at: string | null;
  /** How often its next step has failed. */
  readonly attempts: number;
  /** Where it goes on: JSON text, made and read by its kind alone. */
  readonly state: string;
  /** What of its state is secret. */
  readonly sealed?: Sealed;
  /** What came of it, once it has succeeded. */
  readonly result: JsonObject | null;
  /** JSON text of what it returned, for who queued it. */
  readonly output?: string;
  /** Why it failed, without anything of a document. */
  readonly error: string | null;
  /** Until it is claimed for the first time: unique among those of its kind. */
  readonly key?: string | undefined;
  /** How often it was claimed: the fencing token, under which alone whoever claimed it last writes. */
  readonly token?: number;
  /** The process that has claimed it; absent: none. */
  readonly claimed_by?: string | undefined;
  /** Jobs of one lane are done one after another, in the order in which they were queued. */
  readonly lane?: string;
  /** The job after it in its lane. */
  readonly next?: string;
  /** While jobs before it in its lane are not over: when it is due then. */
  readonly waits?: string;
}

export const jobCollection = "_svc.jobs";

/** Fields of `_svc.jobs` that are searched by. */
export const jobFields = {
  kind: field("kind", "string"),
  status: field("status", "string"),
  due_at: field("due_at", "date-time"),
  finished_at: field("finished_at", "date-time"),
  /** The key that what is secret is encrypted with. */
  sealed_key: field("sealed.key", "string"),
  key: field("key", "string"),
};

/** Milliseconds for which a job can be looked at after its end. */
const retention = 30 * 86_400_000;

/** The unique index of jobs that wait under a key, as a `UniqueViolation` reports it. */
export const keyIndex = "key";

/** The system collection of jobs. */
export const jobShape: CollectionShape = shape(jobCollection, jobFields, [
  index("kind_due", [jobFields.kind, jobFields.due_at, documentFields.id], false),
  index("finished", [jobFields.kind, jobFields.finished_at, documentFields.id], false),
  index("sealed_key", [jobFields.sealed_key, documentFields.id], false),
  index("status", jobFields.status, false),
  index(keyIndex, [jobFields.kind, jobFields.key], true),
]);

export const readJob = readRecord<JobRecord>;

/** It never ends: each realm has one of its kind. */
export function isStanding({ id, kind }: JobRecord): boolean {
  return id === kind;
}

/** Nothing is to be done for it any more, nor does anything wait for it. */
export function isOver({ finished_at, due_at, waits }: JobRecord): boolean {
  return finished_at !== null && due_at === null && waits === undefined;
}

/** The store forgets a job a while after its last step. */
export function writeJob(record: JobRecord, version: number): DocumentWrite {
  const { created_at, finished_at } = record;
  return {
    ...writeRecord(record, version, created_at),
    ...(finished_at !== null && isOver(record) && { purgeAt: Date.parse(finished_at) + retention }),
  };
}
