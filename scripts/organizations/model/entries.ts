/** Organizations, members and invitations as answers have them, by the model. */
import type { JsonObject } from "../../../runtime/json.ts";
import { addressOf } from "../../people.ts";
import type { Handles } from "./requests.ts";
import {
  accountOf,
  type Caller,
  effective,
  type HeldTeamRole,
  type Invitation,
  isPending,
  type Manage,
  type Member,
  manages,
  type Org,
  strengthened,
  type World,
} from "./world.ts";

export function organization(
  handles: Handles,
  id: string,
  { name, slug, status, requireMfa, claims }: Org,
): JsonObject {
  return { id: handles.id(id), name, slug, status, require_mfa: requireMfa, allow_keys: false, claims };
}

/** Sorted by role. */
export function effectiveRoles(org: Org, member: Member): readonly JsonObject[] {
  return [...effective(org, member)]
    .map(([role, origin]) => ({ role, origin }))
    .sort((one, other) => (one.role < other.role ? -1 : 1));
}

/** In the order in which they were made. */
export function teamsOf(handles: Handles, org: Org, member: Member): readonly string[] {
  return [...org.teams.keys()].filter((team) => member.teams.includes(team)).map((team) => handles.id(team));
}

/** What somebody may manage in an organization. */
export function managed(world: World, org: Org, caller: Caller): ReadonlySet<Manage> {
  if (caller.kind !== "session") return new Set();
  const member = org.members.get(accountOf(world, caller.person).id);
  return member === undefined ? new Set() : manages(org, member);
}

/** E-mail addresses and second factors are for managers. */
export function membersOf(
  world: World,
  handles: Handles,
  org: Org,
  manage: ReadonlySet<Manage>,
): readonly ({ readonly user: string } & JsonObject)[] {
  const isManager = manage.size > 0;
  return [...org.members]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([user, member]) => {
      const person = world.accounts.get(user)?.person;
      if (person === undefined) throw new Error(`no account ${user}`);
      const carried = member.teams.flatMap((team) => org.teams.get(team)?.roles ?? []);
      return {
        user,
        kind: "user",
        roles: member.roles,
        effective_roles: effectiveRoles(org, member),
        overlap: member.roles.filter((role) => carried.includes(role)),
        teams: teamsOf(handles, org, member),
        ...(isManager && { email: addressOf(person), mfa: strengthened.includes(person) }),
      };
    });
}

/** Whether the list of a team's members shows somebody: who is in it, or holds a role in it. */
export function isIn(member: Member | undefined, team: string): boolean {
  return (
    member?.teams.includes(team) === true || member?.teamRoles.some((held) => held.team === team) === true
  );
}

/** The roles that somebody was given in a team. */
export function windows(held: readonly HeldTeamRole[], team: string): readonly JsonObject[] {
  return held
    .filter((each) => each.team === team)
    .map(({ role, from, until }) => ({ role, from: instant(from), until: instant(until) }));
}

function instant(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** As lists of invitations have it, but for when and by whom it was made. */
export function invitationEntry(
  world: World,
  handles: Handles,
  handle: string,
  invitation: Invitation,
): JsonObject {
  const { binding, user, person, roles, teams, uses, maxUses, expiresAt } = invitation;
  return {
    id: handles.id(handle),
    binding,
    user: user ?? null,
    email: person === undefined || isForgotten(world, invitation) ? null : addressOf(person),
    roles,
    teams: teams.map((team) => handles.id(team)),
    status: statusOf(world, invitation),
    uses,
    max_uses: maxUses,
    expires_at: instant(expiresAt),
  };
}

/** Of who used it, and whose account was deleted, no address is left. */
function isForgotten(world: World, { usedBy }: Invitation): boolean {
  return [...usedBy].some((id) => world.accounts.get(id)?.status === "deleted");
}

function statusOf(world: World, invitation: Invitation): string {
  if (isPending(invitation, world.now)) return "pending";
  if (invitation.uses >= invitation.maxUses) return "accepted";
  return invitation.revoked ? "revoked" : "expired";
}
