import { type AuditEntry, appendAudit } from "../auth/administration/audit.ts";
import { type InvitationStatus, invalidInvitation, invitationHash, statusOf } from "../auth/invitations.ts";
import { organizationInvitationMail } from "../auth/mails.ts";
import { findOne } from "../auth/matching.ts";
import type { Read } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { and, compare, eq, or } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { Caller } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { Mail } from "../realm/mail.ts";
import { Outdated } from "../retry.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { Decision } from "./change.ts";
import { collections, invitationFields } from "./collections.ts";
import {
  type OrganizationInvitationRecord,
  type OrganizationRecord,
  readOrganizationInvitation,
  writeOrganizationInvitation,
} from "./records.ts";
import type { OrganizationRealm } from "./route.ts";

/** What became of an invitation; one that others can still accept is pending. */
export function organizationInvitationStatus(
  { uses, max_uses, revoked, expires_at }: OrganizationInvitationRecord,
  now: number,
): InvitationStatus {
  return statusOf({ usedUp: uses >= max_uses, revoked, expires_at }, now);
}

/** An invitation as lists carry it: never its token (spec: Organization endpoints 5). */
export function invitationEntry(invitation: OrganizationInvitationRecord, now: number): JsonObject {
  const { id, binding, user, email, roles, teams, uses, max_uses, expires_at, created_at, created_by } =
    invitation;
  const status = organizationInvitationStatus(invitation, now);
  return {
    id,
    binding,
    user,
    email,
    roles,
    teams,
    status,
    uses,
    max_uses,
    expires_at,
    created_at,
    created_by,
  };
}

/** The realm's link with the token; null where it has none. */
export function invitationLink(
  { settings }: Pick<OrganizationRealm, "settings">,
  token: string,
): string | null {
  return settings.invitationLink?.replaceAll("{token}", token) ?? null;
}

/**
 * The mail with an invitation's token.
 * @param by who invites; their profile may say their name
 */
export function invitationMail(
  { definition }: Pick<OrganizationRealm, "definition">,
  to: string,
  token: string,
  { name: org }: OrganizationRecord,
  by: Caller,
): Mail {
  const name = by.kind === "user" ? by.user.profile?.["name"] : undefined;
  const inviter = typeof name === "string" ? name : undefined;
  return organizationInvitationMail(definition, to, token, { org, inviter });
}

/** @throws ApiError `invitations_limit` where the organization has as many pending ones as it may */
export async function requireRoom(
  { store, clock, settings }: Pick<OrganizationRealm, "store" | "clock" | "settings">,
  org: string,
): Promise<void> {
  const filter = and(
    eq(invitationFields.org, org),
    compare("gt", invitationFields.pending_until, timestamp(clock.now())),
  );
  const pending = await store.collection(collections.invitations).count(filter, "live");
  const { maxPendingInvitations: most } = settings;
  if (pending >= most) {
    throw new ApiError("invitations_limit", `At most ${most} invitations of an organization are pending.`);
  }
}

/**
 * The invitation of this id to this organization.
 * @throws ApiError `not_found`
 */
export async function requireInvitation(
  { store }: Pick<OrganizationRealm, "store">,
  org: string,
  id = "",
): Promise<Read<OrganizationInvitationRecord>> {
  const document = await store
    .collection(collections.invitations)
    .get(id, "live", eq(invitationFields.org, org));
  if (document === undefined) throw new ApiError("not_found", "The organization has no such invitation.");
  return readOrganizationInvitation(document);
}

/** A pending invitation that somebody has the token of. */
export interface HeldInvitation extends Read<OrganizationInvitationRecord> {
  /** The token is the one that was mailed, which proves that its holder has the address. */
  readonly isMailed: boolean;
}

/**
 * The pending invitation that has this token, be it shown or mailed.
 * @throws ApiError `invalid_invitation` for every other token
 */
export async function findByToken(
  { store, clock }: Pick<OrganizationRealm, "store" | "clock">,
  token: string,
): Promise<HeldInvitation> {
  const hash = invitationHash(token);
  const document =
    hash === undefined
      ? undefined
      : await findOne(
          store,
          collections.invitations,
          or(eq(invitationFields.token, hash), eq(invitationFields.mailed_token, hash)),
        );
  if (document === undefined) throw invalidInvitation();
  const read = readOrganizationInvitation(document);
  if (organizationInvitationStatus(read.record, clock.now()) !== "pending") throw invalidInvitation();
  return { ...read, isMailed: read.record.mailed_token === hash };
}

/** What becomes of an invitation, and how the audit trail tells of it. */
interface InvitationWrite extends Pick<AuditEntry, "action" | "details"> {
  /** Undefined: a new one. */
  readonly before: Read<OrganizationInvitationRecord> | undefined;
  readonly after: OrganizationInvitationRecord;
  /** Sent with the change; `realm.wakeJobs()` is to be called then. */
  readonly mail?: Mail | undefined;
}

/** Changes an invitation, and nothing else, of an organization: what `changeOrganization` takes. */
export function invitationDecision<T>(
  realm: OrganizationRealm,
  exchange: Exchange,
  by: Caller,
  org: OrganizationRecord,
  { before, after, action, details = {}, mail }: InvitationWrite,
  result: T,
): Decision<T> {
  return {
    org,
    result,
    along: async (transaction) => {
      await writeInvitation(transaction, before, after);
      await appendAudit(realm, transaction, exchange, by, {
        action,
        target: `org:${org.id}`,
        details: { invitation: after.id, ...details },
      });
      if (mail !== undefined) await realm.mail.queue(transaction, mail);
    },
  };
}

/** @throws Outdated when it was changed since it was read */
export async function writeInvitation(
  transaction: Transaction,
  before: Read<OrganizationInvitationRecord> | undefined,
  after: OrganizationInvitationRecord,
): Promise<void> {
  const invitations = transaction.collection(collections.invitations);
  const write = writeOrganizationInvitation(after, (before?.version ?? 0) + 1);
  if (before === undefined) await invitations.insert(write);
  else if (!(await invitations.replace(before.version, write))) throw new Outdated();
}
