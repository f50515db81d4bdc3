import { ApiError } from "../../errors.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import type { Exchange } from "../../realm/exchange.ts";

export type CookieSettings = NonNullable<AccountSettings["cookie"]>;

export function cookieName(realm: string): string {
  return `svc_session_${realm}`;
}

/** The value of the first cookie of this name in a `Cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined;
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at >= 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** A `Set-Cookie` that hands a session to the browser, out of reach of scripts. `lifetime` in milliseconds. */
export function sessionCookie(
  realm: string,
  settings: CookieSettings,
  token: string,
  lifetime: number,
): string {
  const sameSite = { strict: "Strict", lax: "Lax", none: "None" }[settings.sameSite];
  return `${cookieName(realm)}=${token}; Path=/v1/${realm}; Max-Age=${Math.floor(lifetime / 1000)}; HttpOnly; Secure; SameSite=${sameSite}`;
}

/** A `Set-Cookie` that takes the session's cookie back. */
export function endedCookie(realm: string, settings: CookieSettings): string {
  return sessionCookie(realm, settings, "", 0);
}

/**
 * Cookies are sent by the browser whichever page asks, so what rests on one alone must come from a listed origin
 * (spec: Authentication 6).
 * @throws ApiError `forbidden`
 */
export function requireOrigin(exchange: Exchange, origins: readonly string[]): void {
  const { origin } = exchange.headers;
  if (origin === undefined || !origins.includes(origin)) {
    throw new ApiError(
      "forbidden",
      "A request that relies on a session cookie needs an Origin listed in cors.origins.",
    );
  }
}
