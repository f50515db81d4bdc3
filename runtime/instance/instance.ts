import { setMaxListeners } from "node:events";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { passwords } from "../auth/credentials/passwords.ts";
import type { Clock } from "../clock.ts";
import { assignOrganization } from "../documents/administration/assigning.ts";
import { checkExpandLimits } from "../documents/expand/limits.ts";
import { realmUsage } from "../documents/files/usage.ts";
import { type Every, every } from "../every.ts";
import { Budget } from "../feed/budget.ts";
import { fileJobs } from "../files/jobs.ts";
import { checkUploadLimits } from "../files/limits.ts";
import { openFiles, type RealmStorage, storageOf } from "../files/realm.ts";
import { beginTriggers, followTriggers } from "../functions/events/following.ts";
import { functionJobs } from "../functions/events/kinds.ts";
import type { HandlerFailed, HandlerLog } from "../functions/host/log.ts";
import type { FunctionFiles, Runner } from "../functions/invocation.ts";
import { missingSecrets } from "../functions/missing-secrets.ts";
import { functionsOf, openFunctions, type RealmFunctions } from "../functions/realm.ts";
import type { Explain, Observer } from "../http/dispatcher.ts";
import { type Door, openDoor } from "../http/door.ts";
import type { Leaving } from "../http/leaving.ts";
import { listenFailure } from "../http/listening.ts";
import { createMetrics } from "../http/metrics.ts";
import { createServer, type HttpServer } from "../http/server.ts";
import type { JobKind } from "../jobs/kind.ts";
import { migrating } from "../migrations/job.ts";
import type { PassProgress } from "../migrations/pass.ts";
import { migratingStore } from "../migrations/store.ts";
import { eraseOrganization } from "../organizations/erasing.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Log, Passwords, RealmInstance, RealmModule } from "../realm/exchange.ts";
import type { StorageDefinition } from "../realm/files.ts";
import type { SharedStreams } from "../realm/realtime.ts";
import { type ProgramConfiguration, recordConfiguration } from "../realm/recorded.ts";
import { checkRealtimeLimits } from "../realtime/realm-limits.ts";
import type { Store } from "../store/contract/store.ts";
import { makeFolder, openStores, type Stores } from "../store/engines.ts";
import { DataFolder } from "./data.ts";
import { serveFigures } from "./figures.ts";
import { openBytes } from "./file-storage.ts";
import { startThreads } from "./function-threads.ts";
import { keysOf } from "./instance-keys.ts";
import type { BackgroundJob } from "./job.ts";
import { type Jobs, startJobs } from "./jobs.ts";
import { keyEnds } from "./key-ends.ts";
import { type Delivery, mailing } from "./mail.ts";
import { migrateAtStart } from "./migrating.ts";
import { Outbox } from "./outbox.ts";
import { provisionStore } from "./provisioning.ts";
import { assembleRealm, realmCollections } from "./realm.ts";
import { realtimeGauges } from "./realtime-gauges.ts";
import { startResealing } from "./resealing.ts";
import { retention } from "./retention.ts";
import { BadSettings, type Settings } from "./settings.ts";
import { describeSmtp, Smtp } from "./smtp.ts";
import { textIndexing } from "./text-indexing.ts";

export interface InstanceOptions {
  /** Of the configuration. */
  readonly fingerprint: string;
  /** Kept in each realm's store; default: nothing is. */
  readonly configuration?: ProgramConfiguration | undefined;
  readonly realms: readonly RealmModule[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of every answer. */
  readonly observe?: Observer | undefined;
  /** Told of refusals, which are found out in more detail then. */
  readonly explain?: Explain | undefined;
  /** Where to listen; default: where the settings say. */
  readonly address?: { readonly host: string; readonly port: number };
  /** Opened once every realm answers, in place of an address of its own. */
  readonly door?: LaterDoor | undefined;
  /** Repeats what is looked after from time to time. */
  readonly repeat?: Every;
  /** Default: the instance's own. */
  readonly mail?: Delivery | undefined;
  /** Default: those of the process. */
  readonly passwords?: Passwords | undefined;
  /** Where the handlers of functions are; default: beside this module, as in a bundle. */
  readonly functionFiles?: FunctionFiles | undefined;
  /** Runs the handlers of functions; default: threads do, where there are {@link functionFiles}. */
  readonly runner?: Runner | undefined;
  /** Takes what handlers log; default: {@link log}. */
  readonly handlerLog?: HandlerLog | undefined;
  /** Secrets that go before those that administrators have set. */
  readonly givenSecrets?: (() => Readonly<Record<string, string>>) | undefined;
  /** Hears why handlers fail. */
  readonly handlerFailed?: HandlerFailed | undefined;
  /** Milliseconds between writes of the invocations of functions; default: a second. */
  readonly invocationPeriod?: number | undefined;
}

/** Functions that an instance runs at once in a realm while no request waits for them: the others find room beside them. */
const runsOfJobs = 8;

/** Where connections come from that another server takes yet, of this process or of one that hands over. */
export interface LaterDoor {
  readonly url: string;
  open(): Promise<Door>;
}

/** A running server process's worth: stores, server, background work. */
export interface Instance {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Resolves when every realm is provisioned and answers, for which it waits while a store cannot be reached; rejects
   * when one cannot be.
   * Rejects with UniqueIndexViolated when stored documents violate a declared unique index.
   */
  readonly ready: Promise<void>;
  /** Serves a connection that another process accepted and handed over. */
  accept(connection: Socket): void;
  /** The store of a realm. */
  store(realm: string): Store;
  /** Finishes requests under way (for at most `grace` milliseconds), then background work, then closes the stores. */
  stop(grace: number): Promise<void>;
  /** Where its connections come from; absent until it is open. */
  readonly door: Door | undefined;
  /**
   * Gives its connections away ({@link HttpServer.leave}) so that another instance can serve them. `stop` then ends the
   * instance as ever, but leaves the door open.
   */
  leave(give: (connection: Socket) => void): Leaving;
  /** Answers a request of another instance's connection. */
  answer: HttpServer["answer"];
}

/**
 * Takes the store, an embedded one for this process alone, and listens; provisioning goes on after it returns.
 * @throws BadSettings where a configuration asks for more than the instance allows, or keys are missing
 * @throws FolderLocked when another process serves the folder
 */
export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { realms, settings, clock } = options;
  const { store: location, data, host, port, queryTime, searchTime, feedBytes } = settings;
  checkLimits(options);
  if (data !== undefined) makeFolder("SVC_DATA", data);
  // Of any free port nobody knows yet which it will be.
  const serving = port === 0 ? "" : `, serving ${host}:${port}`;
  const holder = `process ${process.pid} on ${hostname()}${serving}`;
  const limits = { queryTime, searchTime, feedBytes };
  const warn = (error: unknown, message: string) => options.log.warn({ reason: reasonOf(error) }, message);
  const opened = await openStores({ location, setting: "SVC_STORE", clock, ...limits, holder, warn });
  const folder = new DataFolder(settings);
  const release = async () => {
    await opened.close();
    folder.release();
  };
  try {
    const keys = keysOf(settings, folder);
    const mail = options.mail ?? mailOf(options, folder);
    const stores = new Map<string, Store>();
    for (const { definition } of realms) stores.set(definition.name, await opened.open(definition.name));
    return await listen(options, { stores, pool: opened.pool, keys, mail, folder, release });
  } catch (error) {
    await release();
    throw error;
  }
}

/** @throws BadSettings where a configuration asks for more than the instance allows */
export function checkLimits({ realms, settings }: Pick<InstanceOptions, "realms" | "settings">): void {
  const beyond = realms.flatMap(({ definition }) => [
    ...checkExpandLimits(definition.collections, settings.expandLimits),
    ...checkRealtimeLimits(definition, settings.realtime.limits),
    ...checkUploadLimits(definition.collections, settings.maxUploadBytes),
  ]);
  if (beyond.length > 0) throw new BadSettings(beyond);
}

/** What an instance works with. */
interface Means {
  readonly stores: ReadonlyMap<string, Store>;
  readonly pool: Stores["pool"];
  readonly keys: readonly Uint8Array[];
  /** Present where any realm sends some. */
  readonly mail: Delivery | undefined;
  readonly folder: DataFolder;
  readonly release: () => Promise<void>;
}

/** An error of the driver would bring all that it knows of its servers. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function listen(
  options: InstanceOptions,
  { stores, pool, keys, mail, folder, release }: Means,
): Promise<Instance> {
  const { realms, settings, clock, log } = options;
  const { maxBodyBytes, bodyMemory, answerMemory, maxConnections, addressOf, adminApi } = settings;
  const metrics = settings.metrics === "off" ? undefined : await createMetrics(pool);
  const background = new Background(log);
  let migrating: PassProgress | undefined;
  const server = createServer({
    realms,
    fingerprint: options.fingerprint,
    maxBodyBytes,
    bodyMemory,
    answerMemory,
    maxConnections,
    adminApi,
    addressOf,
    log,
    metrics,
    metricsElsewhere: settings.metrics !== "on",
    observe: options.observe,
    explain: options.explain,
    migrating: () => migrating,
    reachable: async () => {
      for (const store of stores.values()) await store.health();
    },
    warnings: async () => {
      const warnings: string[] = [];
      for (const { definition } of realms) {
        const store = stores.get(definition.name);
        const given = new Set(Object.keys(options.givenSecrets?.() ?? {}));
        const missing =
          store === undefined ? [] : await missingSecrets(store, definition.functions ?? [], given);
        // Which ones they are is for administrators.
        if (missing.length > 0)
          warnings.push(
            `realm ${definition.name}: functions lack ${missing.length} of their secrets; realmc secret list --realm ${definition.name} names them, realmc secret set sets them`,
          );
      }
      return warnings;
    },
  });
  const { host, port } = options.address ?? settings;
  let door: Door | undefined;
  let leaving: Leaving | undefined;
  if (options.door === undefined) {
    door = await openDoor({ host, port }, maxConnections, log).catch((cause: unknown) => {
      throw new Error(listenFailure(host, port, cause, "PORT"), { cause });
    });
    await server.listenAt(door);
  }
  const url = options.door?.url ?? door?.url ?? "";

  const figures = serveFigures(settings, metrics, log);
  if (options.door === undefined) {
    await figures.open().catch(async (error: unknown) => {
      await server.close(0);
      throw error;
    });
  } else figures.openWhenFree();

  const { limits, memory } = settings.realtime;
  const streams: SharedStreams = {
    buffers: new Budget(memory),
    most: limits.maxStreams,
    open: 0,
    subscriptions: 0,
  };
  let jobs: Jobs | undefined;
  const functions: RealmFunctions[] = [];
  const storages: RealmStorage[] = [];
  const ending = new AbortController();
  // As many runs as are under way listen.
  setMaxListeners(0, ending.signal);
  const stopping = new AbortController();
  const hasFunctions = realms.some(({ definition }) => definition.functions !== undefined);
  const runner = options.runner ?? (hasFunctions ? startThreads(settings, options.functionFiles) : undefined);
  if (runner !== undefined) metrics?.functions().gauges(() => runner.figures);
  const provisioned = provision();
  const ready = provisioned.then(() => undefined);
  // Whoever waits for it hears of a failure; nobody has to.
  ready.catch(() => undefined);
  return {
    url,
    ready,
    accept: (connection) => server.accept(connection),
    store: storeOf,
    get door() {
      return door;
    },
    leave(give) {
      leaving = server.leave(give);
      return leaving;
    },
    answer: (raw, response) => server.answer(raw, response),
    async stop(grace) {
      stopping.abort();
      const until = performance.now() + grace;
      // What is under way has as long as requests have.
      jobs?.pause();
      const late = setTimeout(() => ending.abort(), grace);
      await (leaving === undefined ? server.close(grace) : leaving.done(grace));
      clearTimeout(late);
      await figures.close();
      const work = await provisioned.catch(() => []);
      for (const job of work) await job.stop();
      await background.settled();
      // What was under way may have queued mails.
      await jobs?.stop(until - performance.now());
      await runner?.close();
      for (const each of functions) await each.close();
      for (const { blobs } of storages) await blobs.close();
      mail?.close();
      await release();
    },
  };

  /** Realm by realm; each answers as soon as it can. Then the background jobs begin. */
  async function provision(): Promise<readonly Pick<BackgroundJob, "stop">[]> {
    const instances: RealmInstance[] = [];
    metrics?.realtime.gauges(() => realtimeGauges(streams, instances, clock));
    const repeat = options.repeat ?? every;
    for (const { definition } of realms) {
      const store = storeOf(definition.name);
      const collections = realmCollections(definition);
      const { fingerprint, configuration } = options;
      const done = await provisionStore(
        store,
        collections,
        definition.name,
        log,
        stopping.signal,
        async () => {
          await beginTriggers({ definition, store, clock });
          await migrateAtStart({
            ...{ definition, store, clock, log, stopping: stopping.signal },
            migrating(progress) {
              migrating = progress;
            },
          });
          await recordConfiguration({
            store,
            realm: definition.name,
            fingerprint,
            configuration,
            clock,
            log,
          });
        },
      );
      if (!done) return [];
      const realm = assembleRealm({
        definition,
        store: migratingStore(store, definition),
        clock,
        fingerprint,
        explains: options.explain === undefined ? undefined : true,
        passwords: options.passwords ?? passwords,
        log,
        pageCharacters: settings.pageCharacters,
        expandLimits: settings.expandLimits,
        keys,
        background: (work) => background.hold(work),
        wakeJobs: (delay) => jobs?.wake(definition.name, delay),
        dropJob: (id) => jobs?.drop(definition.name, id),
        countIdConflict: (...labels) => metrics?.countIdConflict(...labels),
        realtime: {
          enabled: settings.realtime.enabled,
          limits: settings.realtime.limits,
          shared: streams,
          stopping: stopping.signal,
          metrics: metrics?.realtime,
          repeat,
        },
      });
      if (definition.functions !== undefined) {
        const { handlerLog, handlerFailed, givenSecrets, invocationPeriod } = options;
        const parts = {
          runner,
          bodyBytes: maxBodyBytes,
          ending: ending.signal,
          handlerLog,
          handlerFailed,
          givenSecrets,
          invocationPeriod,
        };
        functions.push(openFunctions(realm, { ...parts, metrics: metrics?.functions() }));
      }
      if (definition.storage !== undefined) {
        const storage = openFiles(realm, await openStorage(definition, definition.storage));
        storage.metrics?.standing(definition.storage.driver.kind, () => realmUsage(realm.store));
        storages.push(storage);
      }
      server.serve(realm);
      instances.push(realm);
    }
    if (options.door !== undefined) {
      door = await options.door.open();
      await server.listenAt(door);
    }
    const mails = mail === undefined ? [] : [mailing(instances, mail, log)];
    jobs = startJobs(instances, (realm) => jobKinds(realm, mails), repeat);
    const lost = (realm: string) => metrics?.countEventsLost(realm);
    const triggers = instances.flatMap(
      (realm) => followTriggers(realm, () => lost(realm.definition.name)) ?? [],
    );
    const hubs = instances.map(({ hub }) => ({ stop: () => hub.close() }));
    return [
      ...triggers.map((consumer) => ({ stop: () => consumer.close() })),
      ...hubs,
      startResealing(instances, keys.length > 1, log, repeat),
    ];
  }

  async function openStorage(
    { name }: RealmDefinition,
    { driver }: StorageDefinition,
  ): Promise<RealmStorage> {
    const { maxUploadBytes: maxUpload, maxBodyBytes: maxBody } = settings;
    return {
      ...(await openBytes(folder, name, driver, settings)),
      maxUpload,
      maxBody,
      metrics: metrics?.files(name),
    };
  }

  function storeOf(realm: string): Store {
    const store = stores.get(realm);
    if (store === undefined) throw new Error(`no realm ${realm}`);
    return store;
  }
}

/** What this instance does in the background of a realm. */
function jobKinds(realm: RealmInstance, mails: readonly JobKind[]): readonly JobKind[] {
  const { definition } = realm;
  const runs =
    definition.functions === undefined
      ? []
      : functionJobs(definition, (run) => functionsOf(realm).background(run), runsOfJobs);
  const files = realm.files === undefined ? [] : fileJobs(definition, realm.files.ledger, storageOf(realm));
  const keys = definition.accounts === undefined ? [] : [keyEnds(realm)];
  const kinds = [
    ...keys,
    eraseOrganization,
    assignOrganization,
    textIndexing,
    migrating,
    ...mails,
    ...runs,
    ...files,
  ];
  return [...kinds, retention(kinds)];
}

/** How this instance sends mail, if any of its realms sends some. */
function mailOf({ realms, settings, clock, log }: InstanceOptions, folder: DataFolder): Delivery | undefined {
  if (!realms.some(({ definition }) => sendsMail(definition))) return undefined;
  if (settings.smtp !== undefined) {
    log.info({ server: describeSmtp(settings.smtp) }, "mail is sent");
    return new Smtp(settings.smtp);
  }
  const outbox = new Outbox(folder.path, clock);
  log.info({ folder: outbox.folder }, "SVC_SMTP_URL is not set: mail is written to files");
  return outbox;
}

function sendsMail({ accounts, functions = [] }: RealmDefinition): boolean {
  return accounts !== undefined || functions.some(({ mail }) => mail);
}

/** Work that outlives its request, and that the shutdown waits for. */
class Background {
  readonly #work = new Set<Promise<void>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  hold(work: Promise<unknown>): void {
    const held = work
      .then(() => undefined)
      .catch((err: unknown) => this.#log.error({ err }, "background work failed"))
      .finally(() => this.#work.delete(held));
    this.#work.add(held);
  }

  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
