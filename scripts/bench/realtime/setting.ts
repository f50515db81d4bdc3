/** What all parts of the benchmark of realtime streams share. */

import type { Report } from "../report.ts";
import type { BareStreams, MeasuredServer } from "../servers.ts";
import type { Asked, StreamClient } from "./client.ts";
import type { Writer } from "./writer.ts";

/** One benchmark, with everything that it runs. */
export interface Setting {
  readonly server: MeasuredServer;
  readonly bare: BareStreams;
  readonly client: StreamClient;
  readonly bareClient: StreamClient;
  readonly writer: Writer;
  /** Sessions. */
  readonly tokens: readonly string[];
  readonly streams: number;
  readonly rounds: number;
  readonly scale: number;
  readonly report: Report;
}

/** Each with one subscription. */
export function streamsOf(
  tokens: readonly string[],
  count: number,
  whereOf: (at: number) => object,
): readonly Asked[] {
  return Array.from({ length: count }, (_, at) => ({
    token: tokens[at % tokens.length] ?? "",
    body: JSON.stringify({
      subscriptions: [{ id: "s", db: "live", collection: "items", where: whereOf(at) }],
    }),
  }));
}
