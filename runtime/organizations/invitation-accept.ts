import { gone } from "../auth/accounts/me.ts";
import type { AuditedActor } from "../auth/administration/audit.ts";
import { sessionRoute } from "../auth/contracted.ts";
import { invalidInvitation } from "../auth/invitations.ts";
import type { Read, UserRecord } from "../auth/records.ts";
import * as contract from "../contract/organization-invitations.ts";
import { ApiError } from "../errors.ts";
import type { Caller, RuleUser } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { emailKey } from "../validation/people.ts";
import { changeOrganization, type Decision, findOrganization } from "./change.ts";
import { orgRequiresMfa } from "./errors.ts";
import { isManaging, teamsOf } from "./granting.ts";
import { findByToken, writeInvitation } from "./invitation.ts";
import { type MemberWrite, memberDecision, newMember } from "./member-change.ts";
import type { MemberRecord, OrganizationInvitationRecord, OrganizationRecord } from "./records.ts";
import { isOrganizationRole } from "./roles.ts";
import { findMember, type OrganizationRealm, ofOrganizations } from "./route.ts";
import { inTeamsOf, requireTeamsWithin } from "./teams.ts";
import { ownOrganizationView } from "./views.ts";

export const previewInvitation = sessionRoute(
  contract.previewInvitation,
  ofOrganizations((realm) => async ({ body }, { user }) => {
    const invitation = await findByToken(realm, body().token);
    const org = await findOrganization(realm, invitation.record.org);
    if (org === undefined) throw invalidInvitation();
    const { id, name, slug, require_mfa } = org.record;
    const { roles, teams } = offered(realm, org.record, invitation.record, user);
    return { org: { id, name, slug, require_mfa }, roles, teams };
  }),
);

export const acceptOrganizationInvitation = sessionRoute(
  contract.acceptInvitation,
  ofOrganizations((realm) => async ({ exchange, body }, caller) => {
    const { token } = body();
    const { record } = await findByToken(realm, token);
    const { org, member } = await changeOrganization(
      realm,
      record.org,
      (read) => acceptance(realm, exchange, { by: caller, user: caller.user }, token, read),
      invalidInvitation,
    );
    return ownOrganizationView(realm.settings, org, member, caller.user.mfa);
  }),
);

export interface Accepted {
  readonly org: OrganizationRecord;
  readonly member: MemberRecord;
}

/** Whom an invitation can be for. */
type Invited = Pick<RuleUser, "id" | "email" | "email_verified">;

/** Who accepts an invitation. */
export interface Accepting {
  readonly by: Caller | AuditedActor;
  readonly user: Invited & Pick<RuleUser, "mfa">;
  readonly newcomer?: Newcomer;
}

/** Who has no account until they accept. */
interface Newcomer {
  readonly account: UserRecord;
  /** Makes the account. */
  readonly write: (transaction: Transaction) => Promise<void>;
}

/**
 * Newcomers join without the second factor that an organization may require: they enrol one afterwards, and until then
 * the membership counts for nothing.
 * @throws ApiError `invalid_invitation` | `invitation_not_for_you` | `org_requires_mfa` | `team_limit_reached`
 */
export async function acceptance(
  realm: OrganizationRealm,
  exchange: Exchange,
  { by, user, newcomer }: Accepting,
  token: string,
  org: Read<OrganizationRecord>,
): Promise<Decision<Accepted>> {
  // Read after the organization: what is so of it now is so when it is used.
  const invitation = await findByToken(realm, token);
  const offer = offered(realm, org.record, invitation.record, user);
  if (org.record.require_mfa && !user.mfa && newcomer === undefined) throw orgRequiresMfa();
  const before = await findMember(realm, org.record.id, user.id);
  const member = inTeamsOf(org.record, before?.record ?? newMember(realm, org.record.id, user.id));
  const roles = offer.roles.filter((role) => !member.roles.includes(role));
  const teams = offer.teams.filter((team) => !member.teams.includes(team));
  if (before !== undefined && roles.length === 0 && teams.length === 0) {
    return { result: { org: org.record, member } };
  }
  const after = { ...member, roles: [...member.roles, ...roles], teams: [...member.teams, ...teams] };
  if (teams.length > 0) requireTeamsWithin(realm.settings, after.teams);
  const { record } = invitation;
  const used = { ...record, uses: record.uses + 1, used_by: [...new Set([...record.used_by, user.id])] };
  const write: MemberWrite = {
    org,
    user: user.id,
    before,
    after,
    action: "org.invitation.accept",
    details: { invitation: record.id, roles, teams, ...(newcomer && { signed_up: true }) },
    newcomer: newcomer?.account,
    noAccount: gone,
    along: async (transaction) => {
      await newcomer?.write(transaction);
      await writeInvitation(transaction, invitation, used);
    },
  };
  return memberDecision(realm, exchange, by, write, { org: org.record, member: after });
}

/**
 * What an invitation gives by now: roles that the configuration no longer has, and teams that the organization no longer
 * has, are left out.
 * @throws ApiError `invalid_invitation` where the organization is deleted, and for an open link that by now would give a
 *   role that manages; `invitation_not_for_you`
 */
export function offered(
  { settings }: Pick<OrganizationRealm, "settings">,
  org: OrganizationRecord,
  invitation: OrganizationInvitationRecord,
  user: Invited,
): Pick<MemberRecord, "roles" | "teams"> {
  if (org.status === "deleted") throw invalidInvitation();
  if (!isFor(invitation, user)) {
    throw new ApiError(
      "invitation_not_for_you",
      "The invitation is for somebody else, or for an address that you have not verified.",
    );
  }
  const roles = invitation.roles.filter((role) => isOrganizationRole(settings, role));
  const teams = teamsOf(org, invitation.teams);
  if (invitation.binding === "none" && isManaging(settings, roles, teams)) throw invalidInvitation();
  return { roles, teams: teams.map(({ id }) => id) };
}

function isFor({ binding, user: id, email }: OrganizationInvitationRecord, user: Invited): boolean {
  switch (binding) {
    case "none":
      return true;
    case "user":
      return id === user.id;
    case "email":
      return email !== null && user.email_verified && emailKey(email) === emailKey(user.email);
  }
}
