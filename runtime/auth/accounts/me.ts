import type { JsonObject } from "../../json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { Answer, Route } from "../../realm/exchange.ts";
import { unauthenticated } from "../authenticate.ts";
import { collections } from "../collections.ts";
import { BodyReader, invalid } from "../input.ts";
import type { AccountRealm } from "../realm.ts";
import { readUser, type UserRecord } from "../records.ts";
import { changeUser, userView } from "../users.ts";
import { profileProblems, readLocale } from "./person.ts";
import { sessionRoute } from "./route.ts";

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
        ...(profile !== undefined && { profile: patched(realm, before.profile, profile) }),
      };
    });
    return answer(realm, user);
  });
}

/** @throws ApiError `validation_error` when the result is not a valid profile. */
function patched(
  { accounts }: AccountRealm,
  before: JsonObject | null,
  patch: JsonObject | null,
): JsonObject | null {
  if (patch === null) return null;
  const profile = mergePatch(before ?? {}, patch);
  const problems = profileProblems(profile, accounts);
  if (problems.length > 0) throw invalid(problems);
  return profile;
}

function answer({ accounts }: AccountRealm, user: UserRecord | undefined): Answer {
  if (user === undefined) throw unauthenticated("This account is gone.");
  return { status: 200, body: JSON.stringify(userView(user, accounts)) };
}
