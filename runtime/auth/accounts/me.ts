import * as contract from "../../contract/accounts.ts";
import type { ApiError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { unauthenticated } from "../authenticate.ts";
import { collections } from "../collections.ts";
import { sessionRoute } from "../contracted.ts";
import { type AccountRealm, inRealm } from "../realm.ts";
import { readUser, type UserRecord } from "../records.ts";
import { changeUser, userView } from "../users.ts";
import { deleteUser } from "./deletion.ts";
import { patchProfile } from "./person.ts";
import { endedAnswer } from "./start.ts";

export const getMe = sessionRoute(
  contract.getOwnUser,
  inRealm((realm) => async (_, caller) => {
    const document = await realm.store.collection(collections.users).get(caller.user.id, "live");
    return answer(realm, document === undefined ? undefined : readUser(document).record);
  }),
);

export const patchMe = sessionRoute(
  contract.patchOwnUser,
  inRealm((realm) => async ({ body }, caller) => {
    const { locale, profile } = body();
    const user = await changeUser(realm.store, caller.user.id, (before) => {
      if (locale === undefined && profile === undefined) return before;
      return {
        ...before,
        ...(locale !== undefined && { locale }),
        ...(profile !== undefined && { profile: patchProfile(before.profile, profile, realm.accounts) }),
      };
    });
    return answer(realm, user);
  }),
);

export const deleteMe = sessionRoute(
  contract.deleteOwnUser,
  inRealm((realm) => async ({ exchange }, caller) => {
    if (!(await deleteUser(realm, exchange, caller, caller.user.id))) throw gone();
    return endedAnswer(realm, caller);
  }),
);

/** The caller's account was deleted since their session was looked at. */
export function gone(): ApiError {
  return unauthenticated("This account is gone.");
}

function answer({ accounts }: AccountRealm, user: UserRecord | undefined): JsonObject {
  if (user === undefined) throw gone();
  return userView(user, accounts);
}
