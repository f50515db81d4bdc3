import { receiveFrom } from "../documents/entrance.ts";
import { ApiError } from "../errors.ts";
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
  return { [`/v1/${realm}/_realtime`]: { POST: openStream } };
}

function openStream(realm: RealmInstance): Route {
  const realtime = new Realtime(realm);
  const catalogue = catalogueOf(realm.definition.collections);
  const { limits } = realm.realtime;
  return {
    class: realtime.entrance.class,
    async handle(exchange) {
      realtime.requireService();
      const asked = await realtime.entrance.reader(exchange);
      const { received, access } = await receiveFrom(realtime.entrance, asked, exchange);
      const subscriptions = resolve(catalogue, access, readSubscriptions(received, limits));
      const resumption = resumptionOf(realtime.tokens, exchange, callerOf(access));
      return events(() => realtime.begin({ exchange, access, subscriptions, resumption }));
    },
  };
}

/**
 * Where the stream goes on; the parameter wins over the header.
 * @throws ApiError `invalid_query` for another parameter | `invalid_resume_token`
 */
function resumptionOf(tokens: Tokens, { search, headers }: Exchange, caller: string): Resumption | undefined {
  const query = parameters(search, ["resume_from"], undefined, ["resume_from"]);
  const header = headers["last-event-id"];
  // Clients that have no id yet may send an empty header.
  const token = query.get("resume_from") ?? (header === "" ? undefined : header);
  if (token === undefined) return undefined;
  const resumption = typeof token === "string" ? tokens.read(token, caller) : undefined;
  if (resumption !== undefined) return resumption;
  throw new ApiError("invalid_resume_token", "The resume token is not one of this realm and caller.");
}
