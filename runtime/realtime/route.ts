import { queryNames } from "../contract/contract.ts";
import { openRealtimeStream } from "../contract/realtime.ts";
import { traitsOf } from "../contract/traits.ts";
import { gate } from "../documents/entrance.ts";
import { ApiError } from "../errors.ts";
import { bodyReader } from "../http/contract-body.ts";
import { routeTable } from "../http/contracted-routes.ts";
import { parameters } from "../http/parameters.ts";
import { events } from "../http/streams/events.ts";
import type { Exchange, RealmInstance, Route, RouteTable } from "../realm/exchange.ts";
import { callerOf } from "./caller.ts";
import { Realtime } from "./realtime.ts";
import { readSubscriptions } from "./request.ts";
import { catalogueOf, resolve } from "./subscription.ts";
import type { Resumption, Tokens } from "./tokens.ts";

/** `POST /v1/{realm}/_realtime` (spec: Realtime stream): checks in the order of realtime.md, Opening a stream. */
export function realtimeRoutes(realm: string): RouteTable {
  return routeTable(realm, [{ contract: openRealtimeStream, route: openStream }]);
}

function openStream(realm: RealmInstance): Route {
  const realtime = new Realtime(realm);
  const catalogue = catalogueOf(realm.definition.collections);
  const traits = traitsOf(realm.definition);
  const { enter, receive } = gate(openRealtimeStream, realtime.entrance);
  const read = bodyReader(openRealtimeStream, traits);
  const names = queryNames(openRealtimeStream, traits);
  const { limits } = realm.realtime;
  return {
    class: realtime.entrance.class,
    async handle(exchange) {
      realtime.requireService();
      const { received, access } = await receive(await enter(exchange), exchange);
      const subscriptions = resolve(catalogue, access, readSubscriptions(read(received), limits));
      const resumption = resumptionOf(realtime.tokens, names, exchange, callerOf(access));
      return events(() => realtime.begin({ exchange, access, subscriptions, resumption }));
    },
  };
}

/**
 * Where the stream goes on; the parameter wins over the header.
 * @throws ApiError `invalid_query` for another parameter | `invalid_resume_token`
 */
function resumptionOf(
  tokens: Tokens,
  names: readonly string[],
  { search, headers }: Exchange,
  caller: string,
): Resumption | undefined {
  const query = parameters(search, names, undefined, names);
  const header = headers["last-event-id"];
  // Clients that have no id yet may send an empty header.
  const token = query.get("resume_from") ?? (header === "" ? undefined : header);
  if (token === undefined) return undefined;
  const resumption = typeof token === "string" ? tokens.read(token, caller) : undefined;
  if (resumption !== undefined) return resumption;
  throw new ApiError("invalid_resume_token", "The resume token is not one of this realm and caller.");
}
