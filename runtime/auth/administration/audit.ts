import { timestamp } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import { type Caller, keyOf } from "../../realm/caller.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections } from "../collections.ts";
import { type AuditRecord, writeAudit } from "../records.ts";

/** What was done to what; `details` are facts about the change, never content or secrets. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly target: string;
  readonly details?: JsonObject;
}

/** `<kind of target>.<what was done>`. */
export type AuditAction =
  | `user.${"create" | "update" | "roles" | "disable" | "enable" | "email" | "delete" | "sessions"}`
  | `password.${"change" | "reset"}`
  | `mfa.${"enroll" | "remove" | "recovery" | "recovery_codes"}`
  | `invitation.${"create" | "revoke" | "accept"}`
  | `key.${"create" | "replace" | "rotate" | "revoke"}`
  | `token.${"create" | "rotate" | "revoke"}`
  | `secret.${"put" | "delete"}`
  | "config.app"
  | `job.${"retry" | "cancel"}`
  | "migration.pace"
  | `function.${"chain_stopped" | "events_lost" | "run"}`
  | `org.${"create" | "update" | "require_mfa" | "delete" | "deleted" | "reactivate" | "claims" | "manager"}`
  | `org.key.${"create" | "rotate" | "revoke"}`
  | `org.member.${"add" | "roles" | "remove" | "leave"}`
  | `org.team.${"create" | "update" | "delete"}`
  | `org.team.member.${"add" | "remove"}`
  | `org.team.role.${"give" | "change" | "take"}`
  | `org.invitation.${"create" | "revoke" | "link" | "send" | "accept"}`
  | `${"user" | "key" | "org" | "org.member"}.import`
  | `data.${"create" | "replace" | "patch" | "delete" | "purge" | "restore" | "transfer" | "assign_org" | "import" | "upload" | "remove_file"}`;

/** Who acts, but not by a credential: with a token that was mailed to them, by signing up, or through a job. */
export interface AuditedActor {
  readonly kind: "named";
  readonly actor: string;
}

export function actorNamed(actor: string): AuditedActor {
  return { kind: "named", actor };
}

export function holderOf(user: string): AuditedActor {
  return actorNamed(`user:${user}`);
}

/** What of a request the audit trail tells. */
export interface AuditedRequest {
  /** Null where it came from no client. */
  readonly address: string | null;
  readonly requestId: string | null;
}

export const withoutRequest: AuditedRequest = { address: null, requestId: null };

/** Appends to the audit trail, in the transaction of the change itself (spec: Audit records). */
export async function appendAudit(
  realm: Pick<RealmInstance, "clock" | "newId">,
  transaction: Transaction,
  exchange: AuditedRequest,
  by: Caller | AuditedActor,
  entry: AuditEntry,
): Promise<void> {
  await transaction.collection(collections.audit).insert(writeAudit(auditRecord(realm, exchange, by, entry)));
}

/** Of a key that acts for a user it names both (api-decisions: Documents and HTTP). */
export function auditRecord(
  { clock, newId }: Pick<RealmInstance, "clock" | "newId">,
  { address, requestId }: AuditedRequest,
  by: Caller | AuditedActor,
  { action, target, details = {} }: AuditEntry,
): AuditRecord {
  const key = by.kind === "named" ? undefined : keyOf(by);
  const delegate = key === undefined || key.actor === by.actor ? {} : { key: key.actor };
  return {
    id: newId(),
    at: timestamp(clock.now()),
    action,
    actor: by.actor,
    target,
    address,
    request_id: requestId,
    details: { ...details, ...delegate },
  };
}
