import type { Clock } from "../clock.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { SharedStreams } from "../realm/realtime.ts";
import type { RealtimeGauges } from "../realm/realtime-metrics.ts";

/** How the realtime streams of an instance stand now. */
export function realtimeGauges(
  { open, subscriptions, buffers }: SharedStreams,
  realms: readonly Pick<RealmInstance, "hub">[],
  clock: Clock,
): RealtimeGauges {
  const now = clock.now();
  const untold = realms.map(({ hub }) => hub.history.untold);
  const late = untold.map(({ since = now }) => now - since);
  return {
    streams: open,
    subscriptions: { all: subscriptions, shared: sum(realms.map(({ hub }) => hub.interests)) },
    bufferedBytes: buffers.held,
    // Clocks of a shared store may be ahead.
    lag: { changes: sum(untold.map(({ changes }) => changes)), seconds: Math.max(0, ...late) / 1_000 },
  };
}

function sum(figures: readonly number[]): number {
  return figures.reduce((all, each) => all + each, 0);
}
