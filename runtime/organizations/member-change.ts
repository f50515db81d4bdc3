import { type AuditEntry, type AuditedActor, appendAudit } from "../auth/administration/audit.ts";
import { keyFields } from "../auth/collections.ts";
import { ending } from "../auth/key-changes.ts";
import type { Read, UserRecord } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import type { ApiError } from "../errors.ts";
import { eq } from "../filter/algebra.ts";
import type { Caller } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import { Outdated } from "../retry.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { Decision } from "./change.ts";
import { collections } from "./collections.ts";
import { settleManagers } from "./managers.ts";
import { type MemberRecord, memberId, type OrganizationRecord, writeMember } from "./records.ts";
import type { OrganizationRealm } from "./route.ts";

/** What becomes of one member, and how the audit trail tells of it. */
export interface MemberWrite extends Pick<AuditEntry, "action" | "details"> {
  readonly org: Read<OrganizationRecord>;
  readonly user: string;
  /** Undefined: no member yet. */
  readonly before: Read<MemberRecord> | undefined;
  /** Undefined: a member no longer. */
  readonly after: MemberRecord | undefined;
  /** The account of who comes, where `along` makes it. */
  readonly newcomer?: UserRecord | undefined;
  /** The error where the account of who comes is there no more; absent: `not_found`. */
  readonly noAccount?: () => ApiError;
  /** Writes what else belongs to the change. */
  readonly along?: (transaction: Transaction) => Promise<void>;
}

/**
 * Changes one member of an organization. With a service member its key ends.
 * @returns what `changeOrganization` takes
 * @throws ApiError as {@link settleManagers}
 */
export async function memberDecision<T>(
  realm: OrganizationRealm,
  exchange: Exchange,
  by: Caller | AuditedActor,
  { org, user, before, after, newcomer, noAccount, along, action, details = {} }: MemberWrite,
  result: T,
): Promise<Decision<T>> {
  const { record } = org;
  const settled = await settleManagers(realm, {
    before: record,
    after: record,
    members: [{ user, before: before?.record, after }],
    newcomer,
    noAccount,
  });
  const isServiceGone = after === undefined && before?.record.service !== undefined;
  const ended = isServiceGone ? await ending(realm.store, eq(keyFields.key, user)) : undefined;
  return {
    org: settled.org,
    result,
    along: async (transaction) => {
      await settled.along(transaction);
      await writeMemberChange(transaction, before, after);
      await ended?.write(transaction);
      await along?.(transaction);
      await appendAudit(realm, transaction, exchange, by, {
        action,
        target: `org:${record.id}`,
        details: { user, ...details },
      });
    },
  };
}

/** One who comes, so far without roles and in no team. */
export function newMember(
  { clock }: Pick<OrganizationRealm, "clock">,
  org: string,
  user: string,
): MemberRecord {
  const created_at = timestamp(clock.now());
  return { id: memberId(org, user), org, user, roles: [], teams: [], team_roles: [], created_at };
}

/** Writes a member who comes, changes or goes, in the transaction of the change of their organization. */
async function writeMemberChange(
  transaction: Transaction,
  before: Read<MemberRecord> | undefined,
  after: MemberRecord | undefined,
): Promise<void> {
  const members = transaction.collection(collections.members);
  if (before === undefined) {
    if (after !== undefined) await members.insert(writeMember(after, 1));
    return;
  }
  const { record, version } = before;
  const done =
    after === undefined
      ? await members.remove(record.id, version)
      : await members.replace(version, writeMember(after, version + 1));
  if (!done) throw new Outdated();
}
