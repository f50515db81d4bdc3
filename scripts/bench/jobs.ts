// Empty jobs: queued, claimed and finished by a worker of the embedded engine, and by a loop written by hand on the same
// driver, which claims and finishes a hundred at a time, too, durably (`synchronous=FULL`), and knows nothing of kinds,
// lanes, attempts and fencing.
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { systemClock } from "../../runtime/clock.ts";
import { idGenerator } from "../../runtime/ids.ts";
import { laneShape } from "../../runtime/jobs/lanes.ts";
import { queueJob } from "../../runtime/jobs/queue.ts";
import { jobShape } from "../../runtime/jobs/records.ts";
import { JobWorker } from "../../runtime/jobs/worker.ts";
import { openSqliteStore } from "../../runtime/store/sqlite/store.ts";
import { middle } from "./middle.ts";

export interface JobOptions {
  /** Where files may be made. */
  readonly work: string;
  readonly rounds: number;
  readonly scale: number;
}

const together = 100;
const newId = idGenerator(systemClock);

/** Queues jobs; answers how to do them all, and how to end. */
type Round = (folder: string, count: number) => Promise<{ run(): Promise<void>; end(): Promise<void> }>;

/** What a job took. */
interface Cost {
  /** Microseconds of processor time. */
  readonly cpu: number;
  /** Microseconds. */
  readonly time: number;
}

export async function jobBenchmark({ work, rounds, scale }: JobOptions): Promise<void> {
  const count = Math.round(20_000 * scale);
  const [ours, byHand]: [Cost[], Cost[]] = [[], []];
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const [prepare, costs] of round % 2 === 0 ? pairs(ours, byHand) : pairs(ours, byHand).reverse()) {
      const folder = mkdtempSync(join(work, "jobs-"));
      const cost = await measured(await prepare(folder, count), count);
      rmSync(folder, { recursive: true });
      if (round >= 0) costs.push(cost);
    }
  }
  console.log("\n| empty jobs, claimed and finished | CPU µs a job | jobs/s |\n|---|---:|---:|");
  for (const [name, costs] of [
    ["worker", ours],
    ["by hand", byHand],
  ] as const) {
    const [cpu, time] = [middle(costs.map(({ cpu }) => cpu)), middle(costs.map(({ time }) => time))];
    console.log(`| ${name} | ${cpu.toFixed(1)} | ${Math.round(1e6 / time)} |`);
  }
  const cpu = (costs: readonly Cost[]) => middle(costs.map((cost) => cost.cpu));
  console.log(`\nBy CPU the loop by hand does ${(cpu(ours) / cpu(byHand)).toFixed(2)} times as many.`);
}

const pairs = (ours: Cost[], byHand: Cost[]): (readonly [Round, Cost[]])[] => [
  [worked, ours],
  [handwritten, byHand],
];

async function measured({ run, end }: Awaited<ReturnType<Round>>, count: number): Promise<Cost> {
  const [before, began] = [process.cpuUsage(), performance.now()];
  await run();
  const time = ((performance.now() - began) * 1000) / count;
  const { user, system } = process.cpuUsage(before);
  await end();
  return { cpu: (user + system) / count, time };
}

const worked: Round = async (folder, count) => {
  const store = await openSqliteStore({
    location: folder,
    realm: "bench",
    clock: systemClock,
    queryTime: 5_000,
  });
  await store.provision([jobShape, laneShape]);
  const log = { info: () => undefined, warn: () => undefined, error: console.error };
  const definition = {
    name: "bench",
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    collections: [],
  };
  const realm = { definition, store, clock: systemClock, newId, log };
  for (let queued = 0; queued < count; queued += together) {
    await store.transaction(async (transaction) => {
      for (let n = queued; n < Math.min(count, queued + together); n += 1)
        await queueJob(realm, transaction, { kind: "empty", target: "x", state: {}, by: "bench" });
    });
  }
  const worker = new JobWorker(realm, [{ name: "empty", limit: together, step: async () => ({}) }]);
  return {
    async run() {
      worker.wake();
      await worker.idle();
    },
    async end() {
      await worker.stop(0);
      await store.close();
    },
  };
};

const handwritten: Round = async (folder, count) => {
  const db = new DatabaseSync(join(folder, "jobs.sqlite"));
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE jobs (id TEXT PRIMARY KEY, status TEXT NOT NULL, due_at TEXT, body TEXT NOT NULL) WITHOUT ROWID;
    CREATE INDEX jobs_due ON jobs (due_at, id) WHERE due_at IS NOT NULL;
  `);
  const insert = db.prepare("INSERT INTO jobs (id, status, due_at, body) VALUES (?, 'queued', ?, '{}')");
  const due = db.prepare("SELECT id, body FROM jobs WHERE due_at <= ? ORDER BY due_at, id LIMIT 100");
  const claim = db.prepare("UPDATE jobs SET status = 'running', due_at = ? WHERE id = ?");
  const finish = db.prepare("UPDATE jobs SET status = 'succeeded', due_at = NULL WHERE id = ?");
  const inTransaction = (work: () => void) => {
    db.exec("BEGIN IMMEDIATE");
    work();
    db.exec("COMMIT");
  };
  for (let queued = 0; queued < count; queued += together)
    inTransaction(() => {
      for (let n = queued; n < Math.min(count, queued + together); n += 1)
        insert.run(newId(), new Date().toISOString());
    });
  return {
    async run() {
      for (;;) {
        const now = Date.now();
        const ids = due.all(new Date(now).toISOString()).map(({ id }) => String(id));
        if (ids.length === 0) return;
        inTransaction(() => {
          for (const id of ids) claim.run(new Date(now + 30_000).toISOString(), id);
        });
        await Promise.all(ids.map(async () => ({})));
        inTransaction(() => {
          for (const id of ids) finish.run(id);
        });
      }
    },
    end: async () => db.close(),
  };
};
