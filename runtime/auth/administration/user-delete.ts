import * as contract from "../../contract/user-administration.ts";
import { deleteUser } from "../accounts/deletion.ts";
import { administratorRoute } from "../contracted.ts";
import { inRealm } from "../realm.ts";
import { requireAuthority } from "./grants.ts";
import { noSuchUser } from "./users.ts";

export const removeUser = administratorRoute(
  contract.deleteUser,
  inRealm((realm) => async ({ exchange, params }, administrator) => {
    const deleted = await deleteUser(realm, exchange, administrator.caller, params.id, (user) =>
      requireAuthority(administrator, user, realm.accounts),
    );
    if (!deleted) throw noSuchUser();
    return { status: 204 };
  }),
);
