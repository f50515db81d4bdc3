import type { Route } from "../../realm/exchange.ts";
import { deleteUser } from "../accounts/deletion.ts";
import { requireProof } from "../accounts/proof.ts";
import type { AccountRealm } from "../realm.ts";
import { administratorRoute } from "./administrator.ts";
import { requireAuthority } from "./grants.ts";
import { noSuchUser } from "./users.ts";

/** DELETE `/users/{id}`. From a session it needs a fresh proof of identity; keys have none. */
export function removeUser(realm: AccountRealm): Route {
  return administratorRoute(realm, { area: "users", to: "change" }, async (exchange, administrator) => {
    const { caller } = administrator;
    if (caller.kind === "user") await requireProof(realm, exchange, caller);
    const { id = "" } = exchange.params;
    const deleted = await deleteUser(realm, exchange, caller, id, (user) =>
      requireAuthority(administrator, user, realm.accounts),
    );
    if (!deleted) throw noSuchUser();
    return { status: 204 };
  });
}
