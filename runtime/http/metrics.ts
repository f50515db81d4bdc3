import type { Handler } from "../realm/exchange.ts";
import type { FileMetrics } from "../realm/file-metrics.ts";
import type { FunctionMetrics } from "../realm/function-metrics.ts";
import type { RealtimeMetrics } from "../realm/realtime-metrics.ts";
import type { PoolFigures } from "../store/pool-figures.ts";
import type { Observer } from "./dispatcher.ts";
import { fileMetrics } from "./file-metrics.ts";
import { functionMetrics } from "./function-metrics.ts";
import { gaugesOf } from "./gauges.ts";
import { realtimeMetrics } from "./realtime-metrics.ts";

export interface Metrics {
  readonly observe: Observer;
  countIdConflict(realm: string, database: string, collection: string): void;
  /** `svc_function_events_lost_total`. */
  countEventsLost(realm: string): void;
  /** `svc_http_streams`; to be said once. */
  streams(count: () => number): void;
  readonly realtime: RealtimeMetrics;
  /** Made when it is first asked for: where a realm has functions. */
  functions(): FunctionMetrics;
  /** The same of a realm with storage. */
  files(realm: string): FileMetrics;
  /** The figures, and what their form is called. */
  text(): Promise<string>;
  readonly contentType: string;
  /** `GET /metrics`. */
  readonly handle: Handler;
}

const poolGauges = {
  svc_store_pool_size: { figure: "size", help: "Connections to the store's servers." },
  svc_store_pool_checked_out: { figure: "checkedOut", help: "Those of them that are in use." },
  svc_store_pool_waiting: { figure: "waiting", help: "Operations that wait for a connection." },
  svc_store_expensive_running: { figure: "expensive", help: "Expensive queries that run." },
  svc_store_expensive_waiting: {
    figure: "expensiveWaiting",
    help: "Expensive queries that wait for a turn.",
  },
} as const;

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Prometheus metrics (`SVC_METRICS`); the library is loaded only then. Label values are bounded by the configuration.
 * @param pool of connections to the store, where there is one
 */
export async function createMetrics(pool?: () => PoolFigures): Promise<Metrics> {
  const prometheus = await import("prom-client");
  const { collectDefaultMetrics, Counter, Histogram, Registry } = prometheus;
  const register = new Registry();
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: "svc_http_requests_total",
    help: "Requests answered, by route pattern, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [register],
  });
  const durations = new Histogram({
    name: "svc_http_request_duration_seconds",
    help: "Time from a request's arrival to its answer.",
    labelNames: ["route", "method", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [register],
  });
  const conflicts = new Counter({
    name: "svc_id_conflicts_total",
    help: "Creates refused because their custom id exists (id_taken).",
    labelNames: ["realm", "database", "collection"],
    registers: [register],
  });
  const eventsLost = new Counter({
    name: "svc_function_events_lost_total",
    help: "Times that triggers were not told what had happened, for history did not reach back.",
    labelNames: ["realm"],
    registers: [register],
  });
  const gauge = gaugesOf(prometheus, register);
  if (pool !== undefined) {
    for (const [name, { figure, help }] of Object.entries(poolGauges))
      gauge(name, help, (to) => to.set(pool()[figure]));
  }
  let functions: FunctionMetrics | undefined;
  let files: ReturnType<typeof fileMetrics> | undefined;
  return {
    observe(exchange, { pattern: route, status, milliseconds }) {
      const labels = { route, method: methods.has(exchange.method) ? exchange.method : "other", status };
      requests.inc(labels);
      durations.observe(labels, milliseconds / 1_000);
    },
    countIdConflict: (realm, database, collection) => conflicts.inc({ realm, database, collection }),
    countEventsLost: (realm) => eventsLost.inc({ realm }),
    streams: (count) => gauge("svc_http_streams", "Streamed answers under way.", (to) => to.set(count())),
    realtime: realtimeMetrics(prometheus, register),
    functions: () => {
      functions ??= functionMetrics(prometheus, register);
      return functions;
    },
    files: (realm) => {
      files ??= fileMetrics(prometheus, register);
      return files(realm);
    },
    text: () => register.metrics(),
    contentType: register.contentType,
    handle: async () => ({
      status: 200,
      body: await register.metrics(),
      headers: { "content-type": register.contentType },
    }),
  };
}
