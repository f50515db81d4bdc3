import { ApiError } from "./errors.ts";
import { EventParser } from "./event-parser.ts";
import { SilenceWatch } from "./silence-watch.ts";
import type { StreamContext } from "./stream-context.ts";
import {
  type Follower,
  isLasting,
  type ResetReason,
  type SessionEnd,
  type SubscriptionEnd,
  type Versioned,
} from "./subscriptions.ts";

/** Milliseconds in which those who begin to follow together become one request. */
const settlingTime = 20;
/** A stream that held for less was none: its end is a failure among others. */
const steadyTime = 5_000;
const longestDelay = 30_000;

interface Followed {
  readonly follower: Follower;
  /** Events come since it started; else it will start with the next stream, for the reason that it has. */
  following: boolean;
  reason: ResetReason | undefined;
}

interface ShownMessage {
  sub: string;
  doc: Versioned;
}

/** One stream of the server, kept up through interruptions for as long as somebody follows. */
export class Stream {
  readonly #context: StreamContext;
  readonly #followed = new Map<string, Followed>();
  #ids = 0;
  #token: string | undefined;
  #controller = new AbortController();
  /** Ids that the present request names, in its order. */
  #asked: readonly string[] = [];
  #running = false;
  /** When the present stream was ready. */
  #readyAt: number | undefined;
  /** It is to be opened anew since what it asked for is no longer what is wanted. */
  #stale = false;
  /** It was ended here, for another one. */
  #again = false;
  /** The credential was refused; another one may be had. */
  #denied = false;
  #wake = () => {};
  #forgetRenewal = () => {};

  constructor(context: StreamContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#followed.size;
  }

  add(follower: Follower): void {
    this.#enter({ follower, following: false, reason: undefined });
    if (this.#running) this.renew();
    else this.#run();
  }

  remove(follower: Follower): void {
    for (const [id, followed] of this.#followed)
      if (followed.follower === follower) this.#followed.delete(id);
    if (this.#followed.size === 0) this.#stop();
  }

  /** Opens it anew as soon as the server lets: what was added together is asked for together. */
  renew(): void {
    const { clock, untilTurn } = this.#context;
    this.#stale = true;
    this.#forgetRenewal();
    this.#forgetRenewal = clock.after(Math.max(settlingTime, untilTurn()), () => {
      if (this.#readyAt !== undefined) this.#reopen();
    });
  }

  #enter(followed: Followed): void {
    this.#ids++;
    this.#followed.set(`s${this.#ids}`, followed);
  }

  #reopen(): void {
    this.#again = true;
    this.#controller.abort();
  }

  #stop(): void {
    this.#token = undefined;
    this.#forgetRenewal();
    this.#controller.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    const { clock, delay, untilTurn, takeTurn } = this.#context;
    this.#running = true;
    let failures = 0;
    let wait = settlingTime;
    while (this.#followed.size > 0) {
      await this.#pause(wait);
      // Another stream may have taken the turn meanwhile.
      while (untilTurn() > 0 && this.#followed.size > 0) await this.#pause(untilTurn());
      if (this.#followed.size === 0) break;
      takeTurn();
      const error = await this.#follow().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const held = this.#readyAt === undefined ? 0 : clock.now() - this.#readyAt;
      this.#readyAt = undefined;
      failures = this.#again || held >= steadyTime ? 0 : failures + 1;
      wait = settlingTime;
      if (this.#again) continue;
      for (const { follower } of this.#followed.values()) follower.interrupted();
      wait = Math.max(await this.#waitAfter(error), Math.min(longestDelay, delay(Math.max(1, failures))));
    }
    this.#running = false;
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#context.clock.after(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Opens the stream and takes what it brings, until it ends. */
  async #follow(): Promise<void> {
    const { connection } = this.#context;
    const controller = new AbortController();
    const { signal } = controller;
    this.#controller = controller;
    this.#forgetRenewal();
    this.#stale = false;
    this.#again = false;
    this.#asked = [...this.#followed.keys()];
    if (this.#token === undefined) this.#startOver();
    const watch = new SilenceWatch(this.#context.clock, controller);
    try {
      const subscriptions = [...this.#followed].map(([id, { follower }]) => ({
        id,
        ...follower.subscription,
      }));
      const body = await connection.open(
        { method: "POST", path: "_realtime", query: { resume_from: this.#token }, body: { subscriptions } },
        signal,
      );
      const reader = body.getReader();
      signal.addEventListener("abort", () => reader.cancel().catch(() => undefined));
      const parser = new EventParser();
      while (!signal.aborted) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) return;
        watch.heard();
        for (const { event, data, id } of parser.parse(value)) {
          if (data !== undefined) this.#take(event, data);
          if (signal.aborted) return;
          if (id !== undefined) this.#token = id;
        }
        for (const { follower } of this.#followed.values()) follower.settled();
      }
    } finally {
      watch.stop();
      controller.abort();
    }
  }

  /** Without a token, nobody knows what was missed. */
  #startOver(): void {
    this.#token = undefined;
    for (const followed of this.#followed.values()) {
      if (followed.following) followed.reason = "history_expired";
      followed.following = false;
    }
  }

  #take(event: string, data: string): void {
    switch (event) {
      case "ready":
        this.#begin();
        break;
      case "created":
      case "updated": {
        const { sub, doc }: ShownMessage = JSON.parse(data);
        this.#followed.get(sub)?.follower.event({ type: event, document: doc });
        break;
      }
      case "removed": {
        const { sub, id, version }: { sub: string; id: string; version: number } = JSON.parse(data);
        this.#followed.get(sub)?.follower.event({ type: "removed", id, version });
        break;
      }
      case "reset": {
        const { subs, reason }: { subs: string[]; reason: ResetReason } = JSON.parse(data);
        for (const id of subs) this.#reset(id, reason);
        break;
      }
      case "session_ended": {
        const { reason }: { reason: SessionEnd } = JSON.parse(data);
        this.#endAll({ reason: "session_ended", why: reason });
        break;
      }
      case "reauth":
        this.#reopen();
    }
  }

  #begin(): void {
    this.#readyAt = this.#context.clock.now();
    this.#denied = false;
    for (const id of this.#asked) {
      const followed = this.#followed.get(id);
      if (followed === undefined) continue;
      const { follower, following, reason } = followed;
      followed.following = true;
      followed.reason = undefined;
      if (following) follower.resumed();
      else follower.started(reason);
    }
    if (this.#stale) this.renew();
  }

  #reset(id: string, reason: ResetReason): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    if (reason !== "config_changed") {
      followed.follower.reset(reason);
      return;
    }
    // The server has forgotten it: it is asked for anew, by another name.
    this.#followed.delete(id);
    this.#enter({ ...followed, following: false, reason });
    followed.follower.interrupted();
    this.renew();
  }

  /** What to do about an error: milliseconds to wait at least before the next try. */
  async #waitAfter(error: unknown): Promise<number> {
    if (error instanceof RangeError) this.#endAll({ reason: "failed", error });
    if (!(error instanceof ApiError)) return 0;
    if (!isLasting(error)) return (error.retry_after ?? 0) * 1_000;
    if (error.code === "invalid_resume_token" && this.#token !== undefined) this.#startOver();
    else if (error.code === "too_many_subscriptions" && this.#followed.size > 1) this.#divide();
    else if (error.status === 401 && !this.#denied) this.#denied = true;
    else await this.#refuse(error);
    return 0;
  }

  #divide(): void {
    const half = [...this.#followed].slice(Math.floor(this.#followed.size / 2));
    for (const [id] of half) this.#followed.delete(id);
    this.#context.divide(half.map(([, { follower }]) => follower));
  }

  /** Ends those whom an error is about: those that it names, or those that may not read, or all. */
  async #refuse(error: ApiError): Promise<void> {
    const named = error.details.flatMap(({ path }) => {
      const at = /^subscriptions\.(\d+)(?:\.|$)/.exec(path)?.[1];
      return at === undefined ? [] : { id: this.#asked[Number(at)] ?? "", error };
    });
    const refused = named.length > 0 ? named : await this.#refusals();
    if (refused.length === 0) this.#endAll({ reason: "refused", error });
    for (const { id, error } of refused) this.#end(id, { reason: "refused", error });
  }

  async #refusals(): Promise<{ readonly id: string; readonly error: ApiError }[]> {
    const asked = [...this.#followed];
    const answers = await Promise.all(
      asked.map(async ([id, { follower }]) => ({ id, error: await follower.refusal() })),
    );
    return answers.flatMap(({ id, error }) => (error === undefined ? [] : { id, error }));
  }

  #endAll(end: SubscriptionEnd): void {
    for (const id of [...this.#followed.keys()]) this.#end(id, end);
  }

  #end(id: string, end: SubscriptionEnd): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    this.#followed.delete(id);
    followed.follower.ended(end);
    if (this.#followed.size === 0) this.#stop();
  }
}
