import type { Open } from "../../documents/entrance.ts";
import { documentRoutes } from "../../documents/routes/table.ts";
import { ApiError } from "../../errors.ts";
import { PathTable, parametersOf, segmentsOf } from "../../http/paths.ts";
import type { Answer, Handler, RealmInstance, RequestBody } from "../../realm/exchange.ts";
import type { HostReply } from "../invocation.ts";
import { type DocumentRequest, HostExchange, type RunIdentity } from "./exchange.ts";

interface Endpoint {
  readonly handle: Handler;
  readonly parameters: ReturnType<typeof parametersOf>;
}

/** The routes of a realm's documents as handlers ask them, on one way: made when the realm starts. */
export class DocumentDoor {
  readonly #paths = new PathTable<Map<string, Endpoint>>();
  readonly #bodyBytes: number;

  /** @param bodyBytes that a request may have, as those of clients */
  constructor(realm: RealmInstance, open: Open, bodyBytes: number) {
    this.#bodyBytes = bodyBytes;
    for (const [pattern, methods] of Object.entries(documentRoutes("", realm.definition.collections, open))) {
      const endpoints = this.#paths.at(pattern, () => new Map<string, Endpoint>());
      const parameters = parametersOf(pattern);
      for (const [method, factory] of Object.entries(methods)) {
        const route = factory(realm);
        if (route.body === "stream") throw new Error(`${pattern} streams`);
        endpoints.set(method, { handle: route.handle, parameters });
      }
    }
  }

  /** @throws (rejects with) whatever the route does */
  async answer(identity: RunIdentity, request: DocumentRequest): Promise<HostReply> {
    const segments = segmentsOf(`/${request.path}`);
    const endpoints = this.#paths.get(segments);
    const endpoint = endpoints?.get(request.method);
    if (endpoint === undefined) throw noRoute(endpoints !== undefined);
    const params: Record<string, string | undefined> = {};
    for (const [name, at] of endpoint.parameters) params[name] = segments[at];
    const exchange = new HostExchange(identity, request, params, this.#bodyOf(request));
    return replyOf(await endpoint.handle(exchange));
  }

  #bodyOf({ body }: DocumentRequest): RequestBody {
    if (body === undefined) return "none";
    const bytes = Buffer.from(body);
    return bytes.length > this.#bodyBytes ? "too-large" : bytes;
  }
}

function noRoute(isKnown: boolean): ApiError {
  return isKnown
    ? new ApiError("method_not_allowed", "The method is not supported here.")
    : new ApiError("not_found", "There is nothing at this address.");
}

/** @throws Error for a stream, which no route of documents answers */
export function replyOf({ status, headers, body }: Answer): HostReply {
  if (typeof body === "object" && "kind" in body) throw new Error("an answer is a stream");
  return { status, headers, body: body?.toString() };
}
