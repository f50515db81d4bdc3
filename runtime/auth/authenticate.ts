import { ApiError } from "../errors.ts";
import { contains, type Network, parseNetwork } from "../http/address.ts";
import { anonymous, type Caller, type KeyCaller } from "../realm/caller.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import { collections } from "./collections.ts";
import { RecordCache } from "./credentials/cache.ts";
import { cookieName, readCookie, requireOrigin } from "./credentials/cookie.ts";
import { SessionResolver } from "./credentials/sessions.ts";
import { tokenHash, tokenKind } from "./credentials/tokens.ts";
import { readKey } from "./records.ts";

type Realm = Omit<RealmInstance, "authenticate">;

/** The error of a missing, unknown, expired or revoked credential (spec: Authentication 4). */
export function unauthenticated(message = "This needs a valid session token or API key."): ApiError {
  return new ApiError("unauthenticated", message);
}

/**
 * Who sends a request, in a realm with accounts (spec: Authentication 1-6). The header beats the cookie; a stale cookie
 * counts as none. What is kept between requests is dropped with the first change in the store, so that an ended session,
 * a disabled user, a changed role or a replaced key counts at the very next request.
 *
 * The function throws ApiError `unauthenticated` for another scheme and for an unknown, expired or ended credential;
 * `forbidden` for a key outside its networks and for a write that rests on a cookie alone and comes from no listed
 * origin; `invalid_header` for `X-Svc-On-Behalf-Of`, which no key may send yet.
 */
export function authenticator(realm: Realm): (exchange: Exchange) => Promise<Caller> {
  const { accounts, name, origins } = realm.definition;
  if (accounts === undefined) throw new Error(`realm ${name} has no accounts`);
  const resolveKey = keyResolver(realm);
  const sessions = new SessionResolver(realm, accounts);
  const cookie = accounts.cookie === undefined ? undefined : cookieName(name);

  const identify = async (exchange: Exchange): Promise<Caller> => {
    const { authorization } = exchange.headers;
    if (authorization !== undefined) {
      const token = bearer(authorization);
      const kind = tokenKind(token);
      const caller =
        kind === "svk"
          ? await resolveKey(token, exchange.address)
          : kind === "svs"
            ? await sessions.resolve(tokenHash(token), false)
            : undefined;
      if (caller === undefined) throw unauthenticated();
      return caller;
    }
    const token = cookie === undefined ? undefined : readCookie(exchange.headers.cookie, cookie);
    if (token === undefined || tokenKind(token) !== "svs") return anonymous;
    const caller = await sessions.resolve(tokenHash(token), true);
    if (caller === undefined) return anonymous;
    if (exchange.method !== "GET" && exchange.method !== "HEAD") requireOrigin(exchange, origins);
    return caller;
  };

  return (exchange) =>
    exchange.headers["x-svc-on-behalf-of"] === undefined
      ? identify(exchange)
      : refuseDelegation(identify(exchange));
}

/** What is wrong with the credential itself is said first. */
async function refuseDelegation(identified: Promise<Caller>): Promise<never> {
  await identified;
  throw new ApiError("invalid_header", "This credential may not act on behalf of a user.", {
    details: [{ path: "X-Svc-On-Behalf-Of", reason: "not allowed" }],
  });
}

/** The token of `Bearer <token>`; the empty string for any other scheme. */
function bearer(authorization: string): string {
  if (authorization.slice(0, 7).toLowerCase() !== "bearer ") return "";
  return authorization.slice(7).trim();
}

interface LiveKey {
  readonly caller: KeyCaller;
  /** Undefined: from everywhere. */
  readonly networks: readonly Network[] | undefined;
  /** Epoch milliseconds. */
  readonly expires: number;
}

function keyResolver({
  store,
  clock,
}: Realm): (token: string, address: string) => Promise<KeyCaller | undefined> {
  const keys = new RecordCache<LiveKey>(store, collections.keys, (document) => {
    const { key, name, scopes, admin, networks, expires_at } = readKey(document).record;
    return {
      caller: { kind: "key", actor: `key:${name}`, keyId: key, scopes: scopes ?? undefined, admin },
      networks: networks?.map(parseNetwork).filter((network) => network !== undefined),
      expires: expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at),
    };
  });
  return async (token, address) => {
    const id = tokenHash(token);
    const key = keys.peek(id) ?? (await keys.load(id));
    if (key === undefined || key.expires <= clock.now()) return undefined;
    if (key.networks !== undefined && !contains(key.networks, address)) {
      throw new ApiError("forbidden", "This API key may not be used from this network.");
    }
    return key.caller;
  };
}
