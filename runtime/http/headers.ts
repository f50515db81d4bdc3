import type { RouteClass } from "../realm/exchange.ts";

/** The headers that answers and errors of a route carry unless an answer brings its own. */
export interface RouteHeaders {
  /** Absent outside `/v1/`. */
  readonly vary?: string;
  readonly cacheControl: string;
}

/** Health, metrics, and unknown paths outside `/v1/`. */
export const outside: RouteHeaders = { cacheControl: "no-store" };

/** Spec: Common request rules 5. `cookies`: the realm takes session cookies. */
export function routeHeaders(kind: RouteClass, cookies: boolean): RouteHeaders {
  switch (kind) {
    case "document":
      return {
        vary: cookies ? "Origin, Authorization, Cookie" : "Origin, Authorization",
        cacheControl: "private, no-cache",
      };
    case "private":
      return { vary: "Origin", cacheControl: "no-store" };
    case "description":
      return { vary: "Origin", cacheControl: "no-cache" };
  }
}

/** The class of a path under `/v1/` that has no route (or none yet), judged by its segments (the empty one first). */
export function classOfPath(segments: readonly (string | undefined)[]): RouteClass {
  const [, , , third = "", fourth = ""] = segments;
  if (third === "_openapi.json" || third === "_docs") return "description";
  return third === "_auth" || third === "_admin" || fourth === "_func" || fourth === "_jobs"
    ? "private"
    : "document";
}
