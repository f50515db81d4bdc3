/**
 * A server process of `realmc dev`. It has loaded this runtime before there is anything to serve, loads its program while
 * another process still serves, and serves it once that one has given up the store. The process that started it accepts
 * the connections and hands them over.
 */
import { existsSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { createKey } from "../auth/command-keys.ts";
import { systemClock } from "../clock.ts";
import { missingSecrets } from "../functions/missing-secrets.ts";
import type { RenewedRunner } from "../functions/pool/renewed.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Store } from "../store/contract/store.ts";
import type { Program } from "./command.ts";
import { dotEnv } from "./dot-env.ts";
import { type Explained, explainedIn, explaining } from "./explaining.ts";
import { startRenewedThreads } from "./function-threads.ts";
import { handlerFailedIn, handlerLog, withoutHandlers } from "./handler-log.ts";
import { type Instance, startInstance } from "./instance.ts";
import { createLog } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { dieOfTheUnexpected } from "./serve.ts";
import { readSettings } from "./settings.ts";
import { seedStores } from "./transfer/seeding.ts";
import { seedsFolder } from "./transfer/seeds-folder.ts";

/** What the process is told. Each but `connection`, which comes with a socket, is answered with one {@link Answer}. */
export type Order =
  /** Imports the module at a URL, which exports a `program`; refusals are explained by what lies in a folder, a URL. */
  | { readonly kind: "load"; readonly module: string; readonly explained: string }
  /** Explains refusals by what lies there from now on: rules were moved in their files. */
  | { readonly kind: "explain"; readonly explained: string }
  /** Takes the store and serves what was loaded; with a name, makes each realm an administrator's key called so. */
  | { readonly kind: "serve"; readonly key: string | undefined }
  /** Runs what begins from now on by the handlers that lie in the folder now. */
  | { readonly kind: "renew" }
  /** Finishes requests under way and gives up the store; `serve` may follow. */
  | { readonly kind: "yield" }
  | { readonly kind: "connection" };

/** Told at any time, to no order: a refused request. */
export interface Refusal {
  readonly kind: "refused";
  readonly line: string;
}

export type Answer =
  /** The runtime is loaded. The first one, to no order. */
  | { readonly kind: "waiting" }
  | { readonly kind: "done"; readonly keys: Readonly<Record<string, string>> }
  | { readonly kind: "failed"; readonly message: string };

/** Milliseconds for requests under way when the next server waits for its turn. */
const grace = 5_000;

/**
 * Runs until the process that started it ends it, or ends.
 * @param folder What that process made for its run, and cannot remove when it is killed.
 * @param config the configuration folder, as people call it
 */
export async function developmentServer(folder: string, config: string): Promise<void> {
  const settings = readSettings(process.env);
  const log = await createLog(settings.logLevel);
  dieOfTheUnexpected(log);
  let program: Program | undefined;
  let instance: Instance | undefined;
  let threads: RenewedRunner | undefined;
  let explained: Explained = new Map();
  const explain = explaining({
    rules: () => explained,
    header: settings.explain,
    tell: (line) => answer({ kind: "refused", line }),
  });

  // Ctrl-C reaches all processes of a terminal; the one that started this one says what it means.
  process.on("SIGINT", () => undefined);
  process.on("SIGHUP", () => undefined);
  process.on("message", (order: Order, connection: unknown) => {
    if (order.kind !== "connection") {
      follow(order).then(answer, (error: unknown) => answer({ kind: "failed", message: messageOf(error) }));
    } else if (connection instanceof Socket) {
      if (instance === undefined) connection.destroy();
      else instance.accept(connection);
    }
  });
  process.on("disconnect", () => {
    stop(0).finally(() => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(0);
    });
  });
  answer({ kind: "waiting" });

  async function follow(order: Exclude<Order, { kind: "connection" }>): Promise<Answer> {
    if (order.kind === "load") {
      const module: { readonly program: Program } = await import(order.module);
      program = module.program;
      await takeApart(order.explained);
    } else if (order.kind === "explain") {
      await takeApart(order.explained);
    } else if (order.kind === "renew") {
      threads?.renew();
    } else if (order.kind === "yield") {
      await stop(grace);
    } else {
      return { kind: "done", keys: await serve(order.key) };
    }
    return { kind: "done", keys: {} };
  }

  async function takeApart(folder: string): Promise<void> {
    explained = await explainedIn(folder, program?.realms.map(({ definition }) => definition.name) ?? []);
  }

  async function serve(key: string | undefined): Promise<Readonly<Record<string, string>>> {
    if (program === undefined) throw new Error("nothing was loaded");
    const clock = systemClock;
    await seed(program);
    // Nobody connects to it but by way of the process that hands connections over.
    const address = { host: "127.0.0.1", port: 0 };
    const hasFunctions = program.realms.some(({ definition }) => definition.functions !== undefined);
    threads = hasFunctions ? startRenewedThreads(settings) : undefined;
    const starting = await startInstance({
      ...program,
      settings,
      clock,
      log: withoutHandlers(log),
      address,
      handlerLog,
      handlerFailed: handlerFailedIn(config),
      givenSecrets: () => dotEnv(".env"),
      explain,
      runner: threads,
    });
    try {
      await starting.ready;
    } catch (error) {
      await starting.stop(0);
      throw error;
    }
    instance = starting;
    for (const { definition } of program.realms)
      await tellMissing(definition, starting.store(definition.name));
    const made: Record<string, string> = {};
    for (const { definition } of key === undefined ? [] : program.realms) {
      const wanted = { name: key ?? "", admin: true, replace: true };
      made[definition.name] = await createKey(starting.store(definition.name), clock, wanted);
    }
    return made;
  }

  /** Collections that hold nothing begin with what the configuration has for them. */
  async function seed(served: Program): Promise<void> {
    const seeds = join(folder, seedsFolder);
    if (!existsSync(seeds)) return;
    const shared = { program: served, location: settings.store, setting: "SVC_STORE", folder: seeds };
    const seeded = await seedStores({ ...shared, clock: systemClock, tell: () => undefined });
    for (const { realm, collection, created } of seeded)
      process.stdout.write(`${realm} ${collection}: begins with ${created} documents of its seed\n`);
  }

  /** Says which secrets functions have not, and where to put them. */
  async function tellMissing({ name: realm, functions = [] }: RealmDefinition, store: Store): Promise<void> {
    const given = new Set(Object.keys(dotEnv(".env")));
    for (const { name, functions: of } of await missingSecrets(store, functions, given))
      process.stdout.write(
        `${realm} ${of.join(", ")}: the secret ${name} is not set; put ${name}=… into the file .env here\n`,
      );
  }

  async function stop(milliseconds: number): Promise<void> {
    const stopping = instance;
    instance = undefined;
    await stopping?.stop(milliseconds);
  }
}

function answer(given: Answer | Refusal): void {
  // A process that is gone hears nothing, and is no mistake of this one.
  process.send?.(given, undefined, undefined, () => undefined);
}
