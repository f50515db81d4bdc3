import { randomBytes } from "node:crypto";
import { timestamp } from "../clock.ts";
import { targetOf } from "../functions/events/calls.ts";
import { nextDue } from "../functions/events/schedules.ts";
import type { LogLine } from "../functions/invocation.ts";
import { packInput } from "../functions/packing.ts";
import { openFunctions, type RealmFunctions } from "../functions/realm.ts";
import { inputOf } from "../functions/worker/input.ts";
import { LoneRealm } from "../instance/lone-realm.ts";
import { realmCollections } from "../instance/realm.ts";
import { readSettings, type Settings } from "../instance/settings.ts";
import type { Caller } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Log, RealmModule } from "../realm/exchange.ts";
import { type CallDefinition, type FunctionDefinition, functionName } from "../realm/functions.ts";
import type { Mail } from "../realm/mail.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores, type Stores } from "../store/engines.ts";
import { didYouMean } from "../suggest.ts";
import { type AnyOptions, callerIn, contextOf, realmCaller, secretsFor, type TestCaller } from "./context.ts";
import { type AllCollections, type AllReached, allDocuments } from "./documents.ts";
import { Happened, type HappenedEvent, jobsOf } from "./happened.ts";
import { HeldClock } from "./held-clock.ts";
import { addOrganization, addUser, type TestOrganization, type TestUser } from "./people.ts";
import { type RunMeans, runCall, runEvent, runWebhook } from "./runs.ts";
import type {
  AnyHandler,
  Attempt,
  ContextOf,
  InputOf,
  Optional,
  OptionsOf,
  OutputOf,
  QueuedCall,
  TestRealm,
  TestRealmOptions,
  TestRequest,
} from "./test-realm.ts";

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
  const clock = new HeldClock(now);
  const settings = readSettings({ SVC_STORE: "sqlite::memory:" });
  const { store: location, queryTime, searchTime } = settings;
  const stores = await openStores({ location, setting: "realmc/testing", clock, queryTime, searchTime });
  try {
    const store = await stores.open(definition.name);
    await store.provision(realmCollections(definition));
    const means = { clock, stores, store, position: await store.feed.head() };
    return await new InMemory<All>(definition, settings, means).begin();
  } catch (error) {
    await stores.close();
    throw error;
  }
}

interface Means {
  readonly clock: HeldClock;
  readonly stores: Stores;
  readonly store: Store;
  /** Of its feed. */
  readonly position: string;
}

type Modes = FunctionDefinition["mode"];
type OfMode<Mode extends Modes> = Extract<FunctionDefinition, { readonly mode: Mode }>;

class InMemory<All extends AllCollections> implements TestRealm<All> {
  readonly #clock: HeldClock;
  readonly #stores: Stores;
  readonly #lone: LoneRealm;
  readonly #functions: RealmFunctions;
  readonly #means: RunMeans;
  readonly #happened: Happened;
  readonly mails: Mail[] = [];
  readonly logs: LogLine[] = [];
  #db: AllReached<All> | undefined;

  constructor(definition: RealmDefinition, settings: Settings, { clock, stores, store, position }: Means) {
    this.#clock = clock;
    this.#stores = stores;
    const fingerprint = "test";
    this.#lone = new LoneRealm({
      ...{ definition, store, clock, settings, fingerprint, log: quiet },
      keys: [randomBytes(32)],
    });
    const { instance, ending } = this.#lone;
    const realm = { ...instance, mail: { queue: async (_: unknown, mail?: Mail) => this.#send(mail) } };
    const { maxBodyBytes: bodyBytes } = settings;
    this.#functions = openFunctions(realm, { runner: undefined, bodyBytes, ending, metrics: undefined });
    const logged = (line: LogLine) => this.logs.push(line);
    this.#means = { realm, ending, clock, bodyBytes, logged };
    this.#happened = new Happened(realm, position);
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
    return this.#documents("caller", await realmCaller(this.#means.realm, caller));
  }

  addUser(user: TestUser = {}) {
    return addUser(this.#means.realm, user);
  }

  addOrganization(organization: TestOrganization) {
    return addOrganization(this.#means.realm, organization);
  }

  call<Tested extends AnyHandler>(
    name: string,
    handler: Tested,
    input: InputOf<Tested>,
    ...options: Optional<OptionsOf<Tested>>
  ): Promise<OutputOf<Tested>>;
  async call(name: string, handler: AnyHandler, input: unknown, options: AnyOptions = {}): Promise<unknown> {
    return runCall(this.#means, this.#functionOf(name, "call"), handler, input, options);
  }

  async webhook(name: string, handler: AnyHandler, request: TestRequest, options: AnyOptions = {}) {
    return runWebhook(this.#means, this.#functionOf(name, "webhook"), handler, request, options);
  }

  trigger<Tested extends AnyHandler>(
    name: string,
    handler: Tested,
    ...options: Optional<OptionsOf<Tested> & Attempt>
  ): Promise<readonly InputOf<Tested>[]>;
  async trigger(name: string, handler: AnyHandler, { attempt = 1, ...options }: AnyOptions & Attempt = {}) {
    const definition = this.#functionOf(name, "event");
    if (definition.triggers.length === 0) throw new Error(`${name} has no triggers`);
    const events = await this.#happened.eventsOf(definition, attempt);
    for (const event of events) {
      await this.#happened.told(event);
      await runEvent(this.#means, definition, handler, event, options);
    }
    return events.map(({ input }) => inputOf(packInput(input)));
  }

  async schedule(name: string, handler: AnyHandler, { attempt = 1, ...options }: AnyOptions & Attempt = {}) {
    const definition = this.#functionOf(name, "event");
    if (definition.schedule === undefined) throw new Error(`${name} has no schedule`);
    const due = await nextDue(definition.schedule, this.#clock.now());
    if (due === undefined) throw new Error(`${name} is due no more`);
    this.#clock.set(due);
    const input = { kind: "schedule", at: timestamp(due), attempt } as const;
    const event: HappenedEvent = { job: this.#means.realm.newId(), input };
    await runEvent(this.#means, definition, handler, event, options);
    return new Date(due);
  }

  context<Tested extends AnyHandler>(
    name: string,
    ...options: Optional<OptionsOf<Tested>>
  ): Promise<ContextOf<Tested>>;
  async context(name: string, options: AnyOptions = {}): Promise<unknown> {
    const definition = this.#functionOf(name);
    const { signal, requestId = "test" } = options;
    const secrets = secretsFor(definition, options.secrets);
    const caller = await callerIn(this.#means.realm, definition, options.caller);
    const asked = { definition, requestId, caller, ...(signal && { signal }) };
    return contextOf(await this.#functions.prepare(asked, secrets), options, this.#means);
  }

  async queued(): Promise<readonly QueuedCall[]> {
    const calls = this.#all().filter(({ mode }) => mode === "call");
    const names = new Map(calls.map((each) => [targetOf(each), functionName(each)]));
    const jobs = await jobsOf(this.#means.realm.store);
    return jobs.flatMap(({ id, target, state, due_at }) => {
      const name = names.get(target);
      if (name === undefined) return [];
      const { input }: { input: string } = JSON.parse(state);
      return [{ id, function: name, input: JSON.parse(input), due_at }];
    });
  }

  get now(): Date {
    return new Date(this.#clock.now());
  }

  advance(duration: string): void {
    this.#clock.advance(duration);
  }

  async close(): Promise<void> {
    await this.#lone.close();
    await this.#functions.close();
    await this.#stores.close();
  }

  #all(): readonly FunctionDefinition[] {
    return this.#means.realm.definition.functions ?? [];
  }

  /** @throws Error where there is none, or it is of another mode */
  #functionOf<Mode extends Modes = Modes>(name: string, mode?: Mode): OfMode<Mode> {
    const all = this.#all();
    const found = all.find((each) => functionName(each) === name);
    if (found === undefined) {
      const names = all.map(functionName);
      const hint = didYouMean(name, names) ?? `there are: ${names.join(", ")}`;
      throw new Error(`realm ${this.#means.realm.definition.name} has no function '${name}' (${hint})`);
    }
    if (isOfMode(found, mode)) return found;
    throw new Error(`${name} is of mode ${found.mode} (${members[found.mode]})`);
  }

  async #documents(as: "function" | "caller", caller?: Caller): Promise<AllReached<All>> {
    const { realm, bodyBytes } = this.#means;
    const asked = { definition: seeding(realm.definition), requestId: "test", caller };
    const { host } = await this.#functions.prepare(asked, {});
    return allDocuments<All>(as, bodyBytes, (request) => host.answer(request));
  }

  #send(mail: Mail | undefined): void {
    if (mail !== undefined) this.mails.push(mail);
  }
}

/** What runs functions of a mode. */
const members: Readonly<Record<Modes, string>> = {
  call: "realm.call runs it",
  webhook: "realm.webhook runs it",
  event: "realm.trigger and realm.schedule run it",
};

function isOfMode<Mode extends Modes>(
  definition: FunctionDefinition,
  mode: Mode | undefined,
): definition is OfMode<Mode> {
  return mode === undefined || definition.mode === mode;
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
