import { index, shape } from "../auth/collections.ts";
import { readRecord, writeRecord } from "../auth/records.ts";
import { documentFields, field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { Sealed } from "../sealing.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { CollectionShape } from "../store/contract/shape.ts";

export const jobStatuses = ["queued", "running", "succeeded", "failed"] as const;

export type JobStatus = (typeof jobStatuses)[number];

/** What a job does: erases what a deleted organization leaves, gives documents to an organization, or sends a mail. */
export type JobKind = "org_delete" | "assign_org" | "mail";

/** `_svc.jobs`: work that goes on in the background, step by step. Times are RFC 3339, UTC, milliseconds. */
export interface JobRecord {
  readonly id: string;
  readonly kind: JobKind;
  readonly status: JobStatus;
  /** What it is done to: `org:<id>`, `collection:<database>/<collection>`. */
  readonly target: string;
  readonly created_at: string;
  /** Who queued it, as the audit trail names them. */
  readonly created_by: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  /** When its next step is due; null: it has no more. A job that is finished may have one left, to clean up. */
  readonly due_at: string | null;
  /** How often its next step has failed. */
  readonly attempts: number;
  /** Where it goes on: JSON text, made and read by its kind alone. */
  readonly state: string;
  /** What of its state is secret. */
  readonly sealed?: Sealed;
  /** What came of it, once it has succeeded. */
  readonly result: JsonObject | null;
  /** Why it failed, without anything of a document. */
  readonly error: string | null;
}

export const jobCollection = "_svc.jobs";

/** Fields of `_svc.jobs` that are searched by. */
export const jobFields = {
  kind: field("kind", "string"),
  status: field("status", "string"),
  due_at: field("due_at", "date-time"),
  /** The key that what is secret is encrypted with. */
  sealed_key: field("sealed.key", "string"),
};

/** Milliseconds for which a job can be looked at after its end. */
const retention = 30 * 86_400_000;

/** The system collection of jobs, in realms with accounts. */
export const jobShape: CollectionShape = shape(jobCollection, jobFields, [
  index("due", [jobFields.due_at, documentFields.id], false),
  index("lane", [jobFields.kind, jobFields.due_at, documentFields.id], false),
  index("sealed_key", [jobFields.sealed_key, documentFields.id], false),
  index("status", jobFields.status, false),
]);

export const readJob = readRecord<JobRecord>;

/** The store forgets a job a while after its last step. */
export function writeJob(record: JobRecord, version: number): DocumentWrite {
  const { created_at, finished_at, due_at } = record;
  const isOver = finished_at !== null && due_at === null;
  return {
    ...writeRecord(record, version, created_at),
    ...(isOver && { purgeAt: Date.parse(finished_at) + retention }),
  };
}
