import type { Route } from "../../realm/exchange.ts";
import { answerSessions, forgetSessions } from "../accounts/sessions.ts";
import { pageParameters } from "../paging.ts";
import type { AccountRealm } from "../realm.ts";
import { changeUser, withSessionsEnded } from "../users.ts";
import { administratorRoute } from "./administrator.ts";
import { appendAudit } from "./audit.ts";
import { requireAuthority } from "./grants.ts";
import { findUser, noSuchUser } from "./users.ts";

/** GET `/users/{id}/sessions`: a user's sessions that have not ended. */
export function listUserSessions(realm: AccountRealm): Route {
  return administratorRoute(
    realm,
    { area: "users", to: "see" },
    async ({ params }, { caller }, query) => {
      const { id } = await findUser(realm, params.id);
      return answerSessions(realm, id, query, caller.kind === "user" ? caller.credential.id : undefined);
    },
    pageParameters,
  );
}

/** DELETE `/users/{id}/sessions`: ends all of them. */
export function endUserSessions(realm: AccountRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, administrator) => {
    const user = await changeUser(
      realm.store,
      exchange.params.id ?? "",
      (before) => {
        requireAuthority(administrator, before, realm.accounts);
        return withSessionsEnded(before);
      },
      (transaction, { id }) =>
        appendAudit(realm, transaction, exchange, administrator.caller, {
          action: "user.sessions",
          target: `user:${id}`,
        }),
    );
    if (user === undefined) throw noSuchUser();
    await forgetSessions(realm.store, user);
    return { status: 204 };
  });
}
