import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { findJob, queueJob } from "../jobs/queue.ts";
import type { JobRealm } from "../jobs/step.ts";
import { erasingOf } from "../organizations/erasing.ts";
import { organizationsIn } from "../organizations/testing/realm.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import type { BackgroundJob } from "./job.ts";
import { startJobs } from "./jobs.ts";
import { realmCollections } from "./realm.ts";
import { shopModule } from "./testing/fixture.ts";
import { organizationsModule } from "./testing/fixture-organizations.ts";
import { type HeldClock, heldClock } from "./testing/servers.ts";

const { definition } = organizationsModule("shop");

let clock: HeldClock;
let store: Store;
let realm: JobRealm;
let jobs: BackgroundJob | undefined;
let minute: () => void;
let errors: object[];
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
  realm = { definition, store, clock, newId: idGenerator(clock), log: silent };
  errors = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await jobs?.stop();
  await store.close();
});

function start(realms: readonly JobRealm[] = [realm]): BackgroundJob {
  const log = { ...silent, error: (fields: object) => errors.push(fields) };
  jobs = startJobs(realms, log, (_, work) => {
    minute = work;
    return () => undefined;
  });
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
  vi.waitFor(async () => expect((await findJob(store, job))?.status).toBe("succeeded"), { timeout: 20_000 });

describe("Jobs of an instance", () => {
  it("are done at the start, when one is queued, and every minute", async () => {
    const before = await queue();
    const running = start();
    await done(before);
    const queued = await queue();
    running.wake();
    await done(queued);
    const unheard = await queue();
    minute();
    await done(unheard);
  });

  it("that are queued while others are done are done after them, at once", async () => {
    const job = await queue();
    const running = start();
    const find = store.collection("_svc.jobs").find;
    // Queued just when the round has looked for the last time.
    let late: string | undefined;
    vi.spyOn(store.collection("_svc.jobs"), "find").mockImplementation(async function (this: unknown, query) {
      const found = await Reflect.apply(find, this, [query]);
      if (found.length === 0 && late === undefined) {
        late = await queue();
        running.wake();
      }
      return found;
    });
    await done(job);
    await vi.waitFor(() => expect(late).toBeDefined());
    await done(late ?? "");
  });

  it("are left to whoever is at them", async () => {
    const lease = await store.lease("jobs", 60_000);
    const job = await queue();
    const running = start();
    await running.stop();
    expect((await findJob(store, job))?.status).toBe("queued");
    await lease?.release();
    start();
    await done(job);
  });

  it("end with the step under way when the instance stops", async () => {
    const job = await queue();
    const transaction = store.transaction.bind(store);
    let stopped: Promise<void> | undefined;
    vi.spyOn(store, "transaction").mockImplementation((work) => {
      stopped ??= running.stop();
      running.wake();
      return transaction(work);
    });
    const running = start();
    await vi.waitFor(() => expect(stopped).toBeDefined());
    await stopped;
    expect(await findJob(store, job)).toMatchObject({ status: "running", attempts: 0 });
    vi.restoreAllMocks();
    start();
    await done(job);
  });

  it("outlast a store that is away", async () => {
    const job = await queue();
    vi.spyOn(store, "lease").mockRejectedValueOnce(new Error("away"));
    const running = start();
    await vi.waitFor(() => expect(errors).toMatchObject([{ realm: "shop" }]));
    running.wake();
    await done(job);
  });

  it("are nobody's where no realm has organizations", async () => {
    const lease = vi.spyOn(store, "lease");
    await start([{ ...realm, definition: shopModule({}).definition }]).stop();
    expect(lease).not.toHaveBeenCalled();
  });
});
