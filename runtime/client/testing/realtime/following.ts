import { type ClientOptions, Connection } from "../../connection.ts";
import { type FollowedShape, type Following, following } from "../../following.ts";
import type { Condition, DocumentFields, TextCondition } from "../../queries.ts";
import { Streams } from "../../streams.ts";
import { FakeClock } from "./fake-clock.ts";
import { type Order, ScriptedServer } from "./scripted-server.ts";

export interface OrderShape extends FollowedShape {
  document: Order;
  fields: OrderFields;
  orders: "id" | "rank" | "name" | "status";
}

interface OrderFields extends DocumentFields {
  status: TextCondition<"open" | "done">;
  rank: Condition<number | null>;
}

export interface Followed {
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly orders: Following<OrderShape>;
  readonly connection: Connection;
}

/** A client of a scripted server, whose time stands still. */
export function followed(options: Partial<ClientOptions> = {}): Followed {
  const server = new ScriptedServer();
  const clock = new FakeClock();
  const all = {
    baseUrl: "https://api.example.com",
    token: "svs_1",
    retries: 0,
    fetch: server.fetch,
    clock,
    ...options,
  };
  const connection = new Connection("shop", true, all);
  const streams = new Streams({ connection, base: "" }, all);
  const orders = following<OrderShape>(streams, "sales", "orders", { rank: "number" });
  return { server, clock, orders, connection };
}
