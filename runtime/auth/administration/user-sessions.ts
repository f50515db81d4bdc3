import * as contract from "../../contract/user-administration.ts";
import { answerSessions, forgetSessions } from "../accounts/sessions.ts";
import { administratorRoute } from "../contracted.ts";
import { inRealm } from "../realm.ts";
import { changeUser, withSessionsEnded } from "../users.ts";
import { appendAudit } from "./audit.ts";
import { requireAuthority } from "./grants.ts";
import { findUser, noSuchUser } from "./users.ts";

export const listUserSessions = administratorRoute(
  contract.listUserSessions,
  inRealm((realm) => async ({ params, query }, { caller }) => {
    const { id } = await findUser(realm, params.id);
    return answerSessions(realm, id, query, caller.kind === "user" ? caller.credential.id : undefined);
  }),
);

export const endUserSessions = administratorRoute(
  contract.endUserSessions,
  inRealm((realm) => async ({ exchange, params }, administrator) => {
    const user = await changeUser(
      realm.store,
      params.id,
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
  }),
);
