import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import type { JobRealm } from "../jobs/kind.ts";
import { findJob, queueJob } from "../jobs/queue.ts";
import { eraseOrganization, erasingOf } from "../organizations/erasing.ts";
import { organizationsIn } from "../organizations/testing/realm.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { type Jobs, startJobs } from "./jobs.ts";
import { realmCollections } from "./realm.ts";
import { organizationsModule } from "./testing/fixture-organizations.ts";
import { type HeldClock, heldClock } from "./testing/servers.ts";

const { definition } = organizationsModule("shop");

let clock: HeldClock;
let store: Store;
let realm: JobRealm;
let jobs: Jobs | undefined;
/** Looks for what is due, as every ten seconds. */
let tick: () => void;
let periods: number[];
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
  realm = { definition, store, clock, newId: idGenerator(clock), log: silent };
  periods = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await jobs?.stop();
  await store.close();
});

function start(): Jobs {
  jobs = startJobs(
    [realm],
    () => [eraseOrganization],
    (period, work) => {
      periods.push(period);
      tick = work;
      return () => undefined;
    },
  );
  return jobs;
}

/** Deletes a new organization; answers the job. */
async function queue(): Promise<string> {
  const made = organizationsIn(realm);
  const org = await made.createOrg({ id: "ada" }, { slug: `org-${realm.newId()}` });
  const job = realm.newId();
  await made.changeOrg(org, (record) => ({ ...record, status: "deleted", slug_key: null, cleanup: { job } }));
  return store.transaction((transaction) =>
    queueJob(realm, transaction, { ...erasingOf(org.id, "user:ada"), id: job }),
  );
}

const done = (job: string) =>
  until(async () => expect((await findJob(store, job))?.status).toBe("succeeded"));

describe("Jobs of an instance", () => {
  it("are done at the start, when one is queued, and every ten seconds", async () => {
    const before = await queue();
    const running = start();
    await done(before);
    const queued = await queue();
    running.wake("shop");
    await done(queued);
    const unheard = await queue();
    tick();
    await done(unheard);
    expect(periods).toEqual([10_000]);
  });

  it("that are queued while others are looked for are done after them, at once", async () => {
    const job = await queue();
    const running = start();
    const find = store.collection("_svc.jobs").find;
    // Queued just when the worker has looked for the last time.
    let late: string | undefined;
    vi.spyOn(store.collection("_svc.jobs"), "find").mockImplementation(async function (this: unknown, query) {
      const found = await Reflect.apply(find, this, [query]);
      if (found.length === 0 && late === undefined) {
        late = await queue();
        running.wake("shop");
      }
      return found;
    });
    await done(job);
    await until(() => expect(late).toBeDefined());
    await done(late ?? "");
  });

  it("end with the step under way when the instance stops", async () => {
    const job = await queue();
    const transaction = store.transaction.bind(store);
    let stopped: Promise<void> | undefined;
    vi.spyOn(store, "transaction").mockImplementation((work) => {
      stopped ??= running.stop();
      running.wake("shop");
      return transaction(work);
    });
    const running = start();
    await until(() => expect(stopped).toBeDefined());
    await stopped;
    expect(await findJob(store, job)).toMatchObject({ status: "running", attempts: 0 });
    vi.restoreAllMocks();
    start();
    await done(job);
  });
});
