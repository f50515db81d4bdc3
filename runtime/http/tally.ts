import type { Registry } from "prom-client";
import type { Prometheus } from "./gauges.ts";

/** A counter with a label, made for what is counted thousands of times in a moment. */
export interface TallyOptions {
  readonly name: string;
  readonly help: string;
  /** Its values are few. */
  readonly label: string;
}

/** Makes such a counter; what is answered counts one of the label's values. The library hears of it when somebody looks. */
export function tallyOf({ Counter }: Prometheus, register: Registry, { name, help, label }: TallyOptions) {
  const counts = new Map<string, number>();
  const counter = new Counter({
    name,
    help,
    labelNames: [label],
    registers: [register],
    collect() {
      counter.reset();
      for (const [value, count] of counts) counter.inc({ [label]: value }, count);
    },
  });
  return (value: string): void => {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  };
}
