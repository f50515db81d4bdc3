import { type Access, readable } from "../documents/access.ts";
import type { Follower } from "../feed/follower.ts";
import { kept } from "../kept.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import { type AccessMeans, StreamAccess } from "./access.ts";
import { callerOf, countedAs } from "./caller.ts";
import { Followed } from "./followed.ts";
import type { EventName, ResetReason } from "./frames.ts";
import type { StreamLimits } from "./limits.ts";
import { type Sight, sightOf } from "./sight.ts";
import { Stream, type StreamObserver } from "./stream.ts";
import type { Subscription } from "./subscription.ts";
import type { Resumption, Tokens } from "./tokens.ts";
import type { Beating, Wheel } from "./wheel.ts";

/** Milliseconds between two heartbeats of a stream (spec: Limits). */
export const HEARTBEAT = 25_000;

/** Heartbeats between two readings of the access that depends on the clock: five minutes (spec: Limits). */
const BEATS = 12;

/** A stream that is asked for. */
export interface Opening {
  readonly exchange: Exchange;
  /** Of the caller when the request came. */
  readonly access: Access;
  readonly subscriptions: readonly Subscription[];
  /** Where it goes on; undefined: it begins now. */
  readonly resumption: Resumption | undefined;
}

export interface Home {
  readonly realm: RealmInstance;
  readonly means: AccessMeans;
  readonly tokens: Tokens;
  readonly limits: StreamLimits;
  readonly wheel: Wheel;
  readonly open: Set<OpenStream>;
  /** @throws ApiError `realtime_unavailable` */
  requireService(): void;
  /** Has the feed read, and whatever access depends on watched; to be taken back by `leave`, once. */
  attend(): Promise<void>;
  leave(): void;
}

/** A stream from when it is counted until it is closed: with it all goes that is held for it. */
export class OpenStream implements StreamObserver, Beating {
  readonly #home: Home;
  readonly #counted: string;
  readonly #access: StreamAccess;
  #stream: Stream | undefined;
  #follower: Follower | undefined;
  #subscriptions = 0;
  #beats = 0;
  #isClosed = false;

  /** @throws ApiError `too_many_requests`: then nothing was counted */
  constructor(home: Home, { exchange, access }: Opening) {
    this.#home = home;
    this.#counted = countedAs(access, exchange);
    home.limits.take(this.#counted);
    this.#access = new StreamAccess(home.means, exchange, access);
  }

  /** @throws (rejects with) ApiError as the caller's first reading, where they are no more who they were */
  async begin({ subscriptions, resumption }: Opening): Promise<Stream> {
    const { realm, tokens, open, wheel } = this.#home;
    await this.#home.attend();
    const access = await this.#access.read();
    const { followed, resets, from } = await this.#placed(subscriptions, access, resumption);
    const stream = new Stream({ caller: callerOf(access), followed, tokens, observer: this });
    const { limits, shared } = realm.realtime;
    const follower = await realm.hub.follow({
      interests: followed.map(({ key, interest }) => [key, interest] as const),
      from,
      bytes: limits.bufferBytes,
      events: limits.bufferEvents,
      budget: shared.buffers,
      wake: () => stream.wake(),
    });
    this.#stream = stream;
    this.#follower = follower;
    this.#home.requireService();
    this.#subscriptions = followed.length;
    shared.subscriptions += followed.length;
    open.add(this);
    const ids = subscriptions.map(({ id }) => id);
    stream.begin(follower, ids, resets, resumption?.token);
    this.#access.begin(stream, follower);
    this.#access.look(HEARTBEAT);
    wheel.add(this);
    return stream;
  }

  sent(event: EventName): void {
    this.#home.realm.realtime.metrics?.sent(event);
  }

  reset(reason: ResetReason): void {
    this.#home.realm.realtime.metrics?.reset(reason);
  }

  beat(): void {
    this.#beats += 1;
    this.#access.look(HEARTBEAT);
    if (this.#beats % BEATS === 0) this.#access.invalidate("time");
    this.#stream?.beat();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { wheel, open, limits, realm } = this.#home;
    wheel.delete(this);
    open.delete(this);
    this.#stream?.close();
    this.#follower?.close();
    this.#access.close();
    realm.realtime.shared.subscriptions -= this.#subscriptions;
    this.#home.leave();
    limits.release(this.#counted);
  }

  /** Which subscriptions go on where they were, which begin now, and which are to be loaded anew (realtime.md, Resume). */
  async #placed(subscriptions: readonly Subscription[], access: Access, resumption: Resumption | undefined) {
    const { realm } = this.#home;
    const resets = new Map<ResetReason, string[]>();
    const note = (reason: ResetReason, id: string) => kept(resets, reason, () => []).push(id);
    const placed: { readonly subscription: Subscription; readonly sight: Sight; readonly goesOn: boolean }[] =
      [];
    for (const subscription of subscriptions) {
      const { definition, identity, id } = subscription;
      readable(definition, access, definition.rules?.read);
      const sight = sightOf(definition, access);
      const remembered = resumption?.remembers({ identity, definition, key: sight.exact });
      if (remembered !== undefined && !remembered.sameRules) {
        note("config_changed", id);
        continue;
      }
      const goesOn = remembered?.sameAccess === true && resumption?.isOld === false;
      if (remembered !== undefined && !goesOn) note("history_expired", id);
      placed.push({ subscription, sight, goesOn });
    }
    const from = placed.some(({ goesOn }) => goesOn) ? resumption?.position : undefined;
    // Those that begin now are not told of what the others missed.
    const { feed } = realm.store;
    const isMixed = from !== undefined && placed.some(({ goesOn }) => !goesOn);
    const now = isMixed ? feed.order(await feed.head()) : undefined;
    const followed = placed.map(
      ({ subscription, sight, goesOn }, at) =>
        new Followed(realm, subscription, sight, at, goesOn ? undefined : now),
    );
    return { followed, resets, from };
  }
}
