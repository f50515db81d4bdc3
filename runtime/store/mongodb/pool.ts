import type { MongoClient } from "mongodb";
import { kept } from "../../kept.ts";
import { Turns } from "../../turns.ts";
import { StoreBusy } from "../contract/errors.ts";
import type { PoolFigures } from "../pool-figures.ts";

/** Expensive queries have one in so many connections of a client, so that the others stay free for what is soon done. */
const SHARE = 4;

/** Expensive queries that wait, for each that runs. */
const WAITING = 16;

/** Connections counted upon where a client may open any number. */
const UNLIMITED = 100;

const turns = new WeakMap<MongoClient, Turns>();

/** Turns of a client's expensive queries, whatever stores they are of. They wait no longer than for a connection. */
export function turnsOf(client: MongoClient): Turns {
  return kept(turns, client, () => {
    const { maxPoolSize, waitQueueTimeoutMS } = client.options;
    const atOnce = Math.max(1, Math.floor((maxPoolSize || UNLIMITED) / SHARE));
    const patience = waitQueueTimeoutMS || Number.POSITIVE_INFINITY;
    return new Turns(atOnce, atOnce * WAITING, () => new StoreBusy(), patience);
  });
}

/** Counts a client's connections, over all members, from its beginning on, and its expensive queries. */
export function watchPool(client: MongoClient): () => PoolFigures {
  const figures = { size: 0, checkedOut: 0, waiting: 0 };
  client.on("connectionCreated", () => {
    figures.size += 1;
  });
  client.on("connectionClosed", () => {
    figures.size -= 1;
  });
  client.on("connectionCheckOutStarted", () => {
    figures.waiting += 1;
  });
  client.on("connectionCheckOutFailed", () => {
    figures.waiting -= 1;
  });
  client.on("connectionCheckedOut", () => {
    figures.waiting -= 1;
    figures.checkedOut += 1;
  });
  client.on("connectionCheckedIn", () => {
    figures.checkedOut -= 1;
  });
  const expensive = turnsOf(client);
  return () => ({ ...figures, expensive: expensive.running, expensiveWaiting: expensive.waiting });
}
