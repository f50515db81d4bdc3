/** The realm `fort` on a server, with a user in session and an operator, for attacks on what a compiled realm offers. */
import { createKey } from "../../runtime/auth/command-keys.ts";
import {
  type HeldClock,
  type Started,
  type StartOptions,
  startRealm,
} from "../../runtime/instance/testing/servers.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { insertSession } from "../people.ts";
import { populate } from "./callers.ts";
import { type Received, type Sent, send } from "./send.ts";

export interface Fort extends Started<HeldClock> {
  /** A full administrator's API key, which may do everything with documents too. */
  readonly operator: string;
  /** Sessions by user: `maker`, `stranger`, and one for each role. */
  session(user: string): Promise<string>;
  /** To a path below the realm. */
  send(method: string, path: string, sent?: Sent): Promise<Received>;
}

export async function startFort(
  module: RealmModule,
  options: Omit<StartOptions, "clock"> = {},
): Promise<Fort> {
  const { definition } = module;
  const server = await startRealm(module, options);
  await populate(server, definition);
  const store = server.store(definition.name);
  const operator = await createKey(store, server.clock, { name: "operator", admin: true, onBehalfOf: true });
  let serial = 0;
  return {
    ...server,
    operator,
    session(user) {
      serial += 1;
      return insertSession(store, server.clock, user, `session-${serial}`);
    },
    send: (method, path, sent) => send(method, `${server.url}/v1/${definition.name}${path}`, sent),
  };
}
