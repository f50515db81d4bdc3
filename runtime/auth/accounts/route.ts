import { ApiError } from "../../errors.ts";
import { parameters } from "../../http/parameters.ts";
import { type Caller, isSession, type SessionCaller } from "../../realm/caller.ts";
import type { Answer, Received, Route } from "../../realm/exchange.ts";
import { unauthenticated } from "../authenticate.ts";
import { type AccountRealm, type CallerHandler, callerRoute } from "../realm.ts";

/** A route of `_auth` that anyone may use and that looks at no credential. */
export function openRoute(handle: (exchange: Received) => Promise<Answer>): Route {
  return {
    class: "private",
    handle: async (exchange) => {
      parameters(exchange.search, []);
      return handle(await exchange.receive());
    },
  };
}

/** A route of `_auth` that needs a session: 401 without a credential, 403 for an API key. */
export function sessionRoute(
  realm: AccountRealm,
  handle: CallerHandler<SessionCaller>,
  query?: readonly string[],
): Route {
  return callerRoute(realm, requireSession, handle, query);
}

/**
 * Somebody in a session of their own.
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireSession(caller: Caller): SessionCaller {
  if (caller.kind === "anonymous") throw unauthenticated("This needs a session.");
  if (isSession(caller)) return caller;
  throw new ApiError("forbidden", "This needs a session; API keys have none.");
}
