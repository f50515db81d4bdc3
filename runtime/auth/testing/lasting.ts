import type { Caller } from "../../realm/caller.ts";
import type { EndReason } from "../../realm/credentials.ts";
import type { Exchange, RealmInstance, RouteTable } from "../../realm/exchange.ts";

/** A request that goes on after its answer, as that of a stream does. */
export interface Lasting {
  readonly caller: Caller;
  readonly expiry: number;
  /** Notes a use now. */
  used(): void;
  /** Who it is asked again, as a stream asks. */
  again(): Promise<Caller | "refused">;
  ended(): Promise<EndReason | undefined>;
}

/** Requests to `POST /v1/{realm}/lasting`, which go on. */
export function lastingRequests() {
  const kept: Lasting[] = [];
  const routes = (realm: string): RouteTable => ({
    [`/v1/${realm}/lasting`]: {
      POST: (instance) => ({
        class: "document",
        handle: async (exchange) => {
          kept.push(lasting(instance, exchange, await instance.authenticate(exchange)));
          return { status: 204 };
        },
      }),
    },
  });
  return { routes, kept };
}

function lasting({ credentials, authenticate }: RealmInstance, exchange: Exchange, caller: Caller): Lasting {
  return {
    caller,
    expiry: credentials.expiry(caller),
    used: () => credentials.used(caller),
    // The route's own way of throwing is to reject.
    again: async () => {
      try {
        return await authenticate(exchange);
      } catch {
        return "refused";
      }
    },
    ended: () => credentials.ended(caller, exchange),
  };
}
