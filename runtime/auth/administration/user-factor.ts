import * as contract from "../../contract/user-administration.ts";
import { administratorRoute } from "../contracted.ts";
import { inRealm } from "../realm.ts";
import { changeUser, withoutFactor } from "../users.ts";
import { appendAudit } from "./audit.ts";
import { requireAuthority } from "./grants.ts";
import { noSuchUser } from "./users.ts";

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
    return { status: 204 };
  }),
);
