import type { RouteTable } from "../../realm/exchange.ts";
import { inRealm } from "../realm.ts";
import { getUser, listUsers, patchUser } from "./users.ts";

/** The routes of `/v1/{realm}/_admin`, in a realm with accounts (api-decisions: Administrator routes). */
export function administrationRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_admin`;
  return {
    [`${base}/users`]: { GET: inRealm(listUsers) },
    [`${base}/users/:id`]: { GET: inRealm(getUser), PATCH: inRealm(patchUser) },
  };
}
