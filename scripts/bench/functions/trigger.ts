import { Changes } from "../changes.ts";
import { cpuOf } from "../cpu.ts";
import { middle } from "../middle.ts";
import type { MeasuredServer } from "../servers.ts";
import { type Both, inTurn, part, type Setting } from "../setting.ts";
import { Sender } from "./sender.ts";

/** Writes a second. */
const RATE = 100;

/**
 * From the write of an order, as its client sends it, to the receipt that the trigger's handler writes; by hand the route
 * writes it itself once the order is stored. On MongoDB beside it: to when a change stream of the bare driver tells of the order.
 */
export async function triggers({ rounds, scale, report, place }: Setting, both: Both): Promise<void> {
  const count = RATE * Math.max(3, Math.round(10 * scale));
  const uri = place.environment("functions")["SVC_STORE"] ?? "";
  const changes = uri.startsWith("mongodb")
    ? await Changes.watch(uri, `svc-${both.generated.realm}`, "shop.orders")
    : undefined;
  const [latencies, streams]: [{ p50: number; p99: number }[], { p50: number; p99: number }[]] = [[], []];
  const [own, its]: [number[], number[]] = [[], []];
  try {
    // The first round warms up.
    for (let round = -1; round < rounds; round++) {
      for (const server of inTurn(both, round)) {
        const isOwn = server === both.generated;
        const { cpu, times } = await ordersOf(server, count, isOwn);
        const told = isOwn ? await changes?.take(count) : undefined;
        if (round < 0) continue;
        (isOwn ? own : its).push(cpu);
        if (isOwn) latencies.push({ p50: part(times, 0.5), p99: part(times, 0.99) });
        if (told !== undefined) streams.push(told);
      }
    }
  } finally {
    await changes?.stop();
  }
  const said = (all: typeof latencies) =>
    `${middle(all.map(({ p50 }) => p50)).toFixed(1)} / ${middle(all.map(({ p99 }) => p99)).toFixed(1)}`;
  const name = `trigger, ${RATE} writes a second`;
  report.add(
    `${name}: from the write to the handler's, p50 / p99, ms`,
    said(latencies),
    changes === undefined ? "p99 under 100" : "",
  );
  if (changes !== undefined)
    report.add(`${name}: to the change stream's own event, p50 / p99, ms`, said(streams), "");
  report.add(
    `${name}: CPU µs a write and what follows it, ours / by hand`,
    `${middle(own).toFixed(0)} / ${middle(its).toFixed(0)}`,
    "",
  );
  report.add(`${name}: CPU, by hand / ours`, middle(own.map((cpu, at) => (its[at] ?? cpu) / cpu)), "");
}

/** Writes orders, and waits for their receipts. @param isRead whether to say how long each took */
async function ordersOf(
  server: MeasuredServer,
  count: number,
  isRead: boolean,
): Promise<{ readonly cpu: number; readonly times: readonly number[] }> {
  const sender = new Sender(server);
  try {
    const before = await sender.receipts();
    const note = "Please leave it at the neighbours' door. ".repeat(8);
    const now = () => performance.timeOrigin + performance.now();
    const began = now();
    const cpu = await cpuOf(server, async () => {
      const post = () => sender.post("orders", { sent: now(), note });
      await sender.atRate(RATE, (sent) => sent === count, post);
      await sender.untilReceipts(before + count, 100);
    });
    return { cpu: cpu / count, times: isRead ? await timesOf(sender, began) : [] };
  } finally {
    sender.close();
  }
}

interface Receipts {
  readonly items: readonly { readonly sent: number; readonly _meta: { readonly created_at: string } }[];
  readonly next_cursor?: string;
}

/** Milliseconds from when each order was sent until its receipt was made. @param since orders that were sent before do not count */
async function timesOf(sender: Sender, since: number): Promise<readonly number[]> {
  const times: number[] = [];
  const where = encodeURIComponent(JSON.stringify({ sent: { $gte: since } }));
  for (let after: string | undefined = ""; after !== undefined; ) {
    const from: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const { text } = await sender.get(`receipts?limit=100&where=${where}${from}`);
    const page: Receipts = JSON.parse(text);
    for (const { sent, _meta } of page.items) times.push(Date.parse(_meta.created_at) - sent);
    after = page.next_cursor;
  }
  return times;
}
