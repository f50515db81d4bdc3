import { routeTable } from "../auth/contracted.ts";
import type { RouteTable } from "../realm/exchange.ts";
import { createOwnOrganization } from "./create.ts";
import { deleteOwnOrganization } from "./delete.ts";
import { acceptOrganizationInvitation, previewInvitation } from "./invitation-accept.ts";
import { createOrganizationInvitation } from "./invitation-create.ts";
import {
  listOrganizationInvitations,
  renewInvitationLink,
  revokeOrganizationInvitation,
  sendInvitationAgain,
} from "./invitations.ts";
import { leaveOrganization, listMembers, patchMember, removeMember } from "./members.ts";
import { getOrganization, listOwnOrganizations, patchOrganization } from "./organizations.ts";
import { inOrganizations } from "./route.ts";
import { addTeamMember, listTeamMembers, removeTeamMember } from "./team-members.ts";
import { changeTeamRole, giveTeamRole, takeTeamRole } from "./team-roles.ts";
import { createTeam, deleteTeam, listTeams, patchTeam } from "./teams.ts";

/** The routes of `/v1/{realm}/_orgs`, in a realm with organizations (spec: Organization endpoints). */
export function organizationRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_orgs`;
  const org = `${base}/:org`;
  return {
    [base]: { GET: inOrganizations(listOwnOrganizations), POST: inOrganizations(createOwnOrganization) },
    [org]: {
      GET: inOrganizations(getOrganization),
      PATCH: inOrganizations(patchOrganization),
      DELETE: inOrganizations(deleteOwnOrganization),
    },
    [`${org}/members`]: { GET: inOrganizations(listMembers) },
    [`${org}/members/:user`]: { PATCH: inOrganizations(patchMember), DELETE: inOrganizations(removeMember) },
    [`${org}/leave`]: { POST: inOrganizations(leaveOrganization) },
    [`${org}/invitations`]: {
      GET: inOrganizations(listOrganizationInvitations),
      POST: inOrganizations(createOrganizationInvitation),
    },
    [`${org}/invitations/:id`]: { DELETE: inOrganizations(revokeOrganizationInvitation) },
    [`${org}/invitations/:id/link`]: { POST: inOrganizations(renewInvitationLink) },
    [`${org}/invitations/:id/send`]: { POST: inOrganizations(sendInvitationAgain) },
    [`${base}/invitations/preview`]: { POST: inOrganizations(previewInvitation) },
    [`${base}/invitations/accept`]: { POST: inOrganizations(acceptOrganizationInvitation) },
    ...routeTable(realm, [
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
    ]),
  };
}
