import { setTimeout } from "node:timers/promises";
import { listenFailure } from "../http/listening.ts";
import type { Metrics } from "../http/metrics.ts";
import { type MetricsServer, serveMetrics } from "../http/metrics-server.ts";
import type { Log } from "../realm/exchange.ts";
import type { Settings } from "./settings.ts";

/** Milliseconds between two attempts to have the address. */
const pause = 200;

/** The metrics of an instance at an address of their own, where `SVC_METRICS` names one. */
export interface Figures {
  /** @throws what hinders listening, for people */
  open(): Promise<void>;
  /** The same, as soon as the server that hands over gives up the address. */
  openWhenFree(): void;
  close(): Promise<void>;
}

export function serveFigures(
  { metrics: address }: Pick<Settings, "metrics">,
  metrics: Metrics | undefined,
  log: Log,
): Figures {
  const closing = new AbortController();
  let opened: MetricsServer | undefined;
  let opening: Promise<void> | undefined;
  async function open(): Promise<void> {
    if (metrics === undefined || typeof address === "string") return;
    opened = await serveMetrics(metrics, address).catch((cause: unknown) => {
      throw new Error(listenFailure(address.host, address.port, cause, "SVC_METRICS"), { cause });
    });
    log.info({ url: opened.url }, "metrics");
  }
  async function openWhenFree(): Promise<void> {
    let told = false;
    while (!closing.signal.aborted) {
      try {
        return await open();
      } catch (error) {
        if (!told) log.warn({ reason: String(error) }, "metrics are not served yet; trying again");
        told = true;
      }
      await setTimeout(pause, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }
  return {
    open,
    openWhenFree() {
      opening = openWhenFree();
    },
    async close() {
      closing.abort();
      await opening;
      await opened?.close();
    },
  };
}
