import { type Access, readable } from "../documents/access.ts";
import { clientEntrance, type Entrance } from "../documents/entrance.ts";
import { ApiError } from "../errors.ts";
import { kept } from "../kept.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import { Turns } from "../turns.ts";
import { StreamAccess } from "./access.ts";
import { callerOf, countedAs } from "./caller.ts";
import { Followed } from "./followed.ts";
import type { ResetReason } from "./frames.ts";
import { StreamLimits } from "./limits.ts";
import { sightOf } from "./sight.ts";
import { Stream, type StreamObserver } from "./stream.ts";
import type { Subscription } from "./subscription.ts";
import { type Resumption, Tokens } from "./tokens.ts";
import { Watch } from "./watch.ts";
import { Wheel } from "./wheel.ts";

/** Milliseconds between two heartbeats of a stream (spec: Limits). */
const HEARTBEAT = 25_000;

/** Heartbeats between two readings of the access that depends on the clock: five minutes (spec: Limits). */
const BEATS = 12;

/** Streams that read their access at a time. */
const READINGS = 16;

/** A stream that is asked for. */
export interface Opening {
  readonly exchange: Exchange;
  /** Of the caller when the request came. */
  readonly access: Access;
  readonly subscriptions: readonly Subscription[];
  /** Where it goes on; undefined: it begins now. */
  readonly resumption: Resumption | undefined;
}

/** The streams of a realm in this instance. */
export class Realtime {
  readonly tokens: Tokens;
  readonly entrance: Entrance;
  readonly #realm: RealmInstance;
  readonly #limits: StreamLimits;
  readonly #watch = new Watch();
  readonly #wheel: Wheel;
  readonly #turns = new Turns(READINGS, Number.POSITIVE_INFINITY, () => new Error("the queue has no end"));
  readonly #open = new Set<Stream>();
  /** How the feed's reader is let go; present while there are streams, or some begin. */
  #attending: Promise<() => void> | undefined;
  #attended = 0;
  constructor(realm: RealmInstance) {
    const { definition, clock, realtime } = realm;
    this.#realm = realm;
    this.#wheel = new Wheel(HEARTBEAT, realtime.repeat);
    this.tokens = new Tokens(realm.streams, clock);
    const followed = definition.collections.filter((collection) => collection.realtime === true);
    this.entrance = clientEntrance(realm, followed);
    this.#limits = new StreamLimits(realtime.limits, clock, realtime.shared);
    realtime.stopping.addEventListener("abort", () => {
      for (const stream of [...this.#open]) stream.close();
    });
  }

  /**
   * Begins a stream (realtime.md, Opening a stream 8).
   * @throws (rejects with) ApiError `too_many_requests` | `realtime_unavailable`, and as the caller's first reading where
   *   they are no more who they were, or may read nothing any more. Then nothing was counted and nothing is left.
   */
  async open(opening: Opening): Promise<Stream> {
    const { exchange, access } = opening;
    this.requireService();
    const closings = [this.#limits.take(countedAs(access, exchange))];
    const close = () => {
      for (const closing of closings.splice(0).reverse()) closing();
    };
    try {
      closings.push(await this.#attend());
      const watched = new StreamAccess(
        { realm: this.#realm, reader: this.entrance.reader, watch: this.#watch, turns: this.#turns },
        exchange,
        access,
      );
      closings.push(() => watched.close());
      return await this.#begin(opening, watched, closings, close);
    } catch (error) {
      close();
      throw error;
    }
  }

  /** @throws ApiError `realtime_unavailable` */
  requireService(): void {
    const { enabled, stopping } = this.#realm.realtime;
    if (enabled && !stopping.aborted) return;
    throw new ApiError("realtime_unavailable", "This instance serves no realtime streams.");
  }

  async #begin(
    { subscriptions, resumption }: Opening,
    watched: StreamAccess,
    closings: (() => void)[],
    close: () => void,
  ): Promise<Stream> {
    const access = await watched.read();
    const { hub, realtime } = this.#realm;
    const { followed, resets, from } = this.#placed(subscriptions, access, resumption);
    const observer: StreamObserver = {
      sent: (event) => realtime.metrics?.sent(event),
      reset: (reason) => realtime.metrics?.reset(reason),
      closed: close,
    };
    const stream = new Stream({ caller: callerOf(access), followed, tokens: this.tokens, observer });
    closings.push(() => stream.close());
    const follower = await hub.follow({
      interests: followed.map(({ key, interest }) => [key, interest] as const),
      from,
      bytes: realtime.limits.bufferBytes,
      events: realtime.limits.bufferEvents,
      budget: realtime.shared.buffers,
      wake: () => stream.wake(),
    });
    closings.push(() => follower.close());
    this.requireService();
    this.#open.add(stream);
    closings.push(() => this.#open.delete(stream));
    realtime.shared.subscriptions += followed.length;
    closings.push(() => {
      realtime.shared.subscriptions -= followed.length;
    });
    stream.begin(
      follower,
      subscriptions.map(({ id }) => id),
      resets,
    );
    watched.begin(stream, follower);
    watched.look(HEARTBEAT);
    let beats = 0;
    const beat = () => {
      beats += 1;
      watched.look(HEARTBEAT);
      if (beats % BEATS === 0) watched.invalidate("time");
      stream.beat();
    };
    closings.push(this.#wheel.add({ beat }));
    return stream;
  }

  /** Which subscriptions go on where they were, which begin now, and which are to be loaded anew (realtime.md, Resume). */
  #placed(subscriptions: readonly Subscription[], access: Access, resumption: Resumption | undefined) {
    const resets = new Map<ResetReason, string[]>();
    const note = (reason: ResetReason, id: string) => kept(resets, reason, () => []).push(id);
    const followed: Followed[] = [];
    let goesOn = false;
    const now = this.#realm.hub.order;
    for (const [at, subscription] of subscriptions.entries()) {
      const { definition, identity, id } = subscription;
      readable(definition, access, definition.rules?.read);
      const sight = sightOf(definition, access);
      const remembered = resumption?.remembers({ identity, definition, key: sight.exact });
      if (remembered !== undefined && !remembered.sameRules) {
        note("config_changed", id);
        continue;
      }
      const isReplayed = remembered?.sameAccess === true && resumption?.isOld === false;
      if (remembered !== undefined && !isReplayed) note("history_expired", id);
      goesOn ||= isReplayed;
      followed.push(new Followed(this.#realm, subscription, sight, at, isReplayed ? -1 : now));
    }
    return { followed, resets, from: goesOn ? resumption?.position : undefined };
  }

  /** Has the feed read, and whatever access depends on watched, until the function that is answered is called. */
  async #attend(): Promise<() => void> {
    this.#attended += 1;
    this.#attending ??= this.#realm.hub.tap(this.#watch);
    const leave = () => {
      this.#attended -= 1;
      if (this.#attended > 0) return;
      void this.#attending?.then((end) => end()).catch(() => undefined);
      this.#attending = undefined;
    };
    try {
      await this.#attending;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }
}
