import type { Clock } from "../clock.ts";
import { trustNobody } from "../http/address.ts";
import type { Log, Mailer, RealmModule } from "../realm/exchange.ts";
import type { Store } from "../store/contract.ts";
import { passingPlace } from "../store/testing.ts";
import { startInstance } from "./instance.ts";
import type { Every } from "./job.ts";
import type { Settings } from "./settings.ts";
import { startedRealms } from "./started.testing.ts";

/** A clock that moves only when told to. */
export interface HeldClock extends Clock {
  /** Moves it on by milliseconds. */
  advance(milliseconds: number): void;
  set(time: number): void;
}

export function heldClock(start = Date.UTC(2026, 0, 1)): HeldClock {
  let time = start;
  return {
    now: () => time,
    advance(milliseconds) {
      time += milliseconds;
    },
    set(to) {
      time = to;
    },
  };
}

export interface StartOptions {
  /** Default: held at 2026-01-01T00:00:00Z. */
  readonly clock?: Clock;
  readonly settings?: Partial<Settings>;
  /** Default: errors on the console, the rest nowhere. */
  readonly log?: Log;
  readonly fingerprint?: string;
  readonly repeat?: Every;
  /** Default: nowhere, or the server's own where the settings name a data folder. */
  readonly mail?: Mailer;
}

export interface Started<C extends Clock = Clock> {
  /** `http://127.0.0.1:<port>`, no slash at the end. */
  readonly url: string;
  store(realm: string): Store;
  readonly clock: C;
  stop(): Promise<void>;
}

/** Settings of a server on a port of its own, but for its store. */
export const testSettings: Omit<Settings, "store"> = {
  host: "127.0.0.1",
  port: 0,
  data: undefined,
  maxBodyBytes: 1024 * 1024,
  adminApi: true,
  queryTime: 5_000,
  searchTime: 5_000,
  expandLimits: { maxDepth: 2, maxPaths: 5, maxArray: 100, maxDocs: 2_000 },
  keys: [Buffer.alloc(32, 7)],
  addressOf: trustNobody,
  smtp: undefined,
  logLevel: "info",
  metrics: false,
};

const quiet: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields, message) => console.error(message, fields),
};

/**
 * Starts a server for tests: on a real socket of 127.0.0.1, provisioned and ready. Its stores are fresh ones of the
 * engine that the tests run on, gone when it stops, unless the settings name others.
 *
 * @example const server = await startRealm(helpdesk); await fetch(`${server.url}/v1/helpdesk/…`); await server.stop();
 */
export function startRealm(
  modules: RealmModule | readonly RealmModule[],
  options?: Omit<StartOptions, "clock">,
): Promise<Started<HeldClock>>;
export function startRealm<C extends Clock>(
  modules: RealmModule | readonly RealmModule[],
  options: StartOptions & { readonly clock: C },
): Promise<Started<C>>;
export async function startRealm(
  modules: RealmModule | readonly RealmModule[],
  options: StartOptions = {},
): Promise<Started> {
  const clock = options.clock ?? heldClock();
  const place = passingPlace();
  const realms = "definition" in modules ? [modules] : modules;
  const instance = await startInstance({
    fingerprint: options.fingerprint ?? "test",
    realms,
    settings: { ...testSettings, store: place.location, ...options.settings },
    clock,
    log: options.log ?? quiet,
    repeat: options.repeat ?? (() => () => undefined),
    mail: options.mail ?? (options.settings?.data === undefined ? { send: () => undefined } : undefined),
  });
  await instance.ready;
  startedRealms.set(instance.url, realms);
  return {
    url: instance.url,
    store: (realm) => instance.store(realm),
    clock,
    async stop() {
      startedRealms.delete(instance.url);
      await instance.stop(2_000);
      await place.discard();
    },
  };
}
