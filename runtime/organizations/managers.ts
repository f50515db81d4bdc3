import { noSuchUser } from "../auth/administration/users.ts";
import { walk } from "../auth/matching.ts";
import type { Read, UserRecord } from "../auth/records.ts";
import { ApiError } from "../errors.ts";
import { and, isIn, not, or, TRUE } from "../filter/algebra.ts";
import { kept } from "../kept.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { collections, memberFields } from "./collections.ts";
import { type MemberRecord, type OrganizationRecord, readMember } from "./records.ts";
import { managesAs } from "./roles.ts";
import type { OrganizationRealm } from "./route.ts";
import { accountsOf, holdAccounts } from "./users.ts";

/**
 * Who can manage an organization: members with an active account who effectively have `manage: org` (api-decisions,
 * Organizations). One who can is never lost while the others act; an account that ends leaves it orphaned.
 */

type Managed = Pick<OrganizationRealm, "store" | "settings">;

/** What is about to happen in an organization. */
export interface MembersChange {
  readonly before: OrganizationRecord;
  readonly after: OrganizationRecord;
  /** Members whose own records change, come or go; absent: none does. */
  readonly members?: readonly MemberChange[];
  /** An account that is made by the change, whose user comes. */
  readonly newcomer?: UserRecord | undefined;
  /** The error where the account of who comes is there no more; absent: `not_found`. */
  readonly noAccount?: (() => ApiError) | undefined;
}

export interface MemberChange {
  readonly user: string;
  /** Undefined: no member. */
  readonly before: MemberRecord | undefined;
  readonly after: MemberRecord | undefined;
}

export interface Settled {
  /** `after`; active, where it was orphaned and somebody can manage it by now. */
  readonly org: OrganizationRecord;
  /** To be called in the transaction of the change: holds fast the accounts that it rests on. */
  readonly along: (transaction: Transaction) => Promise<void>;
}

/**
 * Lets a change of members, their roles, or the teams of an organization go on (spec: Organization endpoints 2).
 * @throws ApiError `last_org_manager` when nobody could manage the organization after it, and somebody can before;
 *   `noAccount` of the change
 */
export async function settleManagers(
  realm: Managed,
  { before, after, members = [], newcomer, noAccount = noSuchUser }: MembersChange,
): Promise<Settled> {
  const { settings } = realm;
  const coming = usersOf(
    members.filter(
      ({ before: was, after: is }) => was === undefined && is !== undefined && is.service === undefined,
    ),
  );
  const isOrphaned = before.status === "orphaned";
  const isAtStake = isOrphaned || losesManagers(settings, before, after, members);
  const managing = isAtStake
    ? usersOf(members.filter((change) => canManage(settings, after, change.after)))
    : [];
  const isStored = (user: string) => user !== newcomer?.id;
  const accounts = await accountsOf(realm, [...new Set([...coming, ...managing])].filter(isStored));
  const isThere = (user: string) => accounts.some(({ record }) => record.id === user);
  if (!coming.filter(isStored).every(isThere)) throw noAccount();
  if (!isAtStake) return { org: after, along: holding(accounts) };
  if (!managing.every(isStored)) return { org: withManager(after), along: holding(accounts) };
  const managingAccounts = accounts.filter(({ record }) => managing.includes(record.id));
  const manager = managingAccounts.find(isActive) ?? (await findManager(realm, after, usersOf(members)));
  // Disabled ones are held too: enabled at the same moment, one of them makes the organization active.
  const held = holding([
    ...accounts,
    ...(manager === undefined || accounts.includes(manager) ? [] : [manager]),
  ]);
  if (manager === undefined) {
    if (!isOrphaned && (await findManager(realm, before, [])) !== undefined)
      throw new ApiError("last_org_manager", "Nobody else could manage the organization.");
    return { org: after, along: held };
  }
  return { org: withManager(after), along: held };
}

function withManager(org: OrganizationRecord): OrganizationRecord {
  return org.status === "orphaned" ? { ...org, status: "active" } : org;
}

function usersOf(changes: readonly MemberChange[]): readonly string[] {
  return changes.map(({ user }) => user);
}

function losesManagers(
  settings: OrganizationSettings,
  before: OrganizationRecord,
  after: OrganizationRecord,
  members: readonly MemberChange[],
): boolean {
  const kept = managingTeams(settings, after);
  return (
    managingTeams(settings, before).some((team) => !kept.includes(team)) ||
    members.some(
      (change) => canManage(settings, before, change.before) && !canManage(settings, after, change.after),
    )
  );
}

function canManage(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  member: MemberRecord | undefined,
): boolean {
  return member !== undefined && managesAs(settings, org, member).has("org");
}

function managingRoles({ roles }: OrganizationSettings): readonly string[] {
  return roles.filter(({ manage }) => manage.includes("org")).map(({ name }) => name);
}

/** Ids of the teams whose members can manage the organization. */
function managingTeams(settings: OrganizationSettings, { teams }: OrganizationRecord): readonly string[] {
  const managing = managingRoles(settings);
  return teams.filter(({ roles }) => roles.some((role) => managing.includes(role))).map(({ id }) => id);
}

/** Members looked at at once. */
const page = 100;

/**
 * The accounts of people who can manage organizations, one for each that has any, by its id. Many organizations take no
 * more queries than one with as many managers.
 * @param except users who are not looked at
 */
export async function findManagers(
  realm: Managed,
  orgs: readonly OrganizationRecord[],
  except: readonly string[],
): Promise<ReadonlyMap<string, Read<UserRecord>>> {
  const { store, settings } = realm;
  const managing = managingRoles(settings);
  const teams = orgs.flatMap((org) => managingTeams(settings, org));
  const byRole = or(isIn(memberFields.roles, managing), isIn(memberFields.teams, teams));
  const found = new Map<string, Read<UserRecord>>();
  const ids = orgs.map(({ id }) => id);
  const walked = walk(store, {
    collection: collections.members,
    filter: and(
      isIn(memberFields.org, ids),
      settings.defaultRoles.some((role) => managing.includes(role)) ? TRUE : byRole,
      not(isIn(memberFields.user, except)),
    ),
    order: [memberFields.org, memberFields.user].map((field) => ({ field, descending: false })),
    read: (document) => readMember(document).record,
    position: ({ org, user }) => [org, user],
    page,
  });
  for await (const members of walked) {
    const users = [...new Set(members.map(({ user }) => user))];
    const accounts = await accountsOf(realm, users);
    const active = new Map(accounts.filter(isActive).map((account) => [account.record.id, account]));
    for (const { org, user } of members) {
      const account = active.get(user);
      if (account !== undefined) kept(found, org, () => account);
    }
    if (found.size === ids.length) break;
  }
  return found;
}

async function findManager(
  realm: Managed,
  org: OrganizationRecord,
  except: readonly string[],
): Promise<Read<UserRecord> | undefined> {
  return (await findManagers(realm, [org], except)).get(org.id);
}

function isActive({ record }: Read<UserRecord>): boolean {
  return !record.disabled;
}

function holding(accounts: readonly Read<UserRecord>[]): Settled["along"] {
  return (transaction) => holdAccounts(transaction, accounts);
}
