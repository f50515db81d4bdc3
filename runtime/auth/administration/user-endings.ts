import * as contract from "../../contract/user-administration.ts";
import { isSession } from "../../realm/caller.ts";
import { deleteUser } from "../accounts/deletion.ts";
import { answerSessions, forgetSessions } from "../accounts/sessions.ts";
import { administratorRoute } from "../contracted.ts";
import { inRealm } from "../realm.ts";
import { changeUser, withoutFactor, withSessionsEnded } from "../users.ts";
import { appendAudit } from "./audit.ts";
import { requireAuthority } from "./grants.ts";
import { findUser, noSuchUser } from "./users.ts";

export const removeUser = administratorRoute(
  contract.deleteUser,
  inRealm((realm) => async ({ exchange, params }, administrator) => {
    const deleted = await deleteUser(realm, exchange, administrator.caller, params.id, (user) =>
      requireAuthority(administrator, user, realm.accounts),
    );
    if (!deleted) throw noSuchUser();
  }),
);

/** Also one that is being enrolled, and where the realm lets nobody enrol one any more. */
export const removeUserFactor = administratorRoute(
  contract.removeUserFactor,
  inRealm((realm) => async ({ exchange, params }, administrator) => {
    const user = await changeUser(
      realm.store,
      params.id,
      (before) => {
        requireAuthority(administrator, before, realm.accounts);
        return withoutFactor(before);
      },
      async (transaction, { id, totp }) => {
        if (totp === null) return;
        const entry = { action: "mfa.remove", target: `user:${id}` } as const;
        await appendAudit(realm, transaction, exchange, administrator.caller, entry);
      },
    );
    if (user === undefined) throw noSuchUser();
  }),
);

export const listUserSessions = administratorRoute(
  contract.listUserSessions,
  inRealm((realm) => async ({ params, query }, { caller }) => {
    const { id } = await findUser(realm, params.id);
    return answerSessions(realm, id, query, isSession(caller) ? caller.credential.id : undefined);
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
  }),
);
