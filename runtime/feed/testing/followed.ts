import { systemClock } from "../../clock.ts";
import { TRUE } from "../../filter/algebra.ts";
import type { ChangeFeed } from "../../store/contract/feed.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { Store } from "../../store/contract/store.ts";
import { openTestStore } from "../../store/testing/stores.ts";
import { shape, written } from "../../store/testing/suite/fixtures.ts";
import type { Follower } from "../follower.ts";
import type { FollowOptions, Hub } from "../hub.ts";
import type { Interest } from "../interests.ts";
import type { FeedEvent } from "../queue.ts";

export const people: Interest = { collection: "app.people", filter: TRUE, visibility: "all" };

/** A store with followed collections `app.people` and `app.places`, and more. */
export async function followedStore(...more: readonly CollectionShape[]): Promise<Store> {
  const collections = [
    shape("app.people", { feed: "documents" }),
    shape("app.places", { feed: "documents" }),
    ...more,
  ];
  const store = await openTestStore({ clock: systemClock, queryTime: 5_000, collections });
  await store.provision(collections);
  return store;
}

/** A feed that counts who reads it. */
export interface Watched extends ChangeFeed {
  /** Listeners that have not stopped. */
  listeners: number;
  /** Positions that were read from. */
  readonly reads: string[];
}

export function watched(feed: ChangeFeed): Watched {
  const own: Watched = {
    listeners: 0,
    reads: [],
    head: () => feed.head(),
    oldest: () => feed.oldest(),
    order: (position) => feed.order(position),
    hold: (name, position) => feed.hold(name, position),
    read: (position, limit, bytes) => {
      own.reads.push(position);
      return feed.read(position, limit, bytes);
    },
    onCommit: (listener) => {
      own.listeners += 1;
      const stop = feed.onCommit(listener);
      return () => {
        own.listeners -= 1;
        stop();
      };
    },
  };
  return own;
}

/** A follower whose events can be waited for. */
export interface Followed extends Follower {
  /** The next event, once there is one; undefined when it is closed. One call at a time. */
  next(): Promise<FeedEvent | undefined>;
}

/** Follows as `Hub.follow` does. */
export async function follow(hub: Hub, options: Omit<FollowOptions, "wake">): Promise<Followed> {
  let wake = () => {};
  const follower = await hub.follow({ ...options, wake: () => wake() });
  const next = async () => {
    for (;;) {
      const event = follower.poll();
      if (event !== undefined || follower.isClosed) return event;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return Object.assign(follower, { next });
}

/** What the follower is told, in words, until so many changes came: `+a ~b`, a commit each, or `slow`. */
export async function told(follower: Followed, changes: number): Promise<readonly string[]> {
  const said: string[] = [];
  for (let left = changes; left > 0; ) {
    const event = await follower.next();
    if (event === undefined) return [...said, "end"];
    if (event.kind === "gap") {
      said.push(event.why);
      continue;
    }
    left -= event.deliveries.length;
    said.push(
      event.deliveries
        .map(({ change }) => {
          const sign = change.before === undefined ? "+" : change.after === undefined ? "-" : "~";
          return `${sign}${change.id}`;
        })
        .join(" "),
    );
  }
  return said;
}

/** Inserts each of them into `app.people`, a commit each; `length` of its name. */
export async function inserted(store: Store, ids: readonly string[], length = 10): Promise<void> {
  const collection = store.collection("app.people");
  for (const id of ids) await collection.insert(written(id, { name: "x".repeat(length) }));
}
