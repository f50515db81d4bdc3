import { ApiError } from "../errors.ts";
import { parameters } from "../http/parameters.ts";
import { isId } from "../ids.ts";
import type { Caller } from "../realm/caller.ts";
import type { AccountSettings } from "../realm/definition.ts";
import type { Answer, Exchange, RealmInstance, Route, RouteFactory } from "../realm/exchange.ts";

/** A running realm that has accounts. */
export interface AccountRealm extends RealmInstance {
  readonly accounts: AccountSettings;
  readonly authenticate: (exchange: Exchange) => Promise<Caller>;
}

/** A route of `_auth` or `_admin`, which only realms with accounts have. */
export function inRealm(route: (realm: AccountRealm) => Route): RouteFactory {
  return (realm) => route(accountRealm(realm));
}

/** @throws Error for a realm with `auth: disabled`, whose emitted routes have neither. */
function accountRealm(realm: RealmInstance): AccountRealm {
  const { authenticate, definition } = realm;
  const { accounts, name } = definition;
  if (accounts === undefined || authenticate === undefined) throw new Error(`realm ${name} has no accounts`);
  return { ...realm, accounts, authenticate };
}

/** What a route does for a caller of its kind, with its query parameters. */
export type CallerHandler<C extends Caller> = (
  exchange: Exchange,
  caller: C,
  query: ReadonlyMap<string, string>,
) => Promise<Answer>;

/**
 * A route of `_auth` or `_admin` for some callers only. `admit` answers the caller or throws; `query` names the
 * parameters that the route takes.
 */
export function callerRoute<C extends Caller>(
  realm: AccountRealm,
  admit: (caller: Caller) => C,
  handle: CallerHandler<C>,
  query: readonly string[] = [],
): Route {
  return {
    class: "private",
    handle: async (exchange) => {
      const caller = admit(await realm.authenticate(exchange));
      const values = parameters(exchange.search, query);
      const { id } = exchange.params;
      if (id !== undefined && !isId(id)) throw new ApiError("not_found", "There is nothing of this id.");
      return handle(exchange, caller, values);
    },
  };
}
