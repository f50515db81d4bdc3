import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../errors.ts";
import type { Handler } from "../realm/exchange.ts";
import { type Cors, preflight } from "./cors.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Endpoint } from "./endpoint.ts";
import { classOfPath, outside, routeHeaders } from "./headers.ts";
import { type PathTable, segmentsOf } from "./paths.ts";

/**
 * Answers what no route matches: OPTIONS and unsupported methods (405) of known paths, 404 for all others, malformed
 * percent-encoding among them.
 *
 * @param paths the methods of each known path
 * @param realms of each realm by name
 */
export function routeFallback(
  dispatcher: Dispatcher,
  paths: PathTable<ReadonlySet<string>>,
  realms: ReadonlyMap<string, Cors>,
): (raw: IncomingMessage, response: ServerResponse) => void {
  return (raw, response) => {
    const segments = segmentsOf(raw.url ?? "");
    const cors = segments[1] === "v1" ? realms.get(segments[2] ?? "") : undefined;
    const methods = paths.get(segments);
    const endpoint: Endpoint = {
      pattern: "unmatched",
      handle: handlerFor(raw, methods, cors),
      headers:
        segments[1] === "v1" ? routeHeaders(classOfPath(segments), cors?.credentials ?? false) : outside,
      cors,
      readsBody: false,
    };
    dispatcher.dispatch(endpoint, raw, response, {});
  };
}

function handlerFor(
  raw: IncomingMessage,
  methods: ReadonlySet<string> | undefined,
  cors: Cors | undefined,
): Handler {
  if (methods === undefined) return notFound;
  const allow = allowOf(methods);
  if (raw.method !== "OPTIONS") return () => methodNotAllowed(raw.method ?? "", allow);
  const { origin } = raw.headers;
  const listed = origin !== undefined && cors?.origins.has(origin) === true;
  return () => ({ status: 204, headers: listed ? { ...preflight, allow } : { allow } });
}

function notFound(): never {
  throw new ApiError("not_found", "There is nothing at this address.");
}

/** The value of `Allow`. */
export function allowOf(methods: Iterable<string>): string {
  return [...methods, "OPTIONS"].join(", ");
}

/** @param allow see `allowOf` */
export function methodNotAllowed(method: string, allow: string): never {
  throw new ApiError("method_not_allowed", `${method} is not supported here.`, { headers: { allow } });
}
