import { ApiError } from "../../errors.ts";
import type { Caller, KeyCaller } from "../../realm/caller.ts";
import type { Route } from "../../realm/exchange.ts";
import { unauthenticated } from "../authenticate.ts";
import { type AccountRealm, type CallerHandler, callerRoute } from "../realm.ts";

/** A route of `_admin`: 401 without a credential, 403 for anything but an API key with `admin`. */
export function administratorRoute(
  realm: AccountRealm,
  handle: CallerHandler<KeyCaller>,
  query?: readonly string[],
): Route {
  return callerRoute(realm, requireAdministrator, handle, query);
}

function requireAdministrator(caller: Caller): KeyCaller {
  if (caller.kind === "key" && caller.admin) return caller;
  const message = "This needs an API key with administration.";
  throw caller.kind === "anonymous" ? unauthenticated(message) : new ApiError("forbidden", message);
}
