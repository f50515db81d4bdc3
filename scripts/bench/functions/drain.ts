import { cpuOf } from "../cpu.ts";
import { middle } from "../middle.ts";
import { type MeasuredServer, startGenerated } from "../servers.ts";
import { part, type Setting } from "../setting.ts";
import { measure, type Row, seed } from "../workload.ts";
import { Sender } from "./sender.ts";

/** Gets a second, which leave most of the processor to the jobs. */
const RATE = 200;

/** Calls of one enqueuing function. */
const FILLED = 500;

const byHandRow: Row = {
  name: "the jobs' handler as a route",
  amount: 5_000,
  status: 200,
  consumes: false,
  request: ({ functions }) => ({
    method: "POST",
    path: `${functions}/record`,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ of: "by hand", sent: 0 }),
  }),
};

/** Queued jobs, done while documents are read: what the reads notice of it, and what a job costs. */
export async function drain(setting: Setting, byHand: MeasuredServer): Promise<void> {
  const { place, bundle, scale, report } = setting;
  const jobs = Math.max(FILLED, Math.round((10_000 * scale) / FILLED) * FILLED);
  // Until then none is begun, and the server is another by then, so that all are due when it starts.
  const delay = Math.ceil(10 + jobs / 100);
  const due = Date.now() + delay * 1000;
  const { id, before } = await fill(setting, jobs, `${delay}s`);
  while (Date.now() < due + delay * 100) await new Promise((resolve) => setTimeout(resolve, 100));
  const server = await startGenerated(bundle, place, "functions");
  const sender = new Sender(server);
  try {
    // Threads start with the first of them, and the server with them: that is another figure's.
    const warm = before + Math.round(jobs / 5);
    let isWarm = false;
    const reading = sender.atRate(
      RATE,
      () => isWarm,
      () => sender.get(`items/${id}`),
    );
    await sender.untilReceipts(warm, 50).finally(() => {
      isWarm = true;
    });
    await reading;
    const left = before + jobs - (await sender.receipts());
    const began = performance.now();
    let isDone = false;
    let during: readonly number[] = [];
    const cpu = await cpuOf(server, async () => {
      const gets = sender.atRate(
        RATE,
        () => isDone,
        () => sender.get(`items/${id}`),
      );
      await sender.untilReceipts(before + jobs, 250).finally(() => {
        isDone = true;
      });
      during = await gets;
    });
    const seconds = (performance.now() - began) / 1000;
    let idle: readonly number[] = [];
    const idleCpu = await cpuOf(server, async () => {
      idle = await sender.atRate(
        RATE,
        (sent) => sent === RATE * 5,
        () => sender.get(`items/${id}`),
      );
    });
    const perJob = (cpu - (idleCpu / idle.length) * during.length) / left;
    const routes: number[] = [];
    for (let round = -1; round < setting.rounds; round++) {
      const one = await measure(byHand, byHandRow, [], Math.round(byHandRow.amount * scale));
      if (round >= 0) routes.push(one.cpu);
    }
    const times = (all: readonly number[]) => `${part(all, 0.5).toFixed(1)} / ${part(all, 0.99).toFixed(1)}`;
    const name = `${jobs} queued jobs`;
    report.add(`${name}: done a second`, left / seconds, "");
    report.add(`${name}: get p50 / p99 meanwhile, ms, ${RATE} a second`, times(during), "");
    report.add(`${name}: the same when nothing else happens`, times(idle), "");
    report.add(`${name}: get p99, meanwhile / idle`, part(during, 0.99) / part(idle, 0.99), "at most 2");
    report.add(
      `${name}: CPU µs a job, ours / the handler as a route by hand`,
      `${perJob.toFixed(0)} / ${middle(routes).toFixed(0)}`,
      "",
    );
  } finally {
    sender.close();
    await server.stop();
  }
}

/** Queues them; answers the id of a document, and how many receipts there are. */
async function fill(
  { place, bundle }: Setting,
  jobs: number,
  delay: string,
): Promise<{ readonly id: string; readonly before: number }> {
  const server = await startGenerated(bundle, place, "functions");
  const sender = new Sender(server);
  try {
    const [id = ""] = await seed(server, 100);
    const before = await sender.receipts();
    for (let queued = 0; queued < jobs; queued += FILLED)
      await sender.post("_func/fill", { count: FILLED, delay });
    return { id, before };
  } finally {
    sender.close();
    await server.stop();
  }
}
