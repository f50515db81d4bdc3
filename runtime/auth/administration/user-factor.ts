import type { Route } from "../../realm/exchange.ts";
import { requireProof } from "../accounts/proof.ts";
import type { AccountRealm } from "../realm.ts";
import { changeUser, withoutFactor } from "../users.ts";
import { administratorRoute } from "./administrator.ts";
import { appendAudit } from "./audit.ts";
import { requireAuthority } from "./grants.ts";
import { noSuchUser } from "./users.ts";

/**
 * DELETE `/users/{id}/mfa`: takes a user's second factor away, and one that is being enrolled, for those who lost it or
 * never had it; also where the realm lets nobody enrol one any more. From a session it needs a fresh proof of identity.
 */
export function removeUserFactor(realm: AccountRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, administrator) => {
    const { caller } = administrator;
    if (caller.kind === "user") await requireProof(realm, exchange, caller);
    const user = await changeUser(
      realm.store,
      exchange.params.id ?? "",
      (before) => {
        requireAuthority(administrator, before, realm.accounts);
        return withoutFactor(before);
      },
      async (transaction, { id, totp }) => {
        if (totp === null) return;
        const entry = { action: "mfa.remove", target: `user:${id}` } as const;
        await appendAudit(realm, transaction, exchange, caller, entry);
      },
    );
    if (user === undefined) throw noSuchUser();
    return { status: 204 };
  });
}
