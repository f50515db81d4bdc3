import { randomUUID } from "node:crypto";
import { systemClock } from "../../../runtime/clock.ts";
import type { FeedDocumentChange } from "../../../runtime/feed/change.ts";
import { Consumer, type Work } from "../../../runtime/feed/consumer.ts";
import { consumerShape } from "../../../runtime/feed/consumer-position.ts";
import { Hub } from "../../../runtime/feed/hub.ts";
import type { Interest } from "../../../runtime/feed/interests.ts";
import { TRUE } from "../../../runtime/filter/algebra.ts";
import { documentFields } from "../../../runtime/filter/fields.ts";
import type { CollectionShape } from "../../../runtime/store/contract/shape.ts";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { openStores } from "../../../runtime/store/engines.ts";
import { parseLocation } from "../../../runtime/store/location.ts";

/** Written by everybody, and followed. */
export const followed = ["app.people", "app.places"] as const;
/** What the consumer has seen, a document for each change. */
export const seen = "app.seen";
/** How often the consumer has written: one document. */
const steps = "app.steps";

/** A change as the consumer wrote it down. */
export interface Seen {
  /** `<collection> <id>` */
  readonly document: string;
  /** `+1`, `~2`, `-2`: what was done, and the version after it, or before. */
  readonly did: string;
  /** Of the transaction that wrote it, if there was one. */
  readonly batch: string | null;
  /** How often the consumer had written when it wrote this: it grows. */
  readonly step: number;
  /** Its place among those of the same step. */
  readonly place: number;
}

export interface Opened {
  readonly store: Store;
  close(): Promise<void>;
}

/** @param setting `SVC_STORE` */
export async function openStore(setting: string, realm: string): Promise<Opened> {
  const location = parseLocation(setting);
  if (location === undefined) throw new Error(`${setting} is no store`);
  // Nothing here is about limits of time, and the machine may be busy.
  const queryTime = 60_000;
  const stores = await openStores({ location, setting: "SVC_STORE", clock: systemClock, queryTime });
  const store = await stores.open(realm);
  const shape = (name: string, feed: CollectionShape["feed"]) => ({
    name,
    fields: documentFields,
    indexes: [],
    feed,
  });
  const own = [shape(seen, false), shape(steps, false), consumerShape];
  await store.provision([...followed.map((name) => shape(name, "documents")), ...own]);
  return { store, close: () => stores.close() };
}

/** Begins to write down every change, each in one transaction with the position after it. */
export function consume(store: Store): { readonly hub: Hub; close(): Promise<void> } {
  const hub = new Hub({ feed: store.feed });
  const interest = (collection: string): Interest => ({ collection, filter: TRUE, visibility: "all" });
  const consumer = new Consumer({
    store,
    history: hub.history,
    clock: systemClock,
    name: "crash",
    interests: new Map(followed.map((name) => [name, interest(name)])),
    work: writeDown,
    warn: (error) => console.error(error),
    takeover: 1_500,
    pause: () => new Promise((resolve) => setTimeout(resolve, 20)),
  });
  return {
    hub,
    close: async () => {
      await consumer.close();
      await hub.close();
    },
  };
}

async function writeDown(work: Work): Promise<void> {
  if (work.kind === "gap") throw new Error(`a gap from ${work.from} to ${work.to}`);
  await work.commit(async (transaction) => {
    const step = await nextStep(transaction);
    const noted = work.deliveries.map(({ change }, place) => seenOf(change, step, place));
    const written = noted.map((one) => ({
      id: randomUUID(),
      version: 1,
      createdAt: 0,
      text: JSON.stringify(one),
    }));
    await transaction.collection(seen).insertAll(written);
  });
}

function seenOf({ before, after, collection, id }: FeedDocumentChange, step: number, place: number): Seen {
  if (before === "unknown") throw new Error(`${id} is not known as it was`);
  const image = after ?? before;
  const sign = before === undefined ? "+" : after === undefined ? "-" : "~";
  const batch = image?.document["batch"];
  return {
    document: `${collection} ${id}`,
    did: `${sign}${image?.stored.version}`,
    batch: typeof batch === "string" ? batch : null,
    step,
    place,
  };
}

async function nextStep(transaction: Parameters<Parameters<Work["commit"]>[0]>[0]): Promise<number> {
  const collection = transaction.collection(steps);
  const found = await collection.get("steps", "live");
  const next = { id: "steps", version: (found?.version ?? 0) + 1, createdAt: 0, text: "{}" };
  if (found === undefined) await collection.insert(next);
  else await collection.replace(found.version, next);
  return next.version;
}
