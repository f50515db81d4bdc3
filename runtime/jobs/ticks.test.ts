import { describe, expect, test, vi } from "vitest";
import type { StoreCollection } from "../store/contract/collection.ts";
import { isEmbedded } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { jobCollection } from "./records.ts";
import { kind, waiting, workshop } from "./testing/workshop.ts";
import { lookEvery } from "./worker.ts";

const shop = workshop();

/** More than any worker ticks before a slow store answers. */
const many = 400;

/** Calls that wait while it is closed. */
class Gate {
  /** All that came. */
  calls = 0;
  #open = Promise.resolve();
  open: () => void = () => undefined;

  close(): void {
    this.calls = 0;
    this.#open = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  pass(): Promise<void> {
    this.calls += 1;
    return this.#open;
  }
}

/** The store of the workshop, whose looks ahead pass a gate: they alone ask for one job. */
function gatedLooks(): Gate {
  const gate = new Gate();
  const { store } = shop;
  const collection = store.collection.bind(store);
  vi.spyOn(store, "collection").mockImplementation((name): StoreCollection => {
    const of = collection(name);
    if (name !== jobCollection) return of;
    return Object.assign(Object.create(of), {
      async find(query: Parameters<StoreCollection["find"]>[0]) {
        if (query.limit === 1) await gate.pass();
        return of.find(query);
      },
    });
  });
  return gate;
}

/** The same, whose transactions do: where nothing is due, they are those of renewals. */
function gatedRenewals(): Gate {
  const gate = new Gate();
  const { store } = shop;
  const transaction = store.transaction.bind(store);
  vi.spyOn(store, "transaction").mockImplementation(async (work, options) => {
    await gate.pass();
    return transaction(work, options);
  });
  return gate;
}

// The worker's own order. On MongoDB its other transactions may still be under way when those of a tick are counted.
describe.runIf(isEmbedded)("A worker that ticks while its store is slow", () => {
  test("looks ahead once at a time, and once more for the ticks meanwhile", async () => {
    const looks = gatedLooks();
    const one = worker();
    looks.close();
    for (let tick = 0; tick < many; tick += 1) one.tick();
    await until(() => expect(looks.calls).toBeGreaterThan(0));
    looks.open();
    await one.idle();
    expect(looks.calls).toBe(2);
  });

  test("renews claims once at a time, and once more where they are due again meanwhile", async () => {
    await shop.queue();
    const { begun, step, end } = waiting();
    const renewals = gatedRenewals();
    const one = worker(step);
    one.wake();
    await until(() => expect(begun).toHaveLength(1));
    renewals.close();
    shop.clock.advance(lookEvery);
    for (let tick = 0; tick < many; tick += 1) one.tick();
    await until(() => expect(renewals.calls).toBeGreaterThan(0));
    shop.clock.advance(lookEvery);
    for (let tick = 0; tick < many; tick += 1) one.tick();
    renewals.open();
    await until(() => expect(renewals.calls).toBeGreaterThan(1));
    end("org:a");
    await one.idle();
    // The last one finishes the job.
    expect(renewals.calls).toBe(3);
    expect(shop.errors).toEqual([]);
  });
});

function worker(step?: Parameters<typeof kind>[0]) {
  return shop.worker(...(step === undefined ? [] : [kind(step)]));
}
