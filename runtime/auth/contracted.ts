import {
  type PathNames,
  pathNames,
  queryNames,
  type RouteContract,
  takesNeedlessBody,
  type Who,
} from "../contract/contract.ts";
import { traitsOf } from "../contract/traits.ts";
import { checkNeedlessBody } from "../http/body.ts";
import { type BodyOf, bodyReader, type ReadBody } from "../http/contract-body.ts";
import type { ContractedRoute } from "../http/contracted-routes.ts";
import { parameters } from "../http/parameters.ts";
import type { Caller, SessionCaller } from "../realm/caller.ts";
import type { Answer, Exchange, RealmInstance, Received, Route } from "../realm/exchange.ts";
import { profileJudge } from "./accounts/person.ts";
import { requireProof } from "./accounts/proof.ts";
import { requireSession } from "./accounts/route.ts";
import { type Administrator, admission } from "./administration/administrator.ts";
import { callerRoute } from "./realm.ts";

/** A request as its contract says: admitted, its query and ids judged, its body received. */
export interface Asked<C extends RouteContract> {
  readonly exchange: Received;
  readonly params: Readonly<Record<PathNames<C["path"]>, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** Reads the body; to be called once, before anything is changed. */
  readonly body: ReadBody<BodyOf<C>>;
}

/** What a route does for whom it admits. */
export type ContractHandler<C extends RouteContract, Admitted> = (
  asked: Asked<C>,
  admitted: Admitted,
) => Promise<Answer>;

type ForWhom<Kind extends Who["kind"]> = RouteContract & { readonly who: { readonly kind: Kind } };

/** For anyone: credentials are not looked at. */
export function openRoute<C extends ForWhom<"anyone">>(
  contract: C,
  make: (realm: RealmInstance) => (asked: Asked<C>) => Promise<Answer>,
): ContractedRoute {
  const query = queryNames(contract);
  return {
    contract,
    route: (realm) => {
      const [handle, ask] = [make(realm), asker(contract, realm)];
      return {
        class: "private",
        handle: async (exchange) => {
          const values = parameters(exchange.search, query);
          return handle(ask(await exchange.receive(), values));
        },
      };
    },
  };
}

/** For somebody in a session of their own: 401 without a credential, 403 for an API key, and as asked for 401 `reauth_required`. */
export function sessionRoute<C extends ForWhom<"session">>(
  contract: C,
  make: (realm: RealmInstance) => ContractHandler<C, SessionCaller>,
): ContractedRoute {
  const proved = provedFirst<C, SessionCaller>(contract, make, (caller) => caller);
  return admittedRoute(contract, proved, () => requireSession);
}

/**
 * For who administers (spec: Authentication 10; api-decisions: Administrator routes): 401 without a credential, 403 without
 * the area or from a network that administration is not allowed from, 401 `reauth_required` for a session whose
 * administration is over; at last, where it asks for one, sessions without a fresh proof of identity.
 */
export function administratorRoute<C extends ForWhom<"administrator">>(
  contract: C,
  make: (realm: RealmInstance) => ContractHandler<C, Administrator>,
): ContractedRoute {
  const proved = provedFirst<C, Administrator>(contract, make, ({ caller }) =>
    caller.kind === "user" ? caller : undefined,
  );
  return admittedRoute(contract, proved, (realm) => {
    const admit = admission(realm);
    return (caller, exchange) => admit(caller, exchange, contract.who);
  });
}

/**
 * Where the contract asks for a fresh proof of identity, it is asked for before anything is done.
 * @param who of those admitted has to bring one; undefined: nobody, as of API keys
 */
function provedFirst<C extends ForWhom<"session" | "administrator">, Admitted>(
  contract: C,
  make: (realm: RealmInstance) => ContractHandler<C, Admitted>,
  who: (admitted: Admitted) => SessionCaller | undefined,
): (realm: RealmInstance) => ContractHandler<C, Admitted> {
  if (contract.who.proof === undefined) return make;
  return (realm) => {
    const handle = make(realm);
    return async (asked, admitted) => {
      const caller = who(admitted);
      if (caller !== undefined) await requireProof(realm, asked.exchange, caller);
      return handle(asked, admitted);
    };
  };
}

/**
 * A route for some callers only.
 * @param admission answers whom it admits, or throws (or rejects)
 */
export function admittedRoute<C extends RouteContract, Admitted>(
  contract: C,
  make: (realm: RealmInstance) => ContractHandler<C, Admitted>,
  admission: (realm: RealmInstance) => (caller: Caller, exchange: Exchange) => Admitted | Promise<Admitted>,
): ContractedRoute {
  const query = queryNames(contract);
  return {
    contract,
    route: (realm): Route => {
      const [handle, ask] = [make(realm), asker(contract, realm)];
      return callerRoute(
        realm,
        admission(realm),
        async (received, admitted, values) => handle(ask(received, values), admitted),
        query,
      );
    },
  };
}

/** @returns what makes a request of what was received, or throws ApiError as for a needless body that is not well-formed */
function asker<C extends RouteContract>(
  contract: C,
  { definition }: RealmInstance,
): (exchange: Received, query: ReadonlyMap<string, string>) => Asked<C> {
  const { accounts } = definition;
  const read = bodyReader(contract, traitsOf(definition), accounts && profileJudge(accounts));
  const names = pathNames(contract.path);
  const needless = takesNeedlessBody(contract);
  return (exchange, query) => {
    const { params } = exchange;
    if (!hasAll<PathNames<C["path"]>>(params, names))
      throw new Error(`${contract.id} stands under another path`);
    if (needless) checkNeedlessBody(exchange);
    return { exchange, params, query, body: read(exchange) };
  };
}

function hasAll<Name extends string>(
  params: Exchange["params"],
  names: readonly string[],
): params is Readonly<Record<Name, string>> {
  return names.every((name) => params[name] !== undefined);
}
