import { ApiError } from "../../errors.ts";
import type { Route, RouteFactory, RouteTable } from "../../http/exchange.ts";
import { type AccountRealm, accountRealm } from "../realm.ts";
import { getUser, listUsers, patchUser } from "./users.ts";

/** The routes of `/v1/{realm}/_admin` (api-decisions: Administrator routes). */
export function administrationRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_admin`;
  return {
    [`${base}/users`]: { GET: whereServed(listUsers) },
    [`${base}/users/:id`]: { GET: whereServed(getUser), PATCH: whereServed(patchUser) },
  };
}

/** 404 where the instance has no administrator API, or the realm no users. */
function whereServed(route: (realm: AccountRealm) => Route): RouteFactory {
  return (realm) =>
    realm.adminApi && realm.definition.accounts !== undefined ? route(accountRealm(realm)) : notServed;
}

const notServed: Route = {
  class: "private",
  handle: () => {
    throw new ApiError("not_found", "There is no such route.");
  },
};
