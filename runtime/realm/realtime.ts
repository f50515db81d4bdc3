import type { Every } from "../every.ts";
import type { Budget } from "../feed/budget.ts";
import type { RealtimeLimits } from "./definition.ts";
import type { RealtimeMetrics } from "./realtime-metrics.ts";

/** What realtime streams of a realm need of the instance that they run in. */
export interface RealtimeHost {
  /** `SVC_REALTIME`. */
  readonly enabled: boolean;
  /** Of the instance, lowered by the realm. */
  readonly limits: RealtimeLimits;
  /** Of all realms. */
  readonly shared: SharedStreams;
  /** Aborted when the instance shuts down: no stream begins any more, and those that are open end. */
  readonly stopping: AbortSignal;
  /** Undefined where nobody measures. */
  readonly metrics: Pick<RealtimeMetrics, "sent" | "reset"> | undefined;
  /** Has streams looked at from time to time. */
  readonly repeat: Every;
}

/** What the streams of all realms share. */
export interface SharedStreams {
  /** Of what they have yet to take, and of what is kept for those who catch up. */
  readonly buffers: Budget;
  /** Open at a time. */
  readonly most: number;
  open: number;
  /** Of those that are open. */
  subscriptions: number;
}
