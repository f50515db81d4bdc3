import type { AuditEntry } from "../auth/administration/audit.ts";
import { collections } from "../auth/collections.ts";
import { writeAudit } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { JobRealm } from "./kind.ts";
import type { JobRecord } from "./records.ts";

/** Appends to the audit trail, in the transaction of a step, what a job has done for who queued it. */
export async function auditJob(
  { clock, newId }: JobRealm,
  transaction: Transaction,
  job: JobRecord,
  { action, target, details = {} }: AuditEntry,
): Promise<void> {
  const record = writeAudit({
    id: newId(),
    at: timestamp(clock.now()),
    action,
    actor: job.created_by,
    target,
    address: null,
    request_id: null,
    details: { ...details, job: job.id },
  });
  await transaction.collection(collections.audit).insert(record);
}
