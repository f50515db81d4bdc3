import { routeTable } from "../http/contracted-routes.ts";
import type { RouteTable } from "../realm/exchange.ts";
import { createOwnOrganization } from "./create.ts";
import { deleteOwnOrganization } from "./delete.ts";
import { acceptOrganizationInvitation, previewInvitation } from "./invitation-accept.ts";
import { createOrganizationInvitation } from "./invitation-create.ts";
import { signUpInvited } from "./invitation-signup.ts";
import {
  listOrganizationInvitations,
  renewInvitationLink,
  revokeOrganizationInvitation,
  sendInvitationAgain,
} from "./invitations.ts";
import {
  createOrganizationKey,
  listOrganizationKeys,
  revokeOrganizationKey,
  rotateOrganizationKey,
} from "./keys.ts";
import { leaveOrganization, listMembers, patchMember, removeMember } from "./members.ts";
import { getOrganization, listOwnOrganizations, patchOrganization } from "./organizations.ts";
import { addTeamMember, listTeamMembers, removeTeamMember } from "./team-members.ts";
import { changeTeamRole, giveTeamRole, takeTeamRole } from "./team-roles.ts";
import { createTeam, deleteTeam, listTeams, patchTeam } from "./teams.ts";

/** The routes of `/v1/{realm}/_orgs`, in a realm with organizations (spec: Organization endpoints). */
export function organizationRoutes(realm: string): RouteTable {
  return routeTable(realm, [
    listOwnOrganizations,
    createOwnOrganization,
    getOrganization,
    patchOrganization,
    deleteOwnOrganization,
    leaveOrganization,
    listMembers,
    patchMember,
    removeMember,
    listTeams,
    createTeam,
    patchTeam,
    deleteTeam,
    listTeamMembers,
    addTeamMember,
    removeTeamMember,
    giveTeamRole,
    changeTeamRole,
    takeTeamRole,
    listOrganizationInvitations,
    createOrganizationInvitation,
    revokeOrganizationInvitation,
    renewInvitationLink,
    sendInvitationAgain,
    previewInvitation,
    acceptOrganizationInvitation,
    signUpInvited,
  ]);
}

/** Those of organizations' keys, in a realm with `organizations: { keys: true }`. */
export function organizationKeyRoutes(realm: string): RouteTable {
  return routeTable(realm, [
    listOrganizationKeys,
    createOrganizationKey,
    rotateOrganizationKey,
    revokeOrganizationKey,
  ]);
}
