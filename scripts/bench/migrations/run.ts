// A migration of a collection in the background, beside 200 requests a second; what these notice of it, and what a document
// costs, against a script written by hand.

import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fillBeforeMigrations } from "../../before-migrations.ts";
import { compileRealm } from "../../compiled.ts";
import { cpuOf } from "../cpu.ts";
import { makeKey } from "../credentials.ts";
import { type Answered, Sender } from "../functions/sender.ts";
import { middle } from "../middle.ts";
import { Report } from "../report.ts";
import { type MeasuredServer, startGenerated } from "../servers.ts";
import { part, type Setting } from "../setting.ts";
import { item } from "../workload.ts";
import { idOf, oldItems } from "./documents.ts";
import { migrateByHand } from "./handwritten.ts";

/** Requests a second. */
const RATE = 200;
/** Seconds of requests beside which nothing happens. */
const IDLE = 20;
/** Milliseconds between two looks at how far it is. */
const LOOK = 250;

interface Options extends Omit<Setting, "report"> {
  /** Where files may be made. */
  readonly work: string;
}

export async function migrationBenchmark({ work, place, bundle, rounds, scale }: Options): Promise<void> {
  const report = new Report();
  const count = Math.round(1_000_000 * scale);
  const realm = place.nameOf("migrations");
  const { definition } = await compileRealm(place.config, realm);
  const [items] = definition.collections;
  if (items === undefined) throw new Error("the realm has no collection");
  const setting = place.environment("migrations")["SVC_STORE"] ?? "";
  await fillBeforeMigrations(setting, realm, items, oldItems(count));
  const key = makeKey(bundle, place, "migrations", ["--admin"]);
  const server = await startGenerated(bundle, place, "migrations");
  const sender = new Sender(server);
  try {
    const began = performance.now();
    let isDone = false;
    let during: readonly number[] = [];
    let seconds = 0;
    const cpu = await cpuOf(server, async () => {
      const migrated = untilMigrated(server, key).finally(() => {
        seconds = (performance.now() - began) / 1000;
        isDone = true;
      });
      [during] = await Promise.all([atRate(sender, count, () => isDone), migrated]);
    });
    let idle: readonly number[] = [];
    const idleCpu = await cpuOf(server, async () => {
      idle = await atRate(sender, count, (sent) => sent === RATE * IDLE);
    });
    const perDocument = (cpu - (idleCpu / idle.length) * during.length) / count;
    report.add(`documents migrated a second, beside ${RATE} requests a second`, count / seconds, "10000");
    const times = (all: readonly number[]) => `${part(all, 0.5).toFixed(1)} / ${part(all, 0.99).toFixed(1)}`;
    report.add("requests p50 / p99 meanwhile, ms", times(during), "");
    report.add("the same when nothing else happens", times(idle), "");
    if (!setting.startsWith("mongodb")) {
      const byHand: number[] = [];
      const schema = join(place.config, realm, "shop/items/schema.json");
      for (let round = -1; round < rounds; round += 1) {
        const folder = join(work, `by-hand-${round}`);
        mkdirSync(folder);
        const one = await migrateByHand(folder, schema, Math.min(count, 50_000));
        if (round >= 0) byHand.push(one);
      }
      const costs = `${perDocument.toFixed(0)} / ${middle(byHand).toFixed(0)}`;
      report.add("CPU µs a document, ours / a script by hand", costs, "");
    }
  } finally {
    sender.close();
    await server.stop();
  }
  report.print(
    `migrations of ${count} documents`,
    "Of ten requests six get a document, two list 20, one patches, one creates.",
  );
}

function atRate(
  sender: Sender,
  count: number,
  isOver: (sent: number) => boolean,
): Promise<readonly number[]> {
  const any = () => `items/${idOf(randomInt(count))}`;
  const send = (at: number): Promise<Answered> => {
    const kind = at % 10;
    if (kind < 6) return sender.get(any());
    if (kind < 8) return sender.get("items?limit=20");
    return kind === 8
      ? sender.patch(any(), { stock: randomInt(500) })
      : sender.post("items", { ...item(), unit: "piece" });
  };
  return sender.atRate(RATE, isOver, send);
}

async function untilMigrated({ url, realm }: MeasuredServer, key: string): Promise<void> {
  for (;;) {
    await setTimeout(LOOK);
    const answer = await fetch(`${url}/v1/${realm}/_admin/migrations`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { items }: { items?: { state: string; done: number; total: number }[] } = JSON.parse(
      await answer.text(),
    );
    const [one] = items ?? [];
    if (one === undefined || one.state === "failed")
      throw new Error(`the migrations: ${JSON.stringify(items)}`);
    process.stderr.write(`\r${one.done} of ${one.total} documents    `);
    if (one.state === "done") return;
  }
}
