import { ApiError } from "../errors.ts";
import { parameters } from "../http/parameters.ts";
import { isId } from "../ids.ts";
import type { Caller } from "../realm/caller.ts";
import type { AccountSettings } from "../realm/definition.ts";
import type { Answer, Exchange, RealmInstance, Received, Route } from "../realm/exchange.ts";

/** A running realm that has accounts. */
export interface AccountRealm extends RealmInstance {
  readonly accounts: AccountSettings;
}

/** What is made for a realm that has accounts, as for any: no other has such routes. */
export function inRealm<T>(make: (realm: AccountRealm) => T): (realm: RealmInstance) => T {
  return (realm) => make(accountRealm(realm));
}

/** @throws Error for a realm with `auth: disabled`, whose emitted routes have none such. */
export function accountRealm(realm: RealmInstance): AccountRealm {
  const { accounts, name } = realm.definition;
  if (accounts === undefined) throw new Error(`realm ${name} has no accounts`);
  return { ...realm, accounts };
}

/** Path parameters that are ids. */
const idParameters = ["id", "org", "team", "user"] as const;

/** What a route does for whom it admits, with its query parameters. */
export type CallerHandler<Admitted> = (
  exchange: Received,
  admitted: Admitted,
  query: ReadonlyMap<string, string>,
) => Promise<Answer>;

/**
 * A route of `_auth`, `_admin` or `_orgs` for some callers only. `admit` answers whom, or throws (or rejects); `query`
 * names the parameters that the route takes.
 */
export function callerRoute<Admitted>(
  realm: RealmInstance,
  admit: (caller: Caller, exchange: Exchange) => Admitted | Promise<Admitted>,
  handle: CallerHandler<Admitted>,
  query: readonly string[] = [],
): Route {
  const enter = async (exchange: Exchange) => admit(await realm.authenticate(exchange), exchange);
  return {
    class: "private",
    handle: async (exchange) => {
      const admitted = await enter(exchange);
      const values = parameters(exchange.search, query);
      if (idParameters.some((name) => !isId(exchange.params[name] ?? "id")))
        throw new ApiError("not_found", "There is nothing of this id.");
      const received = await exchange.receive();
      // Sessions end, and keys are revoked, while a body is on its way.
      return handle(received, received.inPieces ? await enter(received) : admitted, values);
    },
  };
}
