import { afterEach, describe, expect, it, vi } from "vitest";
import { eq } from "../filter/algebra.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import type { JobKind, JobRealm } from "../jobs/kind.ts";
import { findJob, queueJob } from "../jobs/queue.ts";
import { jobCollection, jobFields } from "../jobs/records.ts";
import { runJobs } from "../jobs/testing/run.ts";
import { JobWorker } from "../jobs/worker.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { realmCollections } from "./realm.ts";
import { retention } from "./retention.ts";
import { item, shopModule } from "./testing/fixture.ts";
import { type HeldClock, heldClock } from "./testing/servers.ts";

const day = 86_400_000;
const module = shopModule({ softDelete: { retention: day } });

let clock: HeldClock;
let store: Store;
afterEach(() => store.close());

async function trash(count: number, purgeAt: number): Promise<void> {
  const items = store.collection("main.items");
  const deletedAt = clock.now();
  for (let at = 0; at < count; at += 1) await items.insert(item(`d${at}`, { deletedAt, purgeAt }));
  await items.insert(item("kept", { deletedAt }));
  await items.insert(item("live"));
}

/** A store of the realm, which no server sweeps. */
async function start({ definition } = module): Promise<void> {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
}

const ofRealm = (definition = module.definition): JobRealm => ({
  definition,
  store,
  clock,
  newId: idGenerator(clock),
  log: silent,
});

/** One sweep, whenever it is due; answers how many documents it removed. */
async function sweep(realm = ofRealm()): Promise<unknown> {
  clock.advance(60_000);
  await runJobs(realm, [retention([])]);
  return (await findJob(store, "retention"))?.result?.["removed"];
}

describe("States and transitions: retention elapsed", () => {
  it("removes expired deleted documents, however many, and nothing else", async () => {
    await start();
    await trash(450, clock.now() + day);
    expect(await sweep()).toBe(0);
    clock.advance(day);
    expect(await sweep()).toBe(450);
    expect(await sweep()).toBe(0);
    const items = store.collection("main.items");
    expect(await items.get("kept", "deleted")).toBeDefined();
    expect(await items.get("live", "live")).toBeDefined();
  });

  it("removes what a retention marked, also when the collection has none any longer", async () => {
    const { definition } = shopModule({ softDelete: {} });
    await start({ ...module, definition });
    await store.collection("main.items").insert(item("a", { deletedAt: 1, purgeAt: 2 }));
    await store.collection("main.items").insert(item("b", { deletedAt: 1 }));
    expect(await sweep(ofRealm(definition))).toBe(1);
    expect(await store.collection("main.items").get("b", "deleted")).toBeDefined();
  });

  it("is done by one instance at a time, and taken over from one that says nothing any more", async () => {
    await start();
    await trash(3, clock.now());
    let go: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let begun = 0;
    const slow = new JobWorker(ofRealm(), [
      {
        ...retention([]),
        async step() {
          begun += 1;
          await held;
          return { result: { removed: -1 } };
        },
      },
    ]);
    slow.wake();
    await until(() => expect(begun).toBe(1));
    await runJobs(ofRealm(), [retention([])]);
    expect((await findJob(store, "retention"))?.result).toBeNull();
    expect(await sweep()).toBe(3);
    go();
    await slow.stop(0);
    expect((await findJob(store, "retention"))?.result).toEqual({ removed: 3 });
  });

  it("bounds the history of jobs", async () => {
    await start();
    const kept: JobKind = { name: "noted", limit: 20, kept: 2, step: async () => ({}) };
    for (let n = 0; n < 5; n += 1) {
      await store.transaction((transaction) =>
        queueJob(ofRealm(), transaction, { kind: "noted", target: "x", state: {}, by: "x" }),
      );
    }
    await runJobs(ofRealm(), [kept]);
    await runJobs(ofRealm(), [retention([kept])]);
    expect(await store.collection(jobCollection).count(eq(jobFields.kind, "noted"), "all")).toBe(2);
  });

  it("ends early where the instance stops, and outlasts a store that fails", async () => {
    await start();
    await trash(450, clock.now());
    const realm = ofRealm();
    const worker = new JobWorker(realm, [retention([])]);
    const items = store.collection("main.items");
    const remove = items.removeExpired.bind(items);
    const failing = vi.spyOn(items, "removeExpired").mockRejectedValueOnce(new Error("unreachable"));
    worker.wake();
    await worker.idle();
    expect((await findJob(store, "retention"))?.error).toEqual(expect.any(String));
    failing.mockImplementation(async (limit) => {
      void worker.stop(60_000);
      return remove(limit);
    });
    clock.advance(60_000);
    worker.tick();
    await worker.idle();
    failing.mockRestore();
    expect((await findJob(store, "retention"))?.result).toEqual({ removed: 200 });
    expect(await sweep(realm)).toBe(250);
  });

  it("tells how many it removed", async () => {
    await start();
    await trash(1, clock.now());
    const told: unknown[] = [];
    await sweep({ ...ofRealm(), log: { ...silent, info: (fields: object) => told.push(fields) } });
    expect(told).toEqual([{ realm: "shop", removed: 1 }]);
  });
});
