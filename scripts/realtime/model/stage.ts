/** The realm `live`, served by one instance or, where the store can be shared, by two. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../../runtime/clock.ts";
import { type Every, every } from "../../../runtime/every.ts";
import { type Started, startRealm, testSettings } from "../../../runtime/instance/testing/servers.ts";
import type { RealmModule } from "../../../runtime/realm/exchange.ts";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { isEmbedded, testPlace } from "../../../runtime/store/testing/stores.ts";
import { compileRealm } from "../../compiled.ts";
import type { Random } from "../../organizations/model/prng.ts";
import { withWorkspace } from "../../workspace.ts";
import type { Headers } from "../wire/requests.ts";
import { Credentials, newProof, settleIn } from "./people.ts";
import type { Place } from "./subscriber.ts";
import type { Access } from "./world.ts";

const config = fileURLToPath(new URL("../config", import.meta.url));

/** Compiled with critics who read all posts, and without. */
export interface Variants {
  readonly plain: RealmModule;
  readonly critical: RealmModule;
}

export async function compileVariants(): Promise<Variants> {
  const plain = await compileRealm(config, "live");
  return withWorkspace(async (folder) => ({
    plain,
    critical: await compileRealm(criticalIn(folder), "live"),
  }));
}

function criticalIn(folder: string): string {
  const changed = join(folder, "config");
  mkdirSync(changed);
  cpSync(config, changed, { recursive: true });
  const path = join(changed, "live/main/posts/collection.yaml");
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.replace("hasRole('editor')\n", "hasRole('editor', 'critic')\n"));
  return changed;
}

/** Times that something is repeated, at most, when time is moved: more than a stream takes to read its access anew. */
const mostRepeated = 400;

/** Goes on by itself and, when it is told to, faster: what is repeated is repeated then. */
export class MovableClock implements Clock {
  #ahead = 0;
  readonly #repeated = new Map<() => void, number>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  readonly every: Every = (milliseconds, work) => {
    const stop = every(milliseconds, work);
    this.#repeated.set(work, milliseconds);
    return () => {
      this.#repeated.delete(work);
      stop();
    };
  };

  advance(milliseconds: number): void {
    this.#ahead += milliseconds;
    for (const [work, period] of [...this.#repeated]) {
      const times = Math.min(mostRepeated, Math.ceil(milliseconds / period));
      for (let n = 0; n < times; n += 1) work();
    }
  }
}

/** Where a run takes place. */
export interface Stage extends Place {
  readonly clock: Clock & { advance(milliseconds: number): void };
  readonly credentials: Credentials;
  /** Access as it is at the beginning. */
  readonly access: Access;
  /** More than one instance answers. */
  readonly isShared: boolean;
  /** Of an instance that runs, to put something into past its routes. */
  store(): Store;
  /** Whoever manages organizations, with a fresh proof of identity. */
  proof(): Promise<Headers>;
  /** Ends all instances and starts others, of one or the other configuration. */
  restart(critical: boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function setStage({ plain, critical }: Variants, random: Random): Promise<Stage> {
  const place = testPlace();
  const clock = new MovableClock();
  const credentials = new Credentials();
  let running: readonly Started[] = [];
  const start = async (module: RealmModule) => {
    running = [];
    // One makes the collections before others come.
    for (let n = 0; n < (isEmbedded ? 1 : 2); n += 1) {
      const settings = { store: place.location, realtime };
      running = [...running, await startRealm(module, { clock, repeat: clock.every, settings })];
    }
  };
  const store = () => {
    const [first] = running;
    if (first === undefined) throw new Error("nothing runs");
    return first.store("live");
  };
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  await start(plain);
  return {
    clock,
    credentials,
    access: await settleIn(store(), clock, credentials),
    isShared: !isEmbedded,
    store,
    url: () => `${random.pick(running).url}/v1/live`,
    headersOf: (caller, credential) => credentials.headersOf(caller, credential),
    proof: () => newProof(store(), clock, credentials),
    async restart(withCritics) {
      await stop();
      await start(withCritics ? critical : plain);
    },
    async stop() {
      await stop();
      await place.discard();
    },
  };
}

/** Streams are opened as fast as a run wants; their buffers are small. */
const realtime = {
  ...testSettings.realtime,
  limits: {
    ...testSettings.realtime.limits,
    maxStreamsPerCaller: 100,
    streamsPerSecond: 1_000,
    bufferBytes: 64 * 1024,
    bufferEvents: 200,
  },
};
