import type { AuditEntry } from "../../auth/administration/audit.ts";
import { administratorRoute } from "../../auth/contracted.ts";
import * as contract from "../../contract/organization-administration.ts";
import { manageEntries } from "../../realm/organizations.ts";
import { changedRoles } from "../granting.ts";
import { answerInvited } from "../invitation-create.ts";
import { memberDecision, newMember } from "../member-change.ts";
import { memberEntry, requireMember } from "../members.ts";
import type { MemberRecord } from "../records.ts";
import { findMember, ofOrganizations } from "../route.ts";
import { findAccount } from "../users.ts";
import { changeExisting } from "./change.ts";
import { administratorView, noUser } from "./organizations.ts";

/** Sees of members what managers do. */
const viewer = { manage: new Set(manageEntries) };

/** Whichever roles; who was none is a member from then on, without an invitation. */
export const putMember = administratorRoute(
  contract.putMember,
  ofOrganizations((realm) => async ({ exchange, params, body }, { caller }) => {
    const { roles } = body();
    const { user } = params;
    const { org, member } = await changeExisting(realm, exchange, async (org) => {
      const before = await findMember(realm, org.record.id, user);
      const after = { ...(before?.record ?? newMember(realm, org.record.id, user)), roles };
      const result = { org: org.record, member: after };
      const entry = told(before?.record.roles, roles);
      if (entry === undefined) return { result };
      return memberDecision(realm, exchange, caller, { org, user, before, after, ...entry }, result);
    });
    return memberEntry(realm, org, member, viewer);
  }),
);

/** @param from undefined: no member before */
function told(
  from: readonly string[] | undefined,
  to: readonly string[],
): Pick<AuditEntry, "action" | "details"> | undefined {
  if (from === undefined) return { action: "org.member.add", details: { roles: to } };
  if (changedRoles(from, to).length === 0) return undefined;
  return { action: "org.member.roles", details: { from, to } };
}

export const deleteMember = administratorRoute(
  contract.deleteMember,
  ofOrganizations((realm) => async ({ exchange, params }, { caller }) => {
    await changeExisting(realm, exchange, async (org) => {
      const before = await requireMember(realm, org.record, params.user);
      const { user } = before.record;
      const change = { org, user, before, after: undefined, action: "org.member.remove" } as const;
      return memberDecision(realm, exchange, caller, change, undefined);
    });
  }),
);

/** Beside the roles that they have; who was none is a member. Active again only if their account is. */
export const putManager = administratorRoute(
  contract.putManager,
  ofOrganizations((realm) => async ({ exchange, body }, { caller }) => {
    const { user } = body();
    const noAccount = () => noUser("user");
    // Before the organization is looked for, as whatever is wrong with a body; whoever is deleted meanwhile is met below.
    if ((await findAccount(realm, user)) === undefined) throw noAccount();
    const org = await changeExisting(realm, exchange, async (org) => {
      const before = await findMember(realm, org.record.id, user);
      const after = withRoles(
        before?.record ?? newMember(realm, org.record.id, user),
        realm.settings.creatorRoles,
      );
      const isSame = before !== undefined && changedRoles(before.record.roles, after.roles).length === 0;
      if (isSame && org.record.status === "active") return { result: org.record };
      const details = { roles: after.roles };
      const change = { org, user, before, after, noAccount, action: "org.manager", details } as const;
      const decision = await memberDecision(realm, exchange, caller, change, undefined);
      return { ...decision, result: decision.org ?? org.record };
    });
    return administratorView(realm, org);
  }),
);

function withRoles(member: MemberRecord, roles: readonly string[]): MemberRecord {
  return { ...member, roles: [...new Set([...member.roles, ...roles])] };
}

export const createInvitationTo = administratorRoute(
  contract.createInvitationTo,
  ofOrganizations(
    (realm) =>
      ({ exchange, body }, { caller }) =>
        answerInvited(realm, exchange, caller, body, (decide) =>
          changeExisting(realm, exchange, (org) => decide(org.record)),
        ),
  ),
);
