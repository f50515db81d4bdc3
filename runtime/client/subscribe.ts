import type { ApiError } from "./errors.ts";
import type { Streams } from "./streams.ts";
import {
  type DocumentEvent,
  type Follower,
  guarded,
  type ResetReason,
  type Subscription,
  type SubscriptionEnd,
  type Versioned,
} from "./subscriptions.ts";

export interface SubscriptionHandlers<D> {
  /** Events come from here on: what is there already can be loaded now. Also after each interruption. */
  ready?(): unknown;
  created?(document: D): unknown;
  updated?(document: D): unknown;
  /** Deleted, or no longer among what matches and may be read. `version`: its last one. */
  removed?(document: { readonly id: string; readonly version: number }): unknown;
  /** Events were lost: what is there has to be loaded anew. */
  reset?(reason: ResetReason): unknown;
  /** No events until it is ready again, which is tried. */
  interrupted?(): unknown;
  /** Nothing more will come. */
  ended?(end: SubscriptionEnd): unknown;
}

export interface Subscribed {
  /** Nothing is called after it. */
  close(): void;
}

export function subscribed<D extends Versioned>(
  streams: Streams,
  subscription: Subscription,
  refusal: () => Promise<ApiError | undefined>,
  handlers: SubscriptionHandlers<D>,
): Subscribed {
  let isOver = false;
  const tell = (callback: () => unknown) => {
    if (!isOver) guarded(callback);
  };
  const follower: Follower = {
    subscription,
    refusal,
    started(reason) {
      if (reason !== undefined) tell(() => handlers.reset?.(reason));
      tell(() => handlers.ready?.());
    },
    resumed: () => tell(() => handlers.ready?.()),
    event(event: DocumentEvent<D>) {
      if (event.type === "removed") {
        const { id, version } = event;
        tell(() => handlers.removed?.({ id, version }));
      } else tell(() => handlers[event.type]?.(event.document));
    },
    settled: () => undefined,
    reset: (reason) => tell(() => handlers.reset?.(reason)),
    interrupted: () => tell(() => handlers.interrupted?.()),
    ended(end) {
      tell(() => handlers.ended?.(end));
      isOver = true;
    },
  };
  streams.follow(follower);
  return {
    close() {
      isOver = true;
      streams.leave(follower);
    },
  };
}
