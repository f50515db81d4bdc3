import { timestamp } from "../../clock.ts";
import * as contract from "../../contract/user-administration.ts";
import { ApiError } from "../../errors.ts";
import { and, eq, type Filter, TRUE, text } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import { noMemberships } from "../../realm/memberships.ts";
import { collections, userFields } from "../collections.ts";
import { administratorRoute } from "../contracted.ts";
import { answerPage, invalidParameter, lists, pageRequest } from "../paging.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import { readUser, type UserRecord } from "../records.ts";
import { isRole, ruleUser, userView } from "../users.ts";

export const listUsers = administratorRoute(
  contract.listUsers,
  inRealm((realm) => async ({ query }) => {
    const entry = (user: UserRecord) => administratorView(realm, user);
    return answerPage(realm, lists.users, search(realm, query), pageRequest(query), entry);
  }),
);

/** @throws ApiError `invalid_query` */
function search({ accounts }: AccountRealm, query: ReadonlyMap<string, string>): Filter {
  const role = query.get("role");
  if (role !== undefined && !isRole(role, accounts))
    throw invalidParameter("role", "is no role of this realm");
  const status = query.get("status");
  if (status !== undefined && status !== "active" && status !== "disabled") {
    throw invalidParameter("status", "must be active or disabled");
  }
  const part = query.get("q")?.toLowerCase();
  return and(
    role === undefined ? TRUE : eq(userFields.roles, role),
    status === undefined ? TRUE : eq(userFields.disabled, status === "disabled"),
    part === undefined ? TRUE : text("contains", userFields.email_key, part),
  );
}

export const getUser = administratorRoute(
  contract.getUser,
  inRealm((realm) => async ({ params }) => {
    const user = await findUser(realm, params.id);
    return administratorView(realm, user);
  }),
);

/** What rules are evaluated with for the user: as of a session that used their second factor, where they have one. */
export const getUserAccess = administratorRoute(
  contract.getUserAccess,
  inRealm((realm) => async ({ params }) => {
    const user = await findUser(realm, params.id);
    const seen = ruleUser(user, realm.accounts, true);
    const memberships = await realm.organizations?.membershipsOf(user.id, seen.mfa ? "factor" : "none");
    return {
      user: { ...seen, roles: [...seen.roles] },
      now: timestamp(realm.clock.now()),
      organizations: [...(memberships ?? noMemberships).values()].map(
        ({ org: id, roles, teams, teamRoles, claims }) => ({
          id,
          roles: [...roles].sort(),
          teams: [...teams].sort(),
          team_roles: Object.fromEntries([...teamRoles].map(([team, held]) => [team, [...held].sort()])),
          claims,
        }),
      ),
    };
  }),
);

/** @throws ApiError `not_found` */
export async function findUser({ store }: AccountRealm, id: string): Promise<UserRecord> {
  const document = await store.collection(collections.users).get(id, "live");
  if (document === undefined) throw noSuchUser();
  return readUser(document).record;
}

export function noSuchUser(): ApiError {
  return new ApiError("not_found", "There is no such user.");
}

export function administratorView({ accounts }: AccountRealm, user: UserRecord): JsonObject {
  return { ...userView(user, accounts), status: user.disabled ? "disabled" : "active" };
}
