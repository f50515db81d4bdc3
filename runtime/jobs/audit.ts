import { type AuditEntry, actorNamed, appendAudit, withoutRequest } from "../auth/administration/audit.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { JobRealm } from "./kind.ts";
import type { JobRecord } from "./records.ts";

/** Appends to the audit trail, in the transaction of a step, what a job has done for who queued it. */
export function auditJob(
  realm: JobRealm,
  transaction: Transaction,
  { id, created_by }: JobRecord,
  entry: AuditEntry,
): Promise<void> {
  const details = { ...entry.details, job: id };
  return appendAudit(realm, transaction, withoutRequest, actorNamed(created_by), { ...entry, details });
}
