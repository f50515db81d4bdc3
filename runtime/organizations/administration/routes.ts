import { routeTable } from "../../http/contracted-routes.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { putClaims } from "./claims.ts";
import { createInvitationTo, deleteMember, putManager, putMember } from "./members.ts";
import {
  createOrganizationFor,
  getAnyOrganization,
  getOwned,
  listOrganizations,
  reactivateOrganization,
  removeOrganization,
} from "./organizations.ts";

/** The routes of `/v1/{realm}/_admin/orgs`, in a realm with organizations (spec: Administrator routes). */
export function organizationAdministrationRoutes(realm: string): RouteTable {
  return routeTable(realm, [
    listOrganizations,
    createOrganizationFor,
    getAnyOrganization,
    removeOrganization,
    getOwned,
    reactivateOrganization,
    putMember,
    deleteMember,
    createInvitationTo,
    putClaims,
    putManager,
  ]);
}
