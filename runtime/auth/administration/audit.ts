import { timestamp } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract.ts";
import { collections } from "../collections.ts";
import { writeAudit } from "../records.ts";

/** What was done to whom; `details` are facts about the change, never content. */
export interface AuditEntry {
  readonly action: "user.roles" | "user.disable" | "user.enable";
  readonly actor: string;
  readonly target: string;
  readonly details: JsonObject;
}

/** Appends to the audit trail, in the transaction of the change itself (spec: Audit records). */
export async function appendAudit(
  realm: RealmInstance,
  transaction: Transaction,
  exchange: Exchange,
  entry: AuditEntry,
): Promise<void> {
  const { clock, newId } = realm;
  const { action, actor, target, details } = entry;
  const { address, requestId } = exchange;
  const at = timestamp(clock.now());
  const record = { id: newId(), at, action, actor, target, address, request_id: requestId, details };
  await transaction.collection(collections.audit).insert(writeAudit(record));
}
