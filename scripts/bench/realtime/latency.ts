import { Changes } from "../changes.ts";
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
