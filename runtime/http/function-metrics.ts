import type { Registry } from "prom-client";
import { kept } from "../kept.ts";
import type { FunctionMetrics } from "../realm/function-metrics.ts";
import { gaugesOf, type Prometheus } from "./gauges.ts";

export function functionMetrics(prometheus: Prometheus, register: Registry): FunctionMetrics {
  const gauge = gaugesOf(prometheus, register);
  const invocations = new prometheus.Counter({
    name: "svc_function_invocations_total",
    help: "Invocations of functions, by what came of them; busy: there was no room.",
    labelNames: ["realm", "function", "outcome"],
    registers: [register],
  });
  const durations = new prometheus.Histogram({
    name: "svc_function_duration_seconds",
    help: "Time that invocations of functions ran in their threads.",
    labelNames: ["realm", "function"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 300],
    registers: [register],
  });
  const counters = new Map<string, ReturnType<typeof invocations.labels>>();
  const histograms = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    invoked(realm, name, outcome, seconds) {
      const series = `${realm}/${name}`;
      kept(counters, `${series} ${outcome}`, () => invocations.labels(realm, name, outcome)).inc();
      if (seconds !== undefined)
        kept(histograms, series, () => durations.labels(realm, name)).observe(seconds);
    },
    gauges(read) {
      gauge("svc_function_workers", "Threads that run functions.", (to) => to.set(read().workers));
      gauge("svc_function_workers_busy", "Those of them that run something.", (to) => to.set(read().busy));
      gauge("svc_function_queue", "Runs of functions that wait for a thread.", (to) => to.set(read().queued));
    },
  };
}
