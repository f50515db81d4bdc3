/** The realm `shared`, served by two instances on one store or, where that cannot be shared, by one that is both. */
import { fileURLToPath } from "node:url";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { InProcessRunner } from "../../runtime/functions/testing/runner.ts";
import {
  type HeldClock,
  heldClock,
  type Started,
  startRealm,
  testSettings,
} from "../../runtime/instance/testing/servers.ts";
import type { Store } from "../../runtime/store/contract/store.ts";
import { isEmbedded, testPlace } from "../../runtime/store/testing/stores.ts";
import { compileRealm } from "../compiled.ts";
import { type Answered, ask, closeIdle, type Headers } from "../realtime/wire/requests.ts";

/** One of the instances: the path is below `/v1/shared/`. */
export interface Instance {
  readonly url: string;
  send(method: string, path: string, sent?: Parameters<typeof ask>[2]): Promise<Answered>;
}

export interface Shared {
  readonly here: Instance;
  readonly there: Instance;
  /** Of both; moves only when told to, so that nothing that is kept grows old. */
  readonly clock: HeldClock;
  readonly store: Store;
  /** Of somebody who administers everything. */
  readonly boss: Headers;
  stop(): Promise<void>;
}

export async function startShared(): Promise<Shared> {
  const module = await compileRealm(fileURLToPath(new URL("config", import.meta.url)), "shared");
  const place = testPlace();
  const clock = heldClock();
  const servers: Started[] = [];
  const start = async () => {
    const runner = new InProcessRunner({
      "main/ask": ({ secrets }) => ({ kind: "call", output: JSON.stringify({ token: secrets["TOKEN"] }) }),
      "main/open": () => ({ kind: "call", output: "{}" }),
    });
    const server = await startRealm(module, {
      clock,
      runner,
      settings: { store: place.location, realtime },
    });
    servers.push(server);
    return server;
  };
  const one = await start();
  const other = isEmbedded ? one : await start();
  const store = one.store("shared");
  const instance = ({ url }: Started): Instance => ({
    url: `${url}/v1/shared`,
    send: (method, path, sent) => ask(method, `${url}/v1/shared/${path}`, sent),
  });
  const key = await createKey(store, clock, { name: "boss", admin: true });
  return {
    here: instance(one),
    there: instance(other),
    clock,
    store,
    boss: { authorization: `Bearer ${key}` },
    async stop() {
      closeIdle();
      await Promise.all(servers.map((server) => server.stop()));
      await place.discard();
    },
  };
}

/** One caller opens as many streams as they like, with the clock held. */
const realtime = {
  ...testSettings.realtime,
  limits: { ...testSettings.realtime.limits, maxStreamsPerCaller: 100, streamsPerSecond: 100 },
};
