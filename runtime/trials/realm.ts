import { randomBytes } from "node:crypto";
import { passwords } from "../auth/credentials/passwords.ts";
import type { Clock } from "../clock.ts";
import { Budget } from "../feed/budget.ts";
import { TRUE } from "../filter/algebra.ts";
import { targetOf } from "../functions/events/calls.ts";
import type { LogLine } from "../functions/invocation.ts";
import { openFunctions, type RealmFunctions } from "../functions/realm.ts";
import { assembleRealm, realmCollections } from "../instance/realm.ts";
import { readSettings, type Settings } from "../instance/settings.ts";
import { jobCollection, readJob } from "../jobs/records.ts";
import type { JsonValue } from "../json.ts";
import type { Caller } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Log, RealmInstance, RealmModule } from "../realm/exchange.ts";
import { type CallDefinition, type FunctionDefinition, functionName } from "../realm/functions.ts";
import type { Mail } from "../realm/mail.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores, type Stores } from "../store/engines.ts";
import { didYouMean } from "../suggest.ts";
import { parseDuration } from "../units.ts";
import { type ContextHost, type ContextOptions, contextOf, realmCaller, type TestCaller } from "./context.ts";
import { type AllCollections, type AllReached, allDocuments } from "./documents.ts";
import { addOrganization, addUser, type TestOrganization, type TestUser } from "./people.ts";

export interface TestRealmOptions {
  /** Where its time stands until `advance` moves it on; default: when it is made. */
  readonly now?: string | Date;
}

/** A call that a handler has queued. */
export interface QueuedCall {
  readonly id: string;
  /** `<database>/<function>`. */
  readonly function: string;
  readonly input: JsonValue;
  /** When it is to be run. */
  readonly due_at: string | null;
}

/** A handler, as `$types.ts` types it. */
type AnyHandler = (input: never, context: never) => unknown;
type ContextOf<Handler extends AnyHandler> = Parameters<Handler>[1];
type Required<Options> = object extends Options ? [options?: Options] : [options: Options];

/**
 * A realm in memory on which handlers are tested: they are given the `ctx` of a server, on the documents layer and the
 * embedded engine of one. Nothing is faked but what the test gives (secrets, `ctx.fetch`, who calls), the time, and mail,
 * which is kept.
 */
export interface TestRealm<All extends AllCollections = AllCollections> {
  /** All documents, past the rules: to seed, and to see what a handler did. */
  readonly db: AllReached<All>;
  /**
   * All documents under the rules, as somebody sees them.
   * @throws (rejects with) Error where there is no such user
   */
  as(caller: TestCaller): Promise<AllReached<All>>;
  /** @throws Error for a role that there is not */
  addUser(user?: TestUser): Promise<{ readonly id: string; readonly email: string }>;
  /** @throws Error for a role that there is not */
  addOrganization(organization: TestOrganization): Promise<{ readonly id: string }>;
  /**
   * What a handler of that function is given beside its input.
   * @param name `<database>/<function>`
   * @throws (rejects with) Error where there is no such function or caller, or a secret is missing
   * @example const ctx = await realm.context<Handler>("support/close", { caller: { user: ada.id } });
   */
  context<Handler extends AnyHandler>(
    name: string,
    ...options: Required<ContextOptions<ContextOf<Handler>>>
  ): Promise<ContextOf<Handler>>;
  /** What was sent by `ctx.mail`, oldest first. */
  readonly mails: readonly Mail[];
  /** What was logged by `ctx.log`, oldest first. */
  readonly logs: readonly LogLine[];
  /** What was queued by `ctx.jobs` and is not run: nothing is, in tests. Oldest first. */
  queued(): Promise<readonly QueuedCall[]>;
  /** What `ctx.now()` says. */
  readonly now: Date;
  /** Moves the time on, by such as `10m`. */
  advance(duration: string): void;
  close(): Promise<void>;
}

/**
 * Makes a realm for tests: an empty one, that nobody else sees.
 * @param module of the emitted `realm.ts`
 * @throws (rejects with) Error for a realm without functions
 * @example const realm = await testRealm<Collections>(helpdesk);
 */
export async function testRealm<All extends AllCollections = AllCollections>(
  { definition }: RealmModule,
  { now = new Date() }: TestRealmOptions = {},
): Promise<TestRealm<All>> {
  if (definition.functions === undefined) throw new Error(`realm ${definition.name} has no functions`);
  const clock = new HeldClock(new Date(now).getTime());
  const settings = readSettings({ SVC_STORE: "sqlite::memory:" });
  const { store: location, queryTime, searchTime } = settings;
  const stores = await openStores({ location, setting: "realmc/testing", clock, queryTime, searchTime });
  try {
    const store = await stores.open(definition.name);
    await store.provision(realmCollections(definition));
    return await new InMemory<All>(definition, settings, { clock, stores, store }).begin();
  } catch (error) {
    await stores.close();
    throw error;
  }
}

class HeldClock implements Clock {
  #time: number;

  constructor(time: number) {
    if (Number.isNaN(time)) throw new RangeError("testRealm: now is no time");
    this.#time = time;
  }

  now(): number {
    return this.#time;
  }

  advance(duration: string): void {
    const milliseconds = parseDuration(duration);
    if (milliseconds === undefined) throw new RangeError(`advance: ${duration} is no duration such as 10m`);
    this.#time += milliseconds;
  }
}

interface Means {
  readonly clock: HeldClock;
  readonly stores: Stores;
  readonly store: Store;
}

class InMemory<All extends AllCollections> implements TestRealm<All> {
  readonly #clock: HeldClock;
  readonly #stores: Stores;
  readonly #realm: RealmInstance;
  readonly #functions: RealmFunctions;
  readonly #host: ContextHost;
  readonly #background = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();
  readonly mails: Mail[] = [];
  readonly logs: LogLine[] = [];
  #db: AllReached<All> | undefined;

  constructor(definition: RealmDefinition, settings: Settings, { clock, stores, store }: Means) {
    this.#clock = clock;
    this.#stores = stores;
    const { pageCharacters, expandLimits, maxBodyBytes: bodyBytes, realtime } = settings;
    const stopping = this.#ending.signal;
    const realm = assembleRealm({
      ...{ definition, store, clock, passwords, pageCharacters, expandLimits, log: quiet },
      fingerprint: "test",
      keys: [randomBytes(32)],
      background: (work) => this.#hold(work),
      wakeJobs: () => undefined,
      dropJob: () => undefined,
      countIdConflict: () => undefined,
      realtime: {
        ...{ enabled: false, limits: realtime.limits, stopping, metrics: undefined },
        shared: { buffers: new Budget(realtime.memory), most: 0, open: 0, subscriptions: 0 },
        repeat: () => () => undefined,
      },
    });
    this.#realm = { ...realm, mail: { queue: async (_, mail) => this.#send(mail) } };
    const parts = { runner: undefined, bodyBytes, ending: stopping, metrics: undefined };
    this.#functions = openFunctions(this.#realm, parts);
    const logged = (line: LogLine) => this.logs.push(line);
    this.#host = { realm: this.#realm, functions: this.#functions, bodyBytes, logged };
  }

  /** @throws Error before `begin` */
  get db(): AllReached<All> {
    if (this.#db === undefined) throw new Error("the realm has not begun");
    return this.#db;
  }

  async begin(): Promise<this> {
    this.#db = await this.#documents("function");
    return this;
  }

  async as(caller: TestCaller): Promise<AllReached<All>> {
    return this.#documents("caller", await realmCaller(this.#realm, caller));
  }

  addUser(user: TestUser = {}) {
    return addUser(this.#realm, user);
  }

  addOrganization(organization: TestOrganization) {
    return addOrganization(this.#realm, organization);
  }

  context<Handler extends AnyHandler>(
    name: string,
    ...options: Required<ContextOptions<ContextOf<Handler>>>
  ): Promise<ContextOf<Handler>>;
  async context(name: string, options: Parameters<typeof contextOf>[2] = {}): Promise<unknown> {
    return contextOf(this.#host, this.#functionOf(name), options);
  }

  async queued(): Promise<readonly QueuedCall[]> {
    const jobs = await this.#realm.store
      .collection(jobCollection)
      .find({ filter: TRUE, visibility: "live", limit: 10_000, skip: 0 });
    const names = new Map(this.#all().map((each) => [targetOf(each), functionName(each)]));
    return jobs
      .map((document) => readJob(document).record)
      .flatMap(({ id, target, state, due_at }) => {
        const name = names.get(target);
        if (name === undefined) return [];
        const { input }: { input: string } = JSON.parse(state);
        return [{ id, function: name, input: JSON.parse(input), due_at }];
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  get now(): Date {
    return new Date(this.#clock.now());
  }

  advance(duration: string): void {
    this.#clock.advance(duration);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    this.#realm.hub.close();
    await Promise.all(this.#background);
    await this.#functions.close();
    await this.#stores.close();
  }

  #all(): readonly FunctionDefinition[] {
    return this.#realm.definition.functions ?? [];
  }

  #functionOf(name: string): FunctionDefinition {
    const all = this.#all();
    const found = all.find((each) => functionName(each) === name);
    if (found !== undefined) return found;
    const names = all.map(functionName);
    const hint = didYouMean(name, names) ?? `there are: ${names.join(", ")}`;
    throw new Error(`realm ${this.#realm.definition.name} has no function '${name}' (${hint})`);
  }

  async #documents(as: "function" | "caller", caller?: Caller): Promise<AllReached<All>> {
    const asked = { definition: seeding(this.#realm.definition), requestId: "test", caller };
    const { host } = await this.#functions.prepare(asked, {});
    return allDocuments<All>(as, this.#host.bodyBytes, (request) => host.answer(request));
  }

  #send(mail: Mail | undefined): void {
    if (mail !== undefined) this.mails.push(mail);
  }

  #hold(work: Promise<unknown>): void {
    const held = work.catch(() => undefined).finally(() => this.#background.delete(held));
    this.#background.add(held);
  }
}

/** What a test itself does: as a function that reaches everything would. */
function seeding({ name: realm, collections }: RealmDefinition): CallDefinition {
  const databases = [...new Set(collections.map(({ database }) => database))];
  return {
    ...{ mode: "call", realm, database: "test", name: "seeds", idempotency: "none", attempts: 1 },
    ...{ timeout: 60_000, memory: 2 ** 27, concurrency: 1, secrets: [], network: [], mail: false },
    scopes: { read: databases, write: databases },
  };
}

/** What goes wrong is thrown in the test; handlers' lines are kept. */
const quiet: Log = { info: () => undefined, warn: () => undefined, error: (_, text) => console.error(text) };
