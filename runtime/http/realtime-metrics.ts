import type { Registry } from "prom-client";
import type { RealtimeMetrics } from "../realm/realtime-metrics.ts";
import { gaugesOf, type Prometheus } from "./gauges.ts";
import { tallyOf } from "./tally.ts";

export function realtimeMetrics(prometheus: Prometheus, register: Registry): RealtimeMetrics {
  const gauge = gaugesOf(prometheus, register);
  const tally = (name: string, help: string, label: string) =>
    tallyOf(prometheus, register, { name, help, label });
  return {
    sent: tally("svc_realtime_events_total", "Events told to realtime streams.", "event"),
    reset: tally("svc_realtime_resets_total", "Resets of subscriptions told to realtime streams.", "reason"),
    gauges(read) {
      gauge("svc_realtime_streams", "Open realtime streams.", (to) => to.set(read().streams));
      gauge(
        "svc_realtime_subscriptions",
        "Subscriptions of open realtime streams: all, and those that are evaluated once for several.",
        (to) => {
          const { all, shared } = read().subscriptions;
          to.set({ kind: "all" }, all);
          to.set({ kind: "shared" }, shared);
        },
        "kind",
      );
      gauge("svc_realtime_buffered_bytes", "Bytes of events that wait for realtime streams.", (to) =>
        to.set(read().bufferedBytes),
      );
      gauge("svc_realtime_feed_lag_changes", "Changes that the reader of the feed has yet to take.", (to) =>
        to.set(read().lag.changes),
      );
      gauge("svc_realtime_feed_lag_seconds", "Age of the oldest of them.", (to) =>
        to.set(read().lag.seconds),
      );
    },
  };
}
