import { timestamp } from "../clock.ts";
import type { Follower } from "../feed/follower.ts";
import type { Concerned, Delivery, Gap } from "../feed/queue.ts";
import { kept } from "../kept.ts";
import type { EndReason } from "../realm/credentials.ts";
import { BUFFER } from "../realm/exchange.ts";
import type { Followed } from "./followed.ts";
import {
  type EventName,
  heartbeat,
  type ResetReason,
  reached,
  ready,
  reauth,
  reset,
  sessionEnded,
} from "./frames.ts";
import type { Bearing, Tokens } from "./tokens.ts";

/** What a stream hears of while it is open, and tells. */
export interface StreamObserver {
  sent(event: EventName): void;
  reset(reason: ResetReason): void;
  /** It is over; nothing of it is left. */
  close(): void;
}

export interface StreamOptions {
  /** See `Tokens`. */
  readonly caller: string;
  readonly followed: readonly Followed[];
  readonly tokens: Tokens;
  readonly observer: StreamObserver;
}

type Frame = string | Buffer;
type Step = IteratorResult<Frame, undefined>;

const done: Step = { done: true, value: undefined };

/** Why each gap in what a stream is told has its subscriptions loaded anew. */
const reasons: Readonly<Record<Gap, ResetReason>> = {
  expired: "history_expired",
  far: "history_expired",
  slow: "slow_consumer",
};

/**
 * What a stream sends (spec: Realtime stream events): whenever its connection takes more, all events that there are, as
 * far as they fit into one write. What is not taken waits in its follower, within bounds.
 */
export class Stream implements AsyncIterableIterator<Frame, undefined> {
  readonly caller: string;
  readonly followed: readonly Followed[];
  readonly #tokens: Tokens;
  readonly #observer: StreamObserver;
  #bearing: Bearing;
  #follower: Follower | undefined;
  /** What `ready` tells, before anything else, and the token that it has where something else follows at once. */
  #ready: { readonly ids: readonly string[]; readonly token: string | undefined } | undefined;
  /** Told before further events: ids that have to be loaded anew. */
  #resets: Map<ResetReason, Set<string>> | undefined;
  /** Told at the end. */
  #last = "";
  /** Up to where it was told everything, as its newest token says. */
  #told = "";
  /** What it may see is being read: until then it is told nothing. */
  #held = false;
  #ending = false;
  #closed = false;
  #waiting: ((step: Step) => void) | undefined;

  constructor({ caller, followed, tokens, observer }: StreamOptions) {
    this.caller = caller;
    this.followed = followed;
    this.#tokens = tokens;
    this.#observer = observer;
    this.#bearing = this.#bear();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Begins to tell.
   * @param ids of all that was asked for
   * @param resets what has to be loaded anew at once
   * @param token that it goes on from, if it does
   */
  begin(
    follower: Follower,
    ids: readonly string[],
    resets: ReadonlyMap<ResetReason, readonly string[]>,
    token: string | undefined,
  ): void {
    this.#follower = follower;
    this.#told = follower.position;
    this.#observer.sent("ready");
    this.#ready = { ids, token };
    for (const [reason, subs] of resets) this.#reset(subs, reason);
    this.wake();
  }

  next(): Promise<Step> {
    const step = this.#step();
    if (step !== undefined) return Promise.resolve(step);
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Nobody takes any more of it. */
  return(): Promise<Step> {
    this.close();
    return Promise.resolve(done);
  }

  /** There may be something to tell. */
  wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const step = this.#step();
    if (step === undefined) return;
    this.#waiting = undefined;
    waiting(step);
  }

  /** Tells nothing until {@link resume}. */
  hold(): void {
    this.#held = true;
  }

  /** @param changed whose access is another one now: they are registered anew and told to be loaded anew */
  resume(changed: readonly Followed[]): void {
    this.#held = false;
    if (this.#ending || this.#closed) return;
    this.#bearing = this.#bear();
    this.#reset(
      changed.map(({ subscription }) => subscription.id),
      "access_changed",
    );
    this.wake();
  }

  /** Shows that it lives, and where it is when that has moved; nothing where there is something to tell anyway. */
  beat(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#follower === undefined) return;
    this.#waiting = undefined;
    const { position } = this.#follower;
    const moved = !this.#held && position !== this.#told;
    if (moved) this.#told = position;
    waiting({ done: false, value: moved ? heartbeat + reached(this.#token(position)) : heartbeat });
  }

  /** The caller is no more who they were. */
  endSession(reason: EndReason): void {
    this.#end("session_ended", sessionEnded(reason));
  }

  /** @param expires epoch milliseconds */
  expire(expires: number): void {
    this.#end("reauth", reauth(timestamp(expires)));
  }

  /** Ends without a word. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#follower?.close();
    this.#observer.close();
    this.#waiting?.(done);
    this.#waiting = undefined;
  }

  #end(event: EventName, frame: string): void {
    if (this.#ending || this.#closed) return;
    this.#ending = true;
    this.#observer.sent(event);
    this.#last = frame;
    this.#follower?.close();
    this.wake();
  }

  /** What is sent next; undefined where there is nothing yet. */
  #step(): Step | undefined {
    if (this.#closed) return done;
    if (this.#ready !== undefined || this.#resets !== undefined || this.#last !== "")
      return { done: false, value: this.#beside() };
    if (this.#ending) {
      this.close();
      return done;
    }
    const events = this.#held ? undefined : this.#events();
    return events === undefined ? undefined : { done: false, value: events };
  }

  /**
   * What is told beside changes. The token of where it is stands on the last of it: whoever is cut off before has to be told
   * again, so that `ready` has the one that they came with until then.
   */
  #beside(): string {
    const resets = [...(this.#resets ?? [])];
    const now = this.#token(this.#told);
    let frames = "";
    if (this.#ready !== undefined) {
      const { ids, token } = this.#ready;
      frames += ready(ids, resets.length === 0 ? now : token);
    }
    for (const [at, [reason, subs]] of resets.entries()) {
      frames += this.#resetFrame([...subs], reason, at === resets.length - 1 ? now : undefined);
    }
    frames += this.#last;
    this.#ready = undefined;
    this.#resets = undefined;
    this.#last = "";
    return frames;
  }

  #reset(subs: readonly string[], reason: ResetReason): void {
    if (subs.length === 0) return;
    this.#resets ??= new Map();
    const ids = kept(this.#resets, reason, () => new Set());
    for (const sub of subs) ids.add(sub);
  }

  #events(): Frame | undefined {
    const frames: Frame[] = [];
    let bytes = 0;
    const add = (frame: Frame | undefined) => {
      if (frame === undefined) return;
      frames.push(frame);
      bytes += frame.length;
    };
    while (bytes < BUFFER) {
      const event = this.#follower?.poll();
      if (event === undefined) break;
      if (event.kind === "commit") for (const delivery of event.deliveries) add(this.#frameOf(delivery));
      else {
        this.#told = event.to;
        const ids = this.followed.map(({ subscription }) => subscription.id);
        add(this.#resetFrame(ids, reasons[event.why], this.#token(event.to)));
      }
    }
    const [only] = frames;
    if (frames.length <= 1) return only;
    return Buffer.concat(frames.map((frame) => (typeof frame === "string" ? Buffer.from(frame) : frame)));
  }

  /** The events of a change, one block for all streams that it is the same for. */
  #frameOf({ change, concerns }: Delivery): Frame | undefined {
    const told: { readonly followed: Followed; readonly concern: Concerned }[] = [];
    let same = `${this.#bearing.number}`;
    for (const concern of concerns) {
      const followed = this.followed.find(({ key }) => key === concern.key);
      if (followed?.tells(change) !== true) continue;
      told.push({ followed, concern });
      same += ` ${followed.at}${nameOf(concern)}`;
    }
    if (told.length === 0) return undefined;
    this.#told = change.position;
    const unknown = told.filter(({ concern }) => concern.before === "unknown");
    if (unknown.length > 0) {
      const ids = unknown.map(({ followed }) => followed.subscription.id);
      return this.#resetFrame(ids, "preimage_missing", this.#token(change.position));
    }
    for (const { concern } of told) this.#observer.sent(nameOf(concern));
    return change.rendered(same, () => {
      const token = this.#token(change.position);
      const events = told.map(({ followed, concern }, at) =>
        followed.event(change, concern, at === told.length - 1 ? token : undefined),
      );
      return Buffer.from(events.join(""));
    });
  }

  #resetFrame(subs: readonly string[], reason: ResetReason, token: string | undefined): string {
    this.#observer.reset(reason);
    this.#observer.sent("reset");
    return reset(subs, reason, token);
  }

  #token(position: string): string {
    return this.#tokens.issue(this.#bearing, position);
  }

  #bear(): Bearing {
    return this.#tokens.bearing(
      this.caller,
      this.followed.map(({ borne }) => borne),
    );
  }
}

function nameOf({ before, after }: Concerned): "created" | "updated" | "removed" {
  if (!after) return "removed";
  return before === false ? "created" : "updated";
}
