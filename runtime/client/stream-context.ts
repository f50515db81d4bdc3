import type { StreamConnection } from "./stream-connection.ts";
import type { Clock, Follower } from "./subscriptions.ts";

/** What the streams of a client share. */
export interface StreamContext {
  readonly connection: StreamConnection;
  readonly clock: Clock;
  /** Milliseconds before another try, after so many failures. */
  readonly delay: (failures: number) => number;
  /** Milliseconds until the server lets this caller open another one. */
  readonly untilTurn: () => number;
  readonly takeTurn: () => void;
  /** Finds other streams for what is too much for one. */
  readonly divide: (followers: readonly Follower[]) => void;
}
