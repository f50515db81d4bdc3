import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PasswordCost, PasswordHasher } from "../../auth/credentials/passwords.ts";
import type { Clock } from "../../clock.ts";
import type { Every } from "../../every.ts";
import type { FunctionFiles, Runner } from "../../functions/invocation.ts";
import { trustNobody } from "../../http/address.ts";
import type { Observer } from "../../http/dispatcher.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import type { Log, Passwords, RealmModule } from "../../realm/exchange.ts";
import type { Mail } from "../../realm/mail.ts";
import type { ProgramConfiguration } from "../../realm/recorded.ts";
import type { Store } from "../../store/contract/store.ts";
import { passingPlace } from "../../store/testing/stores.ts";
import { startInstance } from "../instance.ts";
import type { Delivery } from "../mail.ts";
import { realmCollections } from "../realm.ts";
import type { Settings } from "../settings.ts";
import { startedRealms } from "./started.ts";

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

/** More than any test signs up. */
export const manySignups: AccountSettings["signupLimit"] = {
  address: { limit: 9_999, period: 3_600_000 },
  network: { limit: 9_999, period: 3_600_000 },
};

export interface StartOptions {
  /** Default: held at 2026-01-01T00:00:00Z. */
  readonly clock?: Clock;
  readonly settings?: Partial<Settings>;
  /** Default: errors on the console, the rest nowhere. */
  readonly log?: Log;
  readonly fingerprint?: string;
  /** Default: none is recorded. */
  readonly configuration?: ProgramConfiguration;
  readonly repeat?: Every;
  /** Default: nowhere, or the server's own where the settings name a data folder. */
  readonly mail?: Delivery;
  /** Default: as quick as argon2 can be. */
  readonly passwords?: Passwords;
  readonly observe?: Observer;
  readonly runner?: Runner;
  readonly functionFiles?: FunctionFiles;
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
  bodyMemory: 64 * 1024 * 1024,
  maxUploadBytes: 100 * 1024 * 1024,
  maxConnections: 12_000,
  adminApi: true,
  queryTime: 5_000,
  searchTime: 5_000,
  feedBytes: 2 ** 28,
  pageCharacters: 4 * 1024 * 1024,
  answerMemory: 256 * 1024 * 1024,
  expandLimits: { maxDepth: 2, maxPaths: 5, maxArray: 100, maxDocs: 2_000 },
  realtime: {
    enabled: true,
    limits: {
      maxSubscriptions: 20,
      maxStreamsPerCaller: 5,
      maxStreams: 10_000,
      streamsPerSecond: 1,
      bufferBytes: 256 * 1024,
      bufferEvents: 1_000,
    },
    memory: 256 * 1024 * 1024,
  },
  functionWorkers: 2,
  keys: [Buffer.alloc(32, 7)],
  addressOf: trustNobody,
  smtp: undefined,
  s3Credentials: undefined,
  logLevel: "info",
  accessLog: false,
  metrics: "off",
  explain: false,
};

/** The least that argon2 allows. What hashes cost where it matters, `credentials/passwords.test.ts` holds. */
export const leastCost: PasswordCost = { memoryCost: 8, timeCost: 1, parallelism: 1 };
/** Bounded as those of a process are. */
const quickPasswords = new PasswordHasher(4, 64, leastCost);

/** Mail is given to a test. */
export function deliveryTo(take: (mail: Mail) => void): Delivery {
  return { deliver: async (mail) => take(mail), close: () => undefined };
}

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
  const realms = "definition" in modules ? [modules] : modules;
  const place = passingPlace(
    realms.map(({ definition }) => ({ realm: definition.name, collections: realmCollections(definition) })),
  );
  const hasFiles = realms.some(({ definition }) => definition.storage !== undefined);
  const folder = hasFiles ? mkdtempSync(join(tmpdir(), "realmc-data-")) : undefined;
  const instance = await startInstance({
    fingerprint: options.fingerprint ?? "test",
    configuration: options.configuration,
    realms,
    settings: { ...testSettings, data: folder, store: place.location, ...options.settings },
    clock,
    log: options.log ?? quiet,
    observe: options.observe,
    runner: options.runner,
    functionFiles: options.functionFiles,
    invocationPeriod: 5,
    repeat: options.repeat ?? (() => () => undefined),
    passwords: options.passwords ?? quickPasswords,
    mail: options.mail ?? (options.settings?.data === undefined ? deliveryTo(() => undefined) : undefined),
  });
  const stop = async () => {
    startedRealms.delete(instance.url);
    await instance.stop(2_000);
    await place.discard();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  try {
    await instance.ready;
  } catch (error) {
    await stop();
    throw error;
  }
  startedRealms.set(instance.url, realms);
  return { url: instance.url, store: (realm) => instance.store(realm), clock, stop };
}
