import {
  type PathNames,
  pathNames,
  queryNames,
  type RouteContract,
  takesNeedlessBody,
  type Who,
} from "../contract/contract.ts";
import { traitsOf } from "../contract/traits.ts";
import { ApiError } from "../errors.ts";
import { checkNeedlessBody } from "../http/body.ts";
import { type BodyOf, bodyReader, type ReadBody } from "../http/contract-body.ts";
import type { ContractedRoute } from "../http/contracted-routes.ts";
import { parameters } from "../http/parameters.ts";
import { isId } from "../ids.ts";
import { type Caller, isBound, isSession, type SessionCaller } from "../realm/caller.ts";
import type { Answer, Exchange, RealmInstance, Received, Route } from "../realm/exchange.ts";
import { profileJudge } from "./accounts/person.ts";
import { requireProof } from "./accounts/proof.ts";
import { requireSession } from "./accounts/route.ts";
import { type Administrator, admission } from "./administration/administrator.ts";

/** A request as its contract says: admitted, its query and ids judged, its body received. */
export interface Asked<C extends RouteContract> {
  readonly exchange: Received;
  readonly params: Readonly<Record<PathNames<C["path"]>, string>>;
  readonly query: ReadonlyMap<string, string>;
  /** Reads the body; to be called once, before anything is changed. */
  readonly body: ReadBody<BodyOf<C>>;
}

/** What a handler answers: its contract says the status, and whether there is a body. */
export type Content<C extends RouteContract> = C["answers"][keyof C["answers"]] extends {
  readonly schema: unknown;
}
  ? object
  : unknown;

/** Content that comes with headers. */
export class Headed {
  readonly headers: NonNullable<Answer["headers"]>;
  readonly content: object | undefined;

  constructor(headers: NonNullable<Answer["headers"]>, content?: object) {
    this.headers = headers;
    this.content = content;
  }
}

/** What a route does for whom it admits. */
export type ContractHandler<C extends RouteContract, Admitted> = (
  asked: Asked<C>,
  admitted: Admitted,
) => Content<C> | Promise<Content<C>>;

type ForWhom<Kind extends Who["kind"]> = RouteContract & { readonly who: { readonly kind: Kind } };

/** For anyone: credentials are not looked at. */
export function openRoute<C extends ForWhom<"anyone">>(
  contract: C,
  make: (realm: RealmInstance) => (asked: Asked<C>) => Content<C> | Promise<Content<C>>,
): ContractedRoute {
  return {
    contract,
    route: (realm) => {
      const [handle, { judge, ask, answer }] = [make(realm), asker(contract, realm)];
      return {
        class: "private",
        handle: async (exchange) => {
          const query = judge(exchange);
          return answer(await handle(ask(await exchange.receive(), query)));
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
  const proved = provedFirst<C, Administrator>(contract, make, ({ caller }) => {
    // A token does nothing that its user's session has to prove itself for; operators' keys are nobody's.
    if (isBound(caller))
      throw new ApiError("forbidden", "This needs a session, and a fresh proof of identity.");
    return isSession(caller) ? caller : undefined;
  });
  return admittedRoute(contract, proved, (realm) => {
    const admit = admission(realm);
    return (caller, exchange) => admit(caller, exchange, contract.who);
  });
}

/**
 * Where the contract asks for a fresh proof of identity, it is asked for before anything is done.
 * @param who of those admitted has to bring one; undefined: nobody, as of operators' keys; throws for who cannot
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
  return {
    contract,
    route: (realm): Route => {
      const [handle, { judge, ask, answer }] = [make(realm), asker(contract, realm)];
      const admit = admission(realm);
      const enter = async (exchange: Exchange) => admit(await realm.authenticate(exchange), exchange);
      return {
        class: "private",
        handle: async (exchange) => {
          const admitted = await enter(exchange);
          const query = judge(exchange);
          const received = await exchange.receive();
          // Sessions end, and keys are revoked, while a body is on its way.
          const still = received.inPieces ? await enter(received) : admitted;
          return answer(await handle(ask(received, query), still));
        },
      };
    },
  };
}

/** Path parameters that are ids. */
const ids: readonly string[] = ["id", "org", "team", "user"];

/** What makes a request of an exchange, in two steps between which its body is received, and its answer. */
interface Asker<C extends RouteContract> {
  /** Answers the parameters in the query, or throws ApiError `invalid_query`, and `not_found` for what is no id. */
  readonly judge: (exchange: Exchange) => ReadonlyMap<string, string>;
  /** Throws ApiError for a needless body that is not well-formed. */
  readonly ask: (exchange: Received, query: ReadonlyMap<string, string>) => Asked<C>;
  readonly answer: (content: Content<C> | Headed) => Answer;
}

function asker<C extends RouteContract>(contract: C, { definition }: RealmInstance): Asker<C> {
  const { accounts } = definition;
  const traits = traitsOf(definition);
  const read = bodyReader(contract, traits, accounts && profileJudge(accounts));
  const inQuery = queryNames(contract, traits);
  const names = pathNames(contract.path);
  const idNames = names.filter((name) => ids.includes(name));
  const needless = takesNeedlessBody(contract);
  return {
    judge: ({ search, params }) => {
      const query = parameters(search, inQuery);
      if (idNames.some((name) => !isId(params[name] ?? "")))
        throw new ApiError("not_found", "There is nothing of this id.");
      return query;
    },
    ask: (exchange, query) => {
      const { params } = exchange;
      if (!hasAll<PathNames<C["path"]>>(params, names))
        throw new Error(`${contract.id} stands under another path`);
      if (needless) checkNeedlessBody(exchange);
      return { exchange, params, query, body: read(exchange) };
    },
    answer: answers(contract),
  };
}

/** @throws Error for a contract that answers in several ways */
function answers({ id, answers }: RouteContract): (given: unknown) => Answer {
  const [[status, { schema }] = ["", {}], ...others] = Object.entries(answers);
  if (others.length > 0) throw new Error(`${id} answers in several ways`);
  return (given) => {
    const { headers, content } = given instanceof Headed ? given : { content: given };
    return {
      status: Number(status),
      ...(headers !== undefined && { headers }),
      ...(schema !== undefined && { body: JSON.stringify(content) }),
    };
  };
}

function hasAll<Name extends string>(
  params: Exchange["params"],
  names: readonly string[],
): params is Readonly<Record<Name, string>> {
  return names.every((name) => params[name] !== undefined);
}
