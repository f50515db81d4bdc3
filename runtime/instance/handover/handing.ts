/** The server that hands over. */
import { setTimeout } from "node:timers/promises";
import type { Door } from "../../http/door.ts";
import type { Leaving } from "../../http/leaving.ts";
import type { Log } from "../../realm/exchange.ts";
import type { Instance, LaterDoor } from "../instance.ts";
import { messageOf } from "../message-of.ts";
import { NextServer } from "./next.ts";
import { Waiting } from "./waiting.ts";

/** Milliseconds for the next server to be ready, from its start. */
const limit = 30_000;

/** Milliseconds for requests under way: while others wait for the store, and where none do. */
const grace = { own: 7_000, shared: 60_000 };

/** Milliseconds for the next server to take the last connections: it is busy with those that it has, and what it does not take is cut. */
const farewell = 30_000;

export interface HandingOver {
  readonly instance: Instance;
  /** Both servers may have the store at once. */
  readonly shared: boolean;
  readonly log: Log;
  /** Serves again what was given up. */
  readonly restart: (door: LaterDoor) => Promise<Instance>;
  /** Resolves when this process is to stop. */
  readonly stopping: Promise<unknown>;
}

export type Outcome =
  | { readonly kind: "done"; readonly pid: number }
  /** This process goes on, with that instance. */
  | { readonly kind: "kept"; readonly reason: string; readonly instance: Instance };

/**
 * Hands over to the program as it is on disk now: the listening socket, the store, the connections. Where the next server
 * does not serve in 30 seconds, for whatever reason, this one goes on.
 * @throws what hinders it to go on
 */
export async function handOver(given: HandingOver): Promise<Outcome> {
  const { instance, shared, log } = given;
  const { door } = instance;
  const descriptor = door?.descriptor;
  if (door === undefined || descriptor === undefined) {
    return { kind: "kept", reason: "its listening socket cannot be handed over", instance };
  }
  const next = new NextServer({ descriptor, url: door.url });
  log.info({ next: next.pid }, "handing over");
  const ending = new AbortController();
  const hindered = Promise.race([
    next.failed,
    given.stopping.then(() => "this server was told to stop"),
    setTimeout(limit, `the next server was not ready in ${limit / 1_000} seconds`, {
      signal: ending.signal,
      ref: false,
    }),
  ]);
  const until = async (done: Promise<void>): Promise<void> => {
    const reason = await Promise.race([done, hindered]);
    if (typeof reason === "string") throw new Error(reason);
  };
  hindered.catch(() => undefined);
  let leaving: Leaving | undefined;
  const waiting = new Waiting((connection) => leaving?.refuse(connection));
  try {
    await until(next.loaded);
    if (!shared) {
      leaving = instance.leave(waiting.add);
      await instance.stop(grace.own);
    }
    next.take();
    await until(next.ready);
  } catch (error) {
    await next.kill();
    const reason = messageOf(error);
    if (leaving === undefined) return { kind: "kept", reason, instance };
    return { kind: "kept", reason, instance: await goOn(given, door, leaving, waiting) };
  } finally {
    ending.abort();
  }
  log.info({ next: next.pid }, "handed over");
  waiting.passTo((connection) => next.pass(connection));
  leaving ??= instance.leave(waiting.add);
  door.close();
  leaving.giveRefused();
  next.serve();
  if (shared) await instance.stop(grace.shared);
  leaving.giveRefused();
  await Promise.race([next.release(), next.failed, setTimeout(farewell)]);
  return { kind: "done", pid: next.pid ?? 0 };
}

/** Takes back what was given up. */
async function goOn(
  { restart }: HandingOver,
  door: Door,
  leaving: Leaving,
  waiting: Waiting,
): Promise<Instance> {
  const again = await restart({ url: door.url, open: async () => door });
  leaving.redirectTo(again.answer);
  waiting.passTo((connection) => leaving.takeBack(connection));
  void leaving.end();
  return again;
}
