import type { ApiError } from "../../errors.ts";
import type { Answer, Route } from "../../realm/exchange.ts";
import { unauthenticated } from "../authenticate.ts";
import { collections } from "../collections.ts";
import { BodyReader } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type UserRecord } from "../records.ts";
import { changeUser, userView } from "../users.ts";
import { deleteUser } from "./deletion.ts";
import { patchProfile, readLocale } from "./person.ts";
import { requireProof } from "./proof.ts";
import { sessionRoute } from "./route.ts";
import { endedAnswer } from "./start.ts";

/** GET `/me`. */
export function getMe(realm: AccountRealm): Route {
  return sessionRoute(realm, async (_, caller) => {
    const document = await realm.store.collection(collections.users).get(caller.user.id, "live");
    return answer(realm, document === undefined ? undefined : readUser(document).record);
  });
}

/** PATCH `/me`: a JSON Merge Patch of `{locale, profile}`. */
export function patchMe(realm: AccountRealm): Route {
  return sessionRoute(realm, async (exchange, caller) => {
    const body = new BodyReader(exchange, "either");
    const locale = readLocale(body);
    const profile = body.optionalObject("profile");
    body.finish();
    const user = await changeUser(realm.store, caller.user.id, (before) => {
      if (locale === undefined && profile === undefined) return before;
      return {
        ...before,
        ...(locale !== undefined && { locale }),
        ...(profile !== undefined && { profile: patchProfile(before.profile, profile, realm.accounts) }),
      };
    });
    return answer(realm, user);
  });
}

/** DELETE `/me`: the account, its sessions and tokens; documents stay. Needs a fresh proof of identity. */
export function deleteMe(realm: AccountRealm): Route {
  return sessionRoute(realm, async (exchange, caller) => {
    await requireProof(realm, exchange, caller);
    if (!(await deleteUser(realm, exchange, caller, caller.user.id))) throw gone();
    return endedAnswer(realm, caller);
  });
}

/** The caller's account was deleted since their session was looked at. */
export function gone(): ApiError {
  return unauthenticated("This account is gone.");
}

function answer({ accounts }: AccountRealm, user: UserRecord | undefined): Answer {
  if (user === undefined) throw gone();
  return { status: 200, body: JSON.stringify(userView(user, accounts)) };
}
