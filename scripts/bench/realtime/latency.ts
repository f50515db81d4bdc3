import { MongoClient } from "mongodb";
import { type Setting, streamsOf } from "./setting.ts";

const STREAMS = 100;
/** Changes a second. */
const RATES = [20, 100];

/**
 * From a write to the event, on a MongoDB server; beside it, from the same write to when a change stream of the bare
 * driver tells of it.
 */
export async function latency(setting: Setting, uri: string): Promise<void> {
  const { client, server, tokens, writer, scale, report } = setting;
  const seconds = Math.max(3, Math.round(20 * scale));
  const channelOf = (at: number) => `c${at % STREAMS}`;
  await client.open(
    server.url,
    streamsOf(tokens, STREAMS, (at) => ({ channel: channelOf(at) })),
  );
  const changes = await Changes.watch(uri, `svc-${server.realm}`);
  try {
    const told = async (perSecond: number, count: number) => {
      const coming = client.expect(count);
      await writer.atRate(perSecond, count / perSecond, channelOf);
      return { ours: await coming, own: await changes.take(count) };
    };
    for (const rate of RATES) {
      await told(rate, 2 * rate);
      const { ours, own } = await told(rate, seconds * rate);
      const said = (p50: number, p99: number) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
      const name = `${rate} changes a second, ${STREAMS} streams, on MongoDB`;
      report.add(`${name}: from the write to the event, p50 / p99, ms`, said(ours.p50, ours.p99), "");
      report.add(`${name}: to the change stream's own event, p50 / p99, ms`, said(own.p50, own.p99), "");
      report.add(`${name}: ours against it, p50 / p99`, said(ours.p50 / own.p50, ours.p99 / own.p99), "");
    }
  } finally {
    await changes.stop();
    await client.cut();
  }
}

/** What the server's change stream tells of, and when. */
class Changes {
  readonly #client: MongoClient;
  readonly #reading: Promise<void>;
  #latencies: number[] = [];
  #told = () => {};

  static async watch(uri: string, database: string): Promise<Changes> {
    const client = new MongoClient(uri);
    await client.connect();
    return new Changes(client, database);
  }

  private constructor(client: MongoClient, database: string) {
    this.#client = client;
    const stream = client.db(database).watch([{ $match: { operationType: "insert" } }]);
    this.#reading = (async () => {
      for await (const change of stream) {
        const sent = change.operationType === "insert" ? change.fullDocument["sent"] : undefined;
        if (typeof sent !== "number") continue;
        this.#latencies.push(performance.timeOrigin + performance.now() - sent);
        this.#told();
      }
    })().catch(() => undefined);
  }

  /** Resolves when so many were told since the last call. */
  async take(count: number): Promise<{ readonly p50: number; readonly p99: number }> {
    while (this.#latencies.length < count) await new Promise<void>((resolve) => (this.#told = resolve));
    const latencies = this.#latencies.sort((a, b) => a - b);
    this.#latencies = [];
    const part = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
    return { p50: part(0.5), p99: part(0.99) };
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#reading;
  }
}
