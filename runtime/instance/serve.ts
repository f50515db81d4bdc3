import type { Logger } from "pino";
import { systemClock } from "../clock.ts";
import type { Answered, Explain, Observer } from "../http/dispatcher.ts";
import type { Caller } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import { describeLocation } from "../store/location.ts";
import type { Program, Surroundings } from "./command.ts";
import { explainedIn, explaining } from "./explaining.ts";
import { openControl } from "./handover/control.ts";
import { handOver, type Outcome } from "./handover/handing.ts";
import { inheriting } from "./handover/inheriting.ts";
import { HandoverWishes } from "./handover/wishes.ts";
import { checkLimits, type Instance, type InstanceOptions, startInstance } from "./instance.ts";
import { createLog } from "./log.ts";
import { messageOf } from "./message-of.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Milliseconds: for requests under way, and for all of the shutdown. */
const grace = 7_000;
const deadline = 9_500;

/** Milliseconds in which signals are one: Ctrl-C reaches a process directly and once more through `npm` or `realmc serve`. */
const together = 1_000;

/**
 * Serves until SIGTERM or SIGINT, then drains; answers the exit code. One more signal a second later or more ends the
 * process at once.
 * @throws BadSettings | FolderLocked | UniqueIndexViolated, or what hinders listening
 */
export async function serve(
  { fingerprint, configuration, realms }: Program,
  { environment }: Surroundings,
): Promise<number> {
  const settings = readSettings(environment);
  const log = await createLog(settings.logLevel);
  dieOfTheUnexpected(log);
  const signal = firstSignal();
  const wishes = new HandoverWishes(log);
  const inherits = inheriting(settings.maxConnections, log);
  const options = {
    fingerprint,
    configuration,
    realms,
    settings,
    clock: systemClock,
    log,
    observe: requestLog(log, settings),
    explain: settings.explain
      ? await refusalHeader(realms.map(({ definition }) => definition.name))
      : undefined,
  };
  let instance: Instance;
  try {
    checkLimits(options);
    // One that is told to stop before its turn has nothing to stop.
    if ((await Promise.race([inherits?.turn(), signal])) !== undefined) process.exit(0);
    instance = await startInstance({ ...options, door: inherits?.door });
    if (inherits === undefined) log.info({ url: instance.url }, "listening");
    const started = await Promise.race([ready(instance), signal]);
    if (started === "ready") {
      inherits?.serves(instance);
      log.info(
        {
          realms: realms.map(({ definition }) => `${instance.url}/v1/${definition.name}`),
          store: describeLocation(settings.store),
          config: fingerprint,
        },
        "ready",
      );
    }
  } catch (error) {
    await inherits?.failed(messageOf(error));
    throw error;
  }
  const control = await openControl(settings, () => wishes.wish(), log);
  const isSingle = settings.store.engine === "sqlite";
  const stopping = signal.then((name): "stop" => {
    log.info({ signal: name }, "stopping");
    return "stop";
  });
  while ((await Promise.race([stopping, wishes.next()])) !== "stop") {
    const outcome: Outcome = isInMemory(settings)
      ? { kind: "kept", reason: "its store is in memory, and ends with it", instance }
      : await handOver({
          instance,
          shared: !isSingle,
          log,
          stopping: signal,
          restart: (door) => restarted({ ...options, door }),
        });
    if (outcome.kind === "done") {
      await control.tell({ outcome: "done", pid: outcome.pid });
      process.exit(0);
    }
    instance = outcome.instance;
    await control.tell({ outcome: "kept", reason: outcome.reason });
    log.warn({ reason: outcome.reason }, "not handed over; going on");
    wishes.done();
  }
  control.close(true);
  const late = setTimeout(() => {
    log.warn({}, "stopping took too long; leaving");
    process.exit(0);
  }, deadline);
  try {
    await instance.stop(grace);
  } finally {
    clearTimeout(late);
  }
  log.info({}, "stopped");
  process.exit(0);
}

async function refusalHeader(realms: readonly string[]): Promise<Explain> {
  const rules = await explainedIn(import.meta.url, realms);
  return explaining({ rules: () => rules, header: true });
}

function isInMemory({ store }: Settings): boolean {
  return store.engine === "sqlite" && store.folder === ":memory:";
}

async function restarted(options: InstanceOptions): Promise<Instance> {
  const instance = await startInstance(options);
  await ready(instance);
  return instance;
}

async function ready(instance: Instance): Promise<"ready"> {
  try {
    await instance.ready;
    return "ready";
  } catch (error) {
    await instance.stop(0);
    throw error;
  }
}

/** Resolves with the first SIGTERM or SIGINT; one more that is not the same request repeated exits at once. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const take = (signal: NodeJS.Signals) => {
      first ??= performance.now();
      if (performance.now() - first >= together) process.exit(1);
      resolve(signal);
    };
    process.on("SIGTERM", take);
    process.on("SIGINT", take);
  });
}

/** What nothing caught is logged and ends the process. */
export function dieOfTheUnexpected(log: Logger): void {
  const die = (err: unknown) => {
    log.fatal({ err }, "unexpected failure");
    process.exit(1);
  };
  process.on("uncaughtException", die);
  process.on("unhandledRejection", die);
}

/** A line a request: with `SVC_ACCESS_LOG` whatever `SVC_LOG` leaves out, else for who debugs. */
function requestLog(log: Logger, settings: Pick<Settings, "accessLog">): Observer | undefined {
  if (settings.accessLog) {
    const access = log.child({}, { level: "info" });
    return (exchange, answered) => access.info(requestFields(exchange, answered), "request");
  }
  if (!log.isLevelEnabled("debug")) return undefined;
  return (exchange, answered) =>
    log.debug({ ...requestFields(exchange, answered), address: exchange.address }, "request");
}

/** Nothing of the path, the query or the body is in it. */
function requestFields(
  { method, requestId, caller }: Exchange,
  { pattern, status, milliseconds, bytes }: Answered,
) {
  const ms = Math.round(milliseconds * 1000) / 1000;
  return { method, route: pattern, status, ms, bytes, caller: callerKind(caller), request_id: requestId };
}

/** Null where nobody was asked, or nobody is known by the credential. */
function callerKind(caller: Caller | undefined): "anonymous" | "session" | "key" | "key for user" | null {
  if (caller === undefined) return null;
  if (caller.kind !== "user") return caller.kind;
  return caller.credential.kind === "session" ? "session" : "key for user";
}
