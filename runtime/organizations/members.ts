import { answerEntries, pageRequest, type RecordList } from "../auth/paging.ts";
import type { Read } from "../auth/records.ts";
import * as contract from "../contract/organizations.ts";
import { ApiError } from "../errors.ts";
import { eq } from "../filter/algebra.ts";
import { isId } from "../ids.ts";
import type { JsonObject } from "../json.ts";
import { collections, memberFields } from "./collections.ts";
import { changedRoles, requireGivable, teamsOf } from "./granting.ts";
import { memberDecision } from "./member-change.ts";
import { type MemberRecord, type OrganizationRecord, readMember } from "./records.ts";
import { changeAs, findMember, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";
import { accountsOf } from "./users.ts";
import { memberView } from "./views.ts";

export const membersByUser: RecordList<MemberRecord> = {
  collection: collections.members,
  read: readMember,
  order: [{ field: memberFields.user, descending: false }],
  position: ({ user }) => [user],
  context: `${collections.members}, by user`,
};

export const listMembers = memberRoute(
  contract.listMembers,
  (realm) =>
    async ({ query }, { org: { record }, manage }) => {
      const entries = (members: readonly MemberRecord[]) => memberEntries(realm, record, members, { manage });
      return answerEntries(
        realm,
        membersByUser,
        eq(memberFields.org, record.id),
        pageRequest(query),
        entries,
      );
    },
);

export async function memberEntries(
  realm: OrganizationRealm,
  org: OrganizationRecord,
  members: readonly MemberRecord[],
  viewer: Pick<Standing, "manage">,
): Promise<readonly JsonObject[]> {
  const ids = members.map(({ user }) => user);
  const accounts = await accountsOf(realm, ids);
  const users = new Map(accounts.map(({ record }) => [record.id, record] as const));
  return members.map((member) => memberView(realm.settings, org, member, users.get(member.user), viewer));
}

/** Of one, as {@link memberEntries} shows several. */
export async function memberEntry(
  realm: OrganizationRealm,
  org: OrganizationRecord,
  member: MemberRecord,
  viewer: Pick<Standing, "manage">,
): Promise<JsonObject> {
  const [entry = {}] = await memberEntries(realm, org, [member], viewer);
  return entry;
}

export const patchMember = memberRoute(
  contract.patchMember,
  (realm) =>
    async ({ exchange, params, body }, standing) => {
      const { roles } = body();
      const { org, member, viewer } = await changeAs(realm, standing, async (now) => {
        const before = await requireMember(realm, now.org.record, params.user);
        const { user, roles: held } = before.record;
        const changed = changedRoles(held, roles);
        requireGivable(realm.settings, now, changed);
        const after = changed.length === 0 ? before.record : { ...before.record, roles };
        const result = { org: now.org.record, member: after, viewer: now };
        if (after === before.record) return { result };
        const details = { from: held, to: roles };
        const change = { org: now.org, user, before, after, action: "org.member.roles", details } as const;
        return memberDecision(realm, exchange, now.caller, change, result);
      });
      return memberEntry(realm, org, member, viewer);
    },
);

export const removeMember = memberRoute(
  contract.removeMember,
  (realm) =>
    async ({ exchange, params }, standing) => {
      await changeAs(realm, standing, async ({ org, caller, manage }) => {
        const before = await requireMember(realm, org.record, params.user);
        const { user, roles, teams } = before.record;
        requireGivable(realm.settings, { manage }, roles, teamsOf(org.record, teams));
        const change = { org, user, before, after: undefined, action: "org.member.remove" } as const;
        return memberDecision(realm, exchange, caller, change, undefined);
      });
    },
);

export const leaveOrganization = memberRoute(
  contract.leaveOrganization,
  (realm) =>
    async ({ exchange }, standing) => {
      await changeAs(realm, standing, ({ org, member, caller }) => {
        const { user } = member.record;
        const change = { org, user, before: member, after: undefined, action: "org.member.leave" } as const;
        return memberDecision(realm, exchange, caller, change, undefined);
      });
    },
);

/**
 * The member whom the path, or the body, names.
 * @throws ApiError `not_found`
 */
export async function requireMember(
  realm: OrganizationRealm,
  { id }: OrganizationRecord,
  user: string | undefined,
): Promise<Read<MemberRecord>> {
  const member = user !== undefined && isId(user) ? await findMember(realm, id, user) : undefined;
  if (member === undefined) throw new ApiError("not_found", "The organization has no such member.");
  return member;
}
