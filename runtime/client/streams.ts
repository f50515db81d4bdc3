import type { Connected } from "./connected.ts";
import type { RealmTypes } from "./realm.ts";
import { Stream } from "./stream.ts";
import { StreamConnection } from "./stream-connection.ts";
import type { StreamContext } from "./stream-context.ts";
import type { Clock, Follower, RealtimeOptions } from "./subscriptions.ts";

/** Subscriptions of one stream (spec: Limits). */
const mostSubscriptions = 20;
/** Milliseconds between two that one caller opens, with some for the way. */
const openingInterval = 1_100;

/** All who follow anything with one client: they share as few streams as can be. */
export class Streams {
  readonly connection: StreamConnection;
  readonly clock: Clock;
  /** Milliseconds before another try, after so many failures. */
  readonly delay: (failures: number) => number;
  readonly #context: StreamContext;
  #streams: Stream[] = [];
  #most = mostSubscriptions;
  #nextTurn = 0;

  constructor({ connection }: Connected<RealmTypes>, { clock = platformClock }: RealtimeOptions = {}) {
    this.connection = new StreamConnection(connection);
    this.clock = clock;
    this.delay =
      connection.retryDelay ?? ((failures) => 2 ** Math.min(failures, 8) * 250 * (0.5 + Math.random()));
    this.#context = {
      connection: this.connection,
      clock,
      delay: this.delay,
      untilTurn: () => this.#nextTurn - clock.now(),
      takeTurn: () => {
        this.#nextTurn = clock.now() + openingInterval;
      },
      divide: (followers) => {
        this.#most = Math.max(1, Math.min(this.#most - 1, followers.length));
        for (const follower of followers) this.follow(follower);
      },
    };
    connection.signIns.add(() => {
      for (const stream of this.#streams) if (stream.size > 0) stream.renew();
    });
  }

  follow(follower: Follower): void {
    let stream = this.#streams.find(({ size }) => size > 0 && size < this.#most);
    if (stream === undefined) {
      stream = new Stream(this.#context);
      this.#streams = [...this.#streams.filter(({ size }) => size > 0), stream];
    }
    stream.add(follower);
  }

  leave(follower: Follower): void {
    for (const stream of this.#streams) stream.remove(follower);
    this.#streams = this.#streams.filter(({ size }) => size > 0);
  }
}

const platformClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
