/**
 * What the organizations of the realm `tenants` are to be, in the words of the specification and of api-decisions: plain
 * values, and nothing of the server's code.
 */

export const people = ["ann", "bob", "cid", "dan", "eve"] as const;
export type PersonName = (typeof people)[number];

/** Their addresses are not verified, so they create no organizations. */
export const unverified: readonly PersonName[] = ["eve"];

/** Their accounts have a second factor; sessions that did not use it prove nothing. */
export const strengthened: readonly PersonName[] = ["ann", "bob", "cid"];

export const manageable = ["org", "members", "roles", "teams"] as const;
export type Manage = (typeof manageable)[number];

/** As `config/tenants/realm.yaml` has it. */
export const roles = {
  owner: manageable,
  clerk: ["members"],
  keeper: ["teams"],
  guest: [],
  member: [],
} as const satisfies Readonly<Record<string, readonly Manage[]>>;
export type Role = keyof typeof roles;
export const roleNames: readonly Role[] = ["owner", "clerk", "keeper", "guest", "member"];

export const teamRoles = { lead: ["reviewer"], reviewer: [] } as const satisfies Readonly<
  Record<string, readonly string[]>
>;
export type TeamRole = keyof typeof teamRoles;

export const defaultRole: Role = "member";
export const creatorRole: Role = "owner";
export const limits = { created: 2, teams: 3, teamsOfMember: 2, pending: 3 } as const;

/**
 * Organizations, teams, invitations and documents go by handles, which the operations that make them choose; accounts by
 * their ids, since a person whose account was deleted may sign up again.
 */
export interface World {
  now: number;
  readonly accounts: Map<string, Account>;
  /** The newest account of each person. */
  readonly newest: Map<PersonName, string>;
  readonly orgs: Map<string, Org>;
  readonly documents: Map<string, Doc>;
  /** When people were sent invitations again, epoch milliseconds. */
  readonly mails: Map<PersonName, readonly number[]>;
}

export interface Account {
  readonly id: string;
  readonly person: PersonName;
  status: "active" | "disabled" | "deleted";
}

export interface Org {
  name: string;
  slug: string;
  status: "active" | "orphaned" | "deleted";
  requireMfa: boolean;
  /** It was deleted and came back, and nobody has managed it since. */
  returned: boolean;
  claims: { readonly plan?: string };
  readonly creator: string;
  /** In the order in which they were made. */
  readonly teams: Map<string, Team>;
  /** By account. */
  readonly members: Map<string, Member>;
  readonly invitations: Map<string, Invitation>;
}

export interface Team {
  name: string;
  roles: readonly Role[];
}

export interface Member {
  roles: readonly Role[];
  teams: readonly string[];
  teamRoles: readonly HeldTeamRole[];
}

export interface HeldTeamRole {
  readonly team: string;
  readonly role: TeamRole;
  /** Epoch milliseconds; null: without end there. */
  readonly from: number | null;
  readonly until: number | null;
}

export interface Invitation {
  readonly binding: "user" | "email" | "none";
  /** An account, where the binding is `user`. */
  readonly user: string | undefined;
  /** Whose address it is, where the binding is `email`. */
  readonly person: PersonName | undefined;
  readonly roles: readonly Role[];
  readonly teams: readonly string[];
  readonly maxUses: number;
  uses: number;
  readonly usedBy: Set<string>;
  revoked: boolean;
  readonly expiresAt: number;
  /** The handle of the newest, which alone counts. */
  token: string;
}

export interface Doc {
  readonly collection: CollectionName;
  readonly org: string | undefined;
  readonly team: string | undefined;
}

export const collectionNames = ["tasks", "ledgers", "drafts", "reviews", "plans"] as const;
export type CollectionName = (typeof collectionNames)[number];

/** Who sends an operation. */
export type Caller =
  /** @property mfa whether the session used a second factor, which counts where the account has one */
  | { readonly kind: "session"; readonly person: PersonName; readonly mfa: boolean }
  /** An API key that acts for somebody. */
  | { readonly kind: "delegate"; readonly person: PersonName }
  | { readonly kind: "key" }
  | { readonly kind: "anonymous" };

/** What is answered instead of a success: `403 forbidden`. */
export class Refused {
  readonly outcome: string;

  constructor(outcome: string) {
    this.outcome = outcome;
  }
}

export function refuse(outcome: string): never {
  throw new Refused(outcome);
}

/** Whether a session counts as one with a second factor. */
export function usesFactor({ person, mfa }: Extract<Caller, { kind: "session" }>): boolean {
  return mfa && strengthened.includes(person);
}

export function accountOf(world: World, person: PersonName): Account {
  const account = world.accounts.get(world.newest.get(person) ?? "");
  if (account === undefined) throw new Error(`${person} never had an account`);
  return account;
}

/** The roles that somebody has effectively, with what each comes from. */
export function effective(org: Org, member: Member): ReadonlyMap<Role, readonly string[]> {
  const origins = new Map<Role, string[]>();
  const add = (role: Role, origin: string) => origins.set(role, [...(origins.get(role) ?? []), origin]);
  for (const role of member.roles) add(role, "direct");
  add(defaultRole, "default");
  for (const [id, team] of org.teams) {
    if (member.teams.includes(id)) for (const role of team.roles) add(role, team.name);
  }
  return origins;
}

export function managedBy(held: Iterable<Role>): ReadonlySet<Manage> {
  return new Set([...held].flatMap((role): readonly Manage[] => roles[role]));
}

export function manages(org: Org, member: Member): ReadonlySet<Manage> {
  return managedBy(effective(org, member).keys());
}

/** The active accounts that can manage an organization. */
export function managersOf(world: World, org: Org): readonly string[] {
  return [...org.members]
    .filter(([id, member]) => isActive(world, id) && manages(org, member).has("org"))
    .map(([id]) => id);
}

function isActive(world: World, id: string): boolean {
  return world.accounts.get(id)?.status === "active";
}

export function holdsNow(held: HeldTeamRole, now: number): boolean {
  return (held.from === null || held.from <= now) && (held.until === null || now < held.until);
}

/** What an organization is to somebody; undefined where they do not count as a member. */
export function membership(
  world: World,
  id: string | undefined,
  account: string,
  mfa: boolean,
): { readonly org: Org; readonly member: Member } | undefined {
  const org = world.orgs.get(id ?? "");
  const member = org?.members.get(account);
  if (org === undefined || member === undefined || org.status === "deleted") return undefined;
  return org.requireMfa && !mfa ? undefined : { org, member };
}

export function isPending(invitation: Invitation, now: number): boolean {
  return !invitation.revoked && invitation.uses < invitation.maxUses && now < invitation.expiresAt;
}
