import { ApiError } from "../errors.ts";
import { isId } from "../ids.ts";
import type { Along } from "../realm/along.ts";
import { anonymous, type Caller, type SessionCaller } from "../realm/caller.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import { DelegateAlong } from "./credentials/along.ts";
import { type Bearer, BearerReader } from "./credentials/bearer.ts";
import type { RecordCache } from "./credentials/cache.ts";
import { cookieName, readCookie, requireOrigin } from "./credentials/cookie.ts";
import { realmCredentials } from "./credentials/ending.ts";
import { KeyResolver } from "./credentials/keys.ts";
import { type LiveUser, liveUsers } from "./credentials/live.ts";
import { delegateOf } from "./credentials/live-keys.ts";
import { SessionResolver } from "./credentials/sessions.ts";
import { tokenHash, tokenKind } from "./credentials/tokens.ts";

type Realm = Pick<RealmInstance, "definition" | "store" | "clock" | "background" | "log">;

/** The error of a missing, unknown, expired or revoked credential (spec: Authentication 4). */
export function unauthenticated(message = "This needs a valid session token or API key."): ApiError {
  return new ApiError("unauthenticated", message);
}

/**
 * Who sends requests to a realm (spec: Authentication 1-6). The header beats the cookie; a stale cookie counts as none.
 * What is kept between requests is dropped with the first change in the store, so that an ended session, a disabled user,
 * a changed role or a revoked key counts at the very next request. Where nothing changed, the same credential is answered
 * with the very same caller, at once; on a shared store, after one command.
 */
export function authenticator(
  realm: Realm,
): Pick<RealmInstance, "authenticate" | "administers" | "credentials"> {
  const { accounts, name, origins } = realm.definition;
  const bearers = new BearerReader(realm.clock);
  const users = accounts === undefined ? undefined : liveUsers(realm, accounts);
  const keys = new KeyResolver(realm, users);
  const sessions =
    accounts === undefined || users === undefined ? undefined : new SessionResolver(realm, accounts, users);
  const cookie = accounts?.cookie === undefined ? undefined : cookieName(name);

  function identify(exchange: Exchange, along: Along | undefined): Caller | Promise<Caller> {
    const { authorization } = exchange.headers;
    if (authorization !== undefined) return known(ofBearer(bearers.read(authorization), exchange, along));
    const token = cookie === undefined ? undefined : readCookie(exchange.headers.cookie, cookie);
    if (token === undefined || tokenKind(token) !== "svs") return anonymous;
    const caller = sessions?.resolve(tokenHash(token), true, along);
    return caller instanceof Promise
      ? caller.then((loaded) => ofCookie(loaded, exchange))
      : ofCookie(caller, exchange);
  }

  function ofBearer(bearer: Bearer | undefined, exchange: Exchange, along: Along | undefined) {
    if (bearer?.kind === "svs") return sessions?.resolve(bearer.hash, false, along);
    return bearer?.kind === "svk" ? keys.resolve(bearer.hash, exchange, along) : undefined;
  }

  function ofCookie(caller: SessionCaller | undefined, exchange: Exchange): Caller {
    if (caller === undefined) return anonymous;
    if (exchange.method !== "GET" && exchange.method !== "HEAD") requireOrigin(exchange, origins);
    return caller;
  }

  return {
    authenticate(exchange, along) {
      const behalf = exchange.headers["x-svc-on-behalf-of"];
      const caller =
        behalf === undefined
          ? alone(identify(exchange, along))
          : actingFor((delegate) => identify(exchange, delegate), behalf, users, along);
      const note = (noted: Caller) => {
        exchange.caller = noted;
        return noted;
      };
      return caller instanceof Promise ? caller.then(note) : note(caller);
    },
    administers: (caller) => sessions?.administers(caller),
    credentials: realmCredentials(realm, sessions),
  };
}

/** @throws ApiError `unauthenticated` where there is nobody, also by rejecting */
function known(caller: Caller | undefined | Promise<Caller | undefined>): Caller | Promise<Caller> {
  if (caller instanceof Promise) return caller.then(somebody);
  return somebody(caller);
}

function somebody(caller: Caller | undefined): Caller {
  if (caller === undefined) throw unauthenticated();
  return caller;
}

/** @throws ApiError `forbidden` for a key that may only act for users, also by rejecting */
function alone(caller: Caller | Promise<Caller>): Caller | Promise<Caller> {
  if (caller instanceof Promise) return caller.then(alone);
  if (caller.kind === "key" && caller.delegates === "required") {
    throw new ApiError("forbidden", "This API key acts for users alone, named by X-Svc-On-Behalf-Of.");
  }
  return caller;
}

/**
 * The user whom `X-Svc-On-Behalf-Of` names, for an API key that may act for users (spec: Authentication 5). What is wrong
 * with the credential itself is said before.
 * @throws ApiError `invalid_header` | `forbidden`
 */
async function actingFor(
  identified: (along: Along | undefined) => Caller | Promise<Caller>,
  behalf: string | readonly string[],
  users: RecordCache<LiveUser> | undefined,
  along: Along | undefined,
): Promise<Caller> {
  // Sent twice it is a list.
  const id = typeof behalf === "string" && isId(behalf) ? behalf : undefined;
  const delegate = id === undefined || users === undefined ? undefined : new DelegateAlong(id, users, along);
  const caller = await identified(delegate);
  if (caller.kind !== "key" || !caller.delegates || users === undefined)
    throw invalidDelegation("not allowed");
  if (id === undefined) throw invalidDelegation("must be the id of one user");
  const user = delegate?.user ?? users.peek(id) ?? (await users.load(id));
  if (user === undefined) throw invalidDelegation("names no user of this realm");
  if (user.disabled) throw new ApiError("forbidden", "The user to act for is disabled.");
  return delegateOf(caller, user);
}

function invalidDelegation(reason: string): ApiError {
  return new ApiError("invalid_header", "This credential may not act on behalf of this user.", {
    details: [{ path: "X-Svc-On-Behalf-Of", reason }],
  });
}
