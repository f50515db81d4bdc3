import type { OutgoingHttpHeaders } from "node:http";
import type { RealmDefinition } from "../realm/definition.ts";

/** A realm's `cors.origins`. */
export interface Cors {
  readonly origins: ReadonlySet<string>;
  /** Browsers may send the session cookie. */
  readonly credentials: boolean;
}

const exposed =
  "ETag, Location, X-Request-ID, Retry-After, Idempotent-Replayed, X-Svc-Expand-Queries, X-Svc-Expand-Docs";
const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";
const requestHeaders =
  "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-ID, X-Svc-On-Behalf-Of, X-Svc-Reauth";

export function corsOf(definition: RealmDefinition): Cors {
  return { origins: new Set(definition.origins), credentials: definition.accounts?.cookie !== undefined };
}

/** Adds what lets a listed origin read the answer; nothing for any other. @param read headers beside the usual ones */
export function allowOrigin(
  headers: OutgoingHttpHeaders,
  cors: Cors,
  origin: string,
  read: string | undefined,
): void {
  if (!cors.origins.has(origin)) return;
  headers["access-control-allow-origin"] = origin;
  headers["access-control-expose-headers"] = read === undefined ? exposed : `${exposed}, ${read}`;
  if (cors.credentials) headers["access-control-allow-credentials"] = "true";
}

/** What a preflight of a listed origin learns beside `allowOrigin`. @param sent headers beside the usual ones */
export function preflight(sent: string | undefined): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": sent === undefined ? requestHeaders : `${requestHeaders}, ${sent}`,
    "access-control-max-age": "600",
  };
}
