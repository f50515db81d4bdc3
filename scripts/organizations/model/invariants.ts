/** What rules 1 to 7 of "Organization endpoints" say of what is stored, whatever was done before. */
import { collections as accountCollections } from "../../../runtime/auth/collections.ts";
import { readUser } from "../../../runtime/auth/records.ts";
import { collections } from "../../../runtime/organizations/collections.ts";
import {
  type MemberRecord,
  type OrganizationInvitationRecord,
  type OrganizationRecord,
  readMember,
  readOrganization,
  readOrganizationInvitation,
} from "../../../runtime/organizations/records.ts";
import type { StoredDocument } from "../../../runtime/store/contract/document.ts";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { defaultRole, limits, type Manage, roles } from "./world.ts";

interface Stored {
  readonly orgs: readonly OrganizationRecord[];
  readonly members: readonly MemberRecord[];
  readonly invitations: readonly OrganizationInvitationRecord[];
  /** Ids. */
  readonly activeAccounts: ReadonlySet<string>;
  readonly accounts: ReadonlySet<string>;
  readonly now: number;
}

/**
 * The rules that are broken, in words.
 * @param unmanaged organizations that came back from deletion and have had no manager since
 */
export async function violations(
  store: Store,
  now: number,
  unmanaged: ReadonlySet<string>,
): Promise<readonly string[]> {
  const users = (await all(store, accountCollections.users)).map((document) => readUser(document).record);
  const stored: Stored = {
    orgs: (await all(store, collections.organizations)).map((each) => readOrganization(each).record),
    members: (await all(store, collections.members)).map((each) => readMember(each).record),
    invitations: (await all(store, collections.invitations)).map(
      (each) => readOrganizationInvitation(each).record,
    ),
    activeAccounts: new Set(users.filter(({ disabled }) => !disabled).map(({ id }) => id)),
    accounts: new Set(users.map(({ id }) => id)),
    now,
  };
  return [
    ...slugs(stored),
    ...stored.orgs.flatMap((org) => ofOrganization(stored, org, unmanaged)),
    ...stored.members.flatMap((member) => ofMember(stored, member)),
    ...stored.invitations.flatMap((invitation) => ofInvitation(stored, invitation)),
  ];
}

function all(store: Store, collection: string): Promise<readonly StoredDocument[]> {
  return store.collection(collection).scan(undefined, 1_000);
}

function slugs({ orgs }: Stored): readonly string[] {
  const used = orgs.filter(({ status }) => status !== "deleted").map(({ slug }) => slug);
  return repeated(used).map((slug) => `1: ${slug} is the slug of two organizations`);
}

function ofOrganization(
  { orgs: _, members, invitations, activeAccounts, now }: Stored,
  org: OrganizationRecord,
  unmanaged: ReadonlySet<string>,
): readonly string[] {
  const { id, status, teams } = org;
  const own = members.filter((member) => member.org === id);
  const managers = own.filter(
    (member) => activeAccounts.has(member.user) && managesIn(org, member).has("org"),
  );
  const pending = invitations.filter((each) => each.org === id && isPending(each, now));
  const names = repeated(teams.map(({ name }) => name));
  return [
    ...(status === "active" && managers.length === 0 && !unmanaged.has(id)
      ? [`2: nobody manages ${id}, which is active`]
      : []),
    ...(status === "orphaned" && managers.length > 0 ? [`2: ${id} is orphaned and has managers`] : []),
    ...(status === "deleted" && own.length + teams.length + pending.length > 0
      ? [`States: ${id} is deleted and has members, teams or invitations`]
      : []),
    ...names.map((name) => `4: two teams of ${id} are called ${name}`),
    ...(teams.length > limits.teams ? [`4: ${id} has ${teams.length} teams`] : []),
    ...(pending.length > limits.pending ? [`5: ${pending.length} invitations to ${id} are pending`] : []),
  ];
}

function ofMember(
  { orgs, accounts }: Stored,
  { org: id, user, teams, roles }: MemberRecord,
): readonly string[] {
  const org = orgs.find((each) => each.id === id);
  const inTeams = teams.filter((team) => org?.teams.some((each) => each.id === team));
  return [
    ...(org === undefined ? [`1: ${user} is a member of ${id}, which is no organization`] : []),
    ...(accounts.has(user) ? [] : [`States: ${user}, whose account is gone, is a member of ${id}`]),
    ...(inTeams.length > limits.teamsOfMember ? [`4: ${user} is in ${inTeams.length} teams of ${id}`] : []),
    ...repeated([...teams, ...roles]).map((what) => `7: ${user} has ${what} twice in ${id}`),
  ];
}

function ofInvitation(
  { orgs }: Stored,
  { id, org, binding, uses, max_uses, used_by, roles: given }: OrganizationInvitationRecord,
): readonly string[] {
  const managing = given.some((role) => manageOf(role).length > 0);
  return [
    ...(binding === "none" && managing ? [`3: whoever has the link ${id} manages`] : []),
    ...(uses > max_uses ? [`5: ${id} was used ${uses} times`] : []),
    ...(uses < used_by.length ? [`5: ${id} was used by ${used_by.length}, and ${uses} times`] : []),
    ...(orgs.some((each) => each.id === org) ? [] : [`5: ${id} is an invitation to nothing`]),
  ];
}

function managesIn({ teams }: OrganizationRecord, member: MemberRecord): ReadonlySet<Manage> {
  const carried = teams.filter(({ id }) => member.teams.includes(id)).flatMap((team) => team.roles);
  return new Set([...member.roles, defaultRole, ...carried].flatMap(manageOf));
}

function manageOf(role: string): readonly Manage[] {
  const known: Readonly<Record<string, readonly Manage[]>> = roles;
  return known[role] ?? [];
}

function isPending(
  { revoked, uses, max_uses, expires_at }: OrganizationInvitationRecord,
  now: number,
): boolean {
  return !revoked && uses < max_uses && now < Date.parse(expires_at);
}

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, at) => values.indexOf(value) !== at);
}
