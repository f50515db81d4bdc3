import type { Gauge, Registry } from "prom-client";

/** The library, which is loaded only where metrics are. */
export type Prometheus = typeof import("prom-client");

/**
 * Makes a gauge, which is read when somebody looks.
 * @param read sets it: where there is a label, once for each of its values
 */
export type GaugeMaker = (name: string, help: string, read: (gauge: Gauge) => void, label?: string) => void;

export function gaugesOf({ Gauge }: Prometheus, register: Registry): GaugeMaker {
  return (name, help, read, label) => {
    const labelNames = label === undefined ? [] : [label];
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [register],
      collect: () => read(gauge),
    });
  };
}
