/** What people may do in an organization, and what changes must not do to it. */
import {
  type Account,
  accountOf,
  type Caller,
  type Manage,
  type Member,
  managedBy,
  managersOf,
  manages,
  type Org,
  type Role,
  refuse,
  strengthened,
  usesFactor,
  type World,
} from "./world.ts";

/** Who acts in an organization. */
export interface Standing {
  readonly id: string;
  readonly org: Org;
  readonly account: Account;
  readonly member: Member;
  readonly manage: ReadonlySet<Manage>;
  readonly mfa: boolean;
}

/** Whoever is in a session: keys, also those that act for somebody, have none. */
export function sessionOf(
  world: World,
  caller: Caller,
): { readonly account: Account; readonly mfa: boolean } {
  if (caller.kind === "anonymous") refuse("401 unauthenticated");
  if (caller.kind === "key") refuse("403 forbidden");
  const account = accountOf(world, caller.person);
  if (caller.kind === "delegate") {
    refuse(account.status === "deleted" ? "400 invalid_header" : "403 forbidden");
  }
  if (account.status !== "active") refuse("401 unauthenticated");
  return { account, mfa: usesFactor(caller) };
}

/** What a route of an organization asks. */
export interface Need {
  readonly manage?: readonly Manage[];
  readonly withoutFactor?: true;
}

/** Endpoints 1 and 6, and the order of refusals: session, membership, second factor, `manage`. */
export function enter(world: World, caller: Caller, id: string, need: Need = {}): Standing {
  const { account, mfa } = sessionOf(world, caller);
  const org = world.orgs.get(id);
  const member = org?.members.get(account.id);
  if (org === undefined || org.status === "deleted" || member === undefined) refuse("403 not_org_member");
  if (org.requireMfa && !mfa && need.withoutFactor === undefined) refuse("403 org_requires_mfa");
  const manage = manages(org, member);
  if (need.manage !== undefined && !need.manage.some((entry) => manage.has(entry))) refuse("403 forbidden");
  return { id, org, account, member, manage, mfa };
}

/** Authentication 8; an account with a second factor proves nothing by a password alone. */
export function requireProof({ account, mfa }: Pick<Standing, "account" | "mfa">, proof: boolean): void {
  if (!proof || (strengthened.includes(account.person) && !mfa)) refuse("401 reauth_required");
}

/** Endpoints 3: of roles, and of teams as the roles they carry, one gives and takes only what one could give. */
export function requireGivable({ manage }: Pick<Standing, "manage">, given: Iterable<Role>): void {
  const all = [...given];
  if (all.length === 0) return;
  if (!manage.has("members") && !manage.has("roles")) refuse("403 forbidden");
  if (![...managedBy(all)].every((entry) => manage.has(entry))) refuse("403 forbidden");
}

export function rolesOfTeams(org: Org, teams: readonly string[]): readonly Role[] {
  return teams.flatMap((team) => org.teams.get(team)?.roles ?? []);
}

/** The member who is this account. */
export function requireMember(org: Org, account: string): Member {
  return org.members.get(account) ?? refuse("404 not_found");
}

/**
 * Makes a change of members or teams, unless nobody could manage the organization after it and somebody could before
 * (Endpoints 2). An orphaned one that somebody can manage by now is active.
 */
export function settle(world: World, org: Org, change: () => void): void {
  const before = managersOf(world, org).length;
  change();
  const after = managersOf(world, org).length;
  if (before > 0 && after === 0) refuse("409 last_org_manager");
  if (org.status === "orphaned" && after > 0) org.status = "active";
}

/** A slug is free that no organization has which is not deleted. */
export function isFree(world: World, slug: string, but?: Org): boolean {
  return ![...world.orgs.values()].some(
    (org) => org !== but && org.status !== "deleted" && org.slug === slug,
  );
}

export function changed(before: readonly Role[], after: readonly Role[]): readonly Role[] {
  return [
    ...after.filter((role) => !before.includes(role)),
    ...before.filter((role) => !after.includes(role)),
  ];
}

/** Roles in place of others: these are sets, and one that stays the same is left as it is. */
export function inPlace(before: readonly Role[], after: readonly Role[]): readonly Role[] {
  return changed(before, after).length === 0 ? before : after;
}
