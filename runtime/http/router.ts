import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError, nothingHere } from "../errors.ts";
import type { Exchange, Handler, PathManners } from "../realm/exchange.ts";
import { type Cors, preflight } from "./cors.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Endpoint } from "./endpoint.ts";
import { classOfPath, outside, routeHeaders } from "./headers.ts";
import { segmentsOf } from "./paths.ts";
import type { Registered, Registry } from "./registry.ts";

type Segments = ReturnType<typeof segmentsOf>;

/**
 * Brings each request to the endpoint of its path and method. What has none is answered, too: OPTIONS and unsupported
 * methods of known paths (405), 404 for all others, malformed percent-encoding among them; some of those say why.
 *
 * @param realms of each realm by name
 */
export function requestRouter(
  dispatcher: Dispatcher,
  { paths, absent }: Registry,
  realms: ReadonlyMap<string, Cors>,
): (raw: IncomingMessage, response: ServerResponse) => void {
  return (raw, response) => {
    const segments = segmentsOf(raw.url ?? "");
    const methods = paths.get(segments);
    if (raw.headers[overriding] !== undefined) override(raw, methods);
    const told = methods === undefined && raw.method !== "OPTIONS" ? absent.get(segments) : undefined;
    const registered = methods?.get(raw.method ?? "") ?? told;
    if (registered === undefined) {
      dispatcher.dispatch(unmatched(raw, segments, methods), raw, response, {});
    } else {
      dispatcher.dispatch(registered.endpoint, raw, response, valuesOf(registered, segments));
    }
  };

  function unmatched(
    raw: IncomingMessage,
    segments: Segments,
    methods: ReadonlyMap<string, Registered> | undefined,
  ): Endpoint {
    const manners = mannersOf(methods);
    const inRealm = segments[1] === "v1";
    const cors = inRealm ? realms.get(segments[2] ?? "") : undefined;
    return {
      pattern: "unmatched",
      handle: handlerFor(raw, methods, manners, cors),
      headers: inRealm ? routeHeaders(classOfPath(segments), cors?.credentials ?? false) : outside,
      manners,
      cors,
      readsBody: false,
    };
  }
}

const overriding = "x-http-method-override";

/**
 * Where the path takes it, the request is from here on what the header names, to all who judge it. What it can become is
 * judged at least as strictly as a POST, and answered with a body like one: never GET nor HEAD.
 */
function override(raw: IncomingMessage, methods: ReadonlyMap<string, Registered> | undefined): void {
  if (raw.method !== "POST" || mannersOf(methods)?.overrides !== true) return;
  const named = raw.headers[overriding];
  raw.method = named === "POST" || named === "PATCH" || named === "DELETE" ? named : "Another method";
}

/** Those of a path are those of its methods. */
function mannersOf(methods: ReadonlyMap<string, Registered> | undefined): PathManners | undefined {
  for (const { endpoint } of methods?.values() ?? [])
    if (endpoint.manners !== undefined) return endpoint.manners;
  return undefined;
}

function valuesOf({ parameters }: Registered, segments: Segments): Exchange["params"] {
  const values: Record<string, string | undefined> = {};
  for (const [name, at] of parameters) values[name] = segments[at];
  return values;
}

function handlerFor(
  raw: IncomingMessage,
  methods: ReadonlyMap<string, Registered> | undefined,
  manners: PathManners | undefined,
  cors: Cors | undefined,
): Handler {
  if (methods === undefined) return notFound;
  const allow = [...methods.keys(), "OPTIONS"].join(", ");
  if (raw.method !== "OPTIONS") return () => methodNotAllowed(raw.method ?? "", allow);
  const { origin } = raw.headers;
  const listed = origin !== undefined && cors?.origins.has(origin) === true;
  const told = { ...manners?.options, ...(listed && preflight(manners?.sent)), allow };
  return () => ({ status: 204, headers: told });
}

function notFound(): never {
  throw nothingHere();
}

function methodNotAllowed(method: string, allow: string): never {
  throw new ApiError("method_not_allowed", `${method} is not supported here.`, { headers: { allow } });
}
