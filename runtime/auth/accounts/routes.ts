import type { RouteTable } from "../../realm/exchange.ts";
import { inRealm } from "../realm.ts";
import { login, logout } from "./login.ts";
import { getMe, patchMe } from "./me.ts";
import { deleteSession, deleteSessions, listSessions } from "./sessions.ts";
import { signup } from "./signup.ts";

/** The routes of `/v1/{realm}/_auth`, in a realm with accounts (api-decisions: Accounts). */
export function accountRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_auth`;
  return {
    [`${base}/signup`]: { POST: inRealm(signup) },
    [`${base}/login`]: { POST: inRealm(login) },
    [`${base}/logout`]: { POST: inRealm(logout) },
    [`${base}/me`]: { GET: inRealm(getMe), PATCH: inRealm(patchMe) },
    [`${base}/sessions`]: { GET: inRealm(listSessions), DELETE: inRealm(deleteSessions) },
    [`${base}/sessions/:id`]: { DELETE: inRealm(deleteSession) },
  };
}
