import { routeTable } from "../../http/contracted-routes.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { listAudit } from "./audit-list.ts";
import { getAppConfig, getConfig, listConfigurations, putAppConfig } from "./config.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./invitations.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "./keys.ts";
import { deleteSecret, listSecrets, putSecret } from "./secrets.ts";
import { patchUser } from "./user-change.ts";
import { createUser } from "./user-create.ts";
import { endUserSessions, listUserSessions, removeUser, removeUserFactor } from "./user-endings.ts";
import { getUser, getUserAccess, listUsers } from "./users.ts";

/** The routes of `/v1/{realm}/_admin` that every realm has (api-decisions: Administrator routes). */
export function administrationRoutes(realm: string): RouteTable {
  return routeTable(realm, [
    listKeys,
    createKey,
    rotateKey,
    revokeKey,
    listSecrets,
    putSecret,
    deleteSecret,
    listAudit,
    getConfig,
    listConfigurations,
    getAppConfig,
    putAppConfig,
  ]);
}

/** The routes of `/v1/{realm}/_admin` in a realm with accounts. */
export function userAdministrationRoutes(realm: string): RouteTable {
  return routeTable(realm, [
    listUsers,
    createUser,
    getUser,
    getUserAccess,
    patchUser,
    removeUser,
    removeUserFactor,
    listUserSessions,
    endUserSessions,
    listInvitations,
    createInvitation,
    revokeInvitation,
  ]);
}
