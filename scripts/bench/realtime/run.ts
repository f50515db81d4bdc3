// Realtime streams: what they cost while nothing happens, what a change costs that reaches one, many or all of them, and
// what they cost others; against a bare `node:http` server that writes the same bytes to as many sockets.

import { cpuOf } from "../cpu.ts";
import { middle } from "../middle.ts";
import type { Place } from "../place.ts";
import { Report } from "../report.ts";
import { type MeasuredServer, startBareStreams, startGenerated } from "../servers.ts";
import { type Delivered, StreamClient } from "./client.ts";
import { latency } from "./latency.ts";
import { measureOthers } from "./others.ts";
import { peopleOf } from "./people.ts";
import { type Setting, streamsOf } from "./setting.ts";
import { Writer } from "./writer.ts";

export interface RealtimeOptions {
  readonly place: Place;
  readonly bundle: string;
  readonly rounds: number;
  readonly scale: number;
  /** Open at a time. */
  readonly streams: number;
}

/** Callers; each has some of the streams. */
const CALLERS = 500;

export async function realtimeBenchmark(options: RealtimeOptions): Promise<void> {
  const { place, bundle, streams, rounds, scale } = options;
  const tokens = await peopleOf(place, bundle, CALLERS);
  const report = new Report();
  const started: { stop(): Promise<void> }[] = [];
  const hold = async <T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const one = await starting;
    started.push(one);
    return one;
  };
  try {
    const server = await hold(
      startGenerated(bundle, place, "realtime", { environment: limits(streams), options: ["--expose-gc"] }),
    );
    const bare = await hold(startBareStreams());
    const client = await hold(StreamClient.start(server.realm));
    const bareClient = await hold(StreamClient.start(server.realm));
    const writer = new Writer(server, tokens[0] ?? "");
    const setting = { server, bare, client, bareClient, writer, tokens, streams, rounds, scale, report };
    const store = place.environment("realtime")["SVC_STORE"] ?? "";
    // What a change costs on MongoDB is mostly the server's, and a test server's at that.
    if (store.startsWith("mongodb")) await latency(setting, store);
    else {
      await idle(setting);
      await broadcasts(setting);
      await measureOthers(setting);
    }
  } finally {
    for (const one of started.reverse()) await one.stop();
  }
  report.print(
    `realtime, ${streams} streams`,
    `Medians of ${rounds} rounds; the bare server writes the same bytes to as many sockets.`,
  );
}

/** As many as are asked for, however fast, while those that were cut are still counted. */
function limits(streams: number): NodeJS.ProcessEnv {
  return {
    SVC_MAX_CONNECTIONS: String(4 * streams + 1_000),
    SVC_REALTIME_MAX_STREAMS: String(4 * streams),
    SVC_REALTIME_MAX_STREAMS_PER_CALLER: "10000",
    SVC_REALTIME_STREAMS_PER_SECOND: "1000",
  };
}

/** Memory of streams that nothing happens to. */
async function idle({ server, bare, client, bareClient, tokens, streams, report }: Setting): Promise<void> {
  const each = async (one: MeasuredServer, by: StreamClient): Promise<number> => {
    // What is loaded and made once is no stream's.
    const asked = streamsOf(tokens, streams, () => ({ channel: "nobody" }));
    await by.open(one.url, asked.slice(0, 20));
    await by.cut();
    const before = await one.collected();
    await by.open(one.url, asked);
    const after = await one.collected();
    await by.cut();
    return (after.rss - before.rss) / streams / 1024;
  };
  const [own, its] = [await each(server, client), await each(bare, bareClient)];
  report.add("memory of an idle stream, KiB", own, "under 20");
  report.add("the same, against the bare server's", own / its, "");
}

/** Changes that reach one, a hundred, and all. */
export async function broadcasts(setting: Setting): Promise<void> {
  const { server, bare, client, bareClient, tokens, streams, report } = setting;
  const few = Math.min(100, streams);
  const where = (at: number) => ({
    channel: { $in: ["all", at < few ? "few" : "none", at === 0 ? "one" : "no"] },
  });
  const asked = streamsOf(tokens, streams, where);
  await client.open(server.url, asked);
  await bareClient.open(bare.url, asked);
  for (const [channel, reached] of [
    ["one", 1],
    ["few", few],
    ["all", streams],
  ] as const) {
    const measured = await rounds(setting, channel, reached);
    const name = channel === "all" ? `all ${streams}` : String(reached);
    report.add(`a change for ${name}: delivery p50 / p99, ms`, measured.delivery, "");
    report.add(`a change for ${name}: CPU of a delivered event, µs`, measured.own / reached, "");
    report.add(
      `a change for ${name}: the same, against the bare server's`,
      measured.ratio,
      channel === "all" ? "at most 2" : "",
    );
  }
  await client.cut();
  await bareClient.cut();
}

interface Round {
  readonly delivery: string;
  /** Microseconds of a change. */
  readonly own: number;
  readonly ratio: number;
}

async function rounds(setting: Setting, channel: string, reached: number): Promise<Round> {
  const { server, bare, client, bareClient, writer, rounds, scale } = setting;
  const changes = Math.max(3, Math.round((reached === 1 ? 300 : reached <= 100 ? 100 : 10) * scale));
  const [own, ratios, delivered]: [number[], number[], Delivered[]] = [[], [], []];
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    // What the write itself costs is no delivery's.
    const writes = await cpuOf(server, () => writer.oneByOne(changes, "nobody"));
    // Each when the one before has reached everybody, so that nothing is written together.
    let last: Delivered | undefined;
    const all = await cpuOf(server, async () => {
      for (let n = 0; n < changes; n += 1) {
        const coming = client.expect(reached);
        await writer.create(channel);
        last = await coming;
        if (round >= 0) delivered.push(last);
      }
    });
    const { frame } = last ?? { frame: "" };
    const bareAll = await cpuOf(bare, async () => {
      for (let n = 0; n < changes; n += 1) {
        const coming = bareClient.expect(reached);
        bare.write(frame, reached);
        await coming;
      }
    });
    if (round < 0) continue;
    const cost = (all - writes) / changes;
    own.push(cost);
    ratios.push(cost / (bareAll / changes));
  }
  const p50 = middle(delivered.map((one) => one.p50)).toFixed(1);
  const p99 = middle(delivered.map((one) => one.p99)).toFixed(1);
  return { delivery: `${p50} / ${p99}`, own: middle(own), ratio: middle(ratios) };
}
