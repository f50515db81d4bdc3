import type { RouteTable } from "../../realm/exchange.ts";
import { inOrganizations } from "../route.ts";
import { putClaims } from "./claims.ts";
import { createInvitationTo } from "./invitations.ts";
import { deleteMember, putManager, putMember } from "./members.ts";
import {
  createOrganizationFor,
  getAnyOrganization,
  listOrganizations,
  removeOrganization,
} from "./organizations.ts";
import { getOwned } from "./owned.ts";
import { reactivateOrganization } from "./reactivate.ts";

/** The routes of `/v1/{realm}/_admin/orgs`, in a realm with organizations (spec: Administrator routes). */
export function organizationAdministrationRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_admin/orgs`;
  const org = `${base}/:org`;
  return {
    [base]: { GET: inOrganizations(listOrganizations), POST: inOrganizations(createOrganizationFor) },
    [org]: { GET: inOrganizations(getAnyOrganization), DELETE: inOrganizations(removeOrganization) },
    [`${org}/owned`]: { GET: inOrganizations(getOwned) },
    [`${org}/reactivate`]: { POST: inOrganizations(reactivateOrganization) },
    [`${org}/members/:user`]: { PUT: inOrganizations(putMember), DELETE: inOrganizations(deleteMember) },
    [`${org}/invitations`]: { POST: inOrganizations(createInvitationTo) },
    [`${org}/claims`]: { PUT: inOrganizations(putClaims) },
    [`${org}/manager`]: { PUT: inOrganizations(putManager) },
  };
}
