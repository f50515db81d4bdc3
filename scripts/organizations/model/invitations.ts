import type { Operation } from "./operations.ts";
import { enter, requireGivable, rolesOfTeams, type Standing, sessionOf, settle } from "./standing.ts";
import {
  type Account,
  accountOf,
  type Invitation,
  isPending,
  limits,
  manageable,
  managedBy,
  type Org,
  refuse,
  unverified,
  type World,
} from "./world.ts";

type Inviting = Extract<Operation, { kind: "invite" | "admin invite" }>;
type InvitationOperation =
  | Inviting
  | Extract<Operation, { kind: "revoke" | "link" | "send" | "preview" | "accept" }>;

const minute = 60_000;

export function applyInvitation(world: World, operation: InvitationOperation): string {
  switch (operation.kind) {
    case "invite": {
      const standing = enter(world, operation.by, operation.org, { manage: ["members"] });
      return invite(world, standing.org, operation, standing);
    }
    case "admin invite": {
      const org = world.orgs.get(operation.org) ?? refuse("404 not_found");
      if (org.status === "deleted") refuse("409 conflict");
      return invite(world, org, operation);
    }
    case "revoke": {
      const { org } = enter(world, operation.by, operation.org, { manage: manageable });
      const invitation = org.invitations.get(operation.invitation) ?? refuse("404 not_found");
      if (invitation.uses >= invitation.maxUses) refuse("409 conflict");
      invitation.revoked ||= isPending(invitation, world.now);
      return "204";
    }
    case "link": {
      const standing = enter(world, operation.by, operation.org, { manage: manageable });
      ownInvitation(world, standing, operation.invitation).token = operation.token;
      return "200";
    }
    case "send": {
      const standing = enter(world, operation.by, operation.org, { manage: manageable });
      const invitation = ownInvitation(world, standing, operation.invitation);
      const { person } = invitation;
      if (person === undefined) refuse("409 conflict");
      const sent = (world.mails.get(person) ?? []).filter((at) => at > world.now - 60 * minute);
      if (sent.length < 3) {
        world.mails.set(person, [...sent, world.now]);
        invitation.token = operation.token;
      }
      return "202";
    }
    case "preview": {
      const { account } = sessionOf(world, operation.by);
      offered(world, operation.token, account);
      return "200";
    }
    case "accept":
      return accept(world, operation);
  }
}

/** @param granter who gives only what they could give; absent: administrators give anything */
function invite(world: World, org: Org, operation: Inviting, granter?: Standing): string {
  const { binding, person, roles, teams } = operation;
  const given = [...roles, ...rolesOfTeams(org, teams)];
  if (teams.some((team) => !org.teams.has(team))) refuse("400 validation_error");
  if (binding === "none" && managedBy(given).size > 0) refuse("400 validation_error");
  if (granter !== undefined) requireGivable(granter, given);
  if (teams.length > limits.teamsOfMember) refuse("409 team_limit_reached");
  const pending = [...org.invitations.values()].filter((each) => isPending(each, world.now));
  if (pending.length >= limits.pending) refuse("409 invitations_limit");
  org.invitations.set(operation.invitation, {
    binding,
    user: binding === "user" ? accountOf(world, person).id : undefined,
    person: binding === "email" ? person : undefined,
    roles,
    teams,
    maxUses: binding === "none" ? operation.maxUses : 1,
    uses: 0,
    usedBy: new Set(),
    revoked: false,
    expiresAt: world.now + operation.lifetime * minute,
    token: operation.invitation,
  });
  return "201";
}

/** One that somebody could make themselves, and that is not over. */
function ownInvitation({ now }: World, standing: Standing, id: string): Invitation {
  const { org } = standing;
  const invitation = org.invitations.get(id) ?? refuse("404 not_found");
  requireGivable(standing, [...invitation.roles, ...rolesOfTeams(org, invitation.teams)]);
  if (!isPending(invitation, now)) refuse("409 conflict");
  return invitation;
}

/** Endpoints 5; what teams no longer are is left out. */
function offered(world: World, token: string, account: Account) {
  const [found] = [...world.orgs.values()].flatMap((org) =>
    [...org.invitations.values()]
      .filter((invitation) => invitation.token === token && isPending(invitation, world.now))
      .map((invitation) => ({ org, invitation })),
  );
  if (found === undefined) refuse("400 invalid_invitation");
  const { org, invitation } = found;
  if (!isFor(invitation, account)) refuse("403 invitation_not_for_you");
  const teams = invitation.teams.filter((team) => org.teams.has(team));
  const given = [...invitation.roles, ...rolesOfTeams(org, teams)];
  if (invitation.binding === "none" && managedBy(given).size > 0) refuse("400 invalid_invitation");
  return { org, invitation, teams };
}

function isFor({ binding, user, person }: Invitation, account: Account): boolean {
  if (binding === "none") return true;
  if (binding === "user") return user === account.id;
  return person === account.person && !unverified.includes(account.person);
}

function accept(world: World, { by, token }: Extract<InvitationOperation, { kind: "accept" }>): string {
  const { account, mfa } = sessionOf(world, by);
  const { org, invitation, teams: given } = offered(world, token, account);
  if (org.requireMfa && !mfa) refuse("403 org_requires_mfa");
  const before = org.members.get(account.id);
  const member = before ?? { roles: [], teams: [], teamRoles: [] };
  const roles = invitation.roles.filter((role) => !member.roles.includes(role));
  const teams = given.filter((team) => !member.teams.includes(team));
  if (before !== undefined && roles.length === 0 && teams.length === 0) return "200";
  if (teams.length > 0 && member.teams.length + teams.length > limits.teamsOfMember) {
    refuse("409 team_limit_reached");
  }
  settle(world, org, () => {
    org.members.set(account.id, {
      ...member,
      roles: [...member.roles, ...roles],
      teams: [...member.teams, ...teams],
    });
  });
  invitation.uses += 1;
  invitation.usedBy.add(account.id);
  return "200";
}
