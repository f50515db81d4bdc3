import type { Access } from "../documents/access.ts";
import type { Identify } from "../documents/entrance.ts";
import { ApiError } from "../errors.ts";
import type { Follower } from "../feed/follower.ts";
import { anonymous, type Caller } from "../realm/caller.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import type { Turns } from "../turns.ts";
import { callerOf } from "./caller.ts";
import type { Followed } from "./followed.ts";
import { sightOf } from "./sight.ts";
import type { Stream } from "./stream.ts";
import { subjectsOf, type Watch, type Watched } from "./watch.ts";

export interface AccessMeans {
  readonly realm: RealmInstance;
  /** Who a request is from, now. */
  readonly reader: Identify;
  readonly watch: Watch;
  /** Streams that read their access at a time. */
  readonly turns: Turns;
}

/** Milliseconds between two readings for what happens in organizations (spec: Realtime stream events 6). */
const apart = 250;

/** Milliseconds until a store that could not be asked is asked again. */
const again = 1_000;

/**
 * Who a stream's caller is and what they may see, for as long as it is open (spec: Realtime stream events 6, 7): read
 * anew when a record changes that it depends on. Until that is done the stream tells nothing.
 */
export class StreamAccess implements Watched {
  readonly #means: AccessMeans;
  readonly #exchange: Exchange;
  /** Who the stream is for. */
  readonly #caller: Caller;
  #access: Access;
  /** What has to be told as changed. */
  #changed: Followed[] = [];
  #subjects: readonly string[] = [];
  #stream: Stream | undefined;
  #follower: Follower | undefined;
  /** Something has changed since it was read. */
  #isStale = false;
  #isReading = false;
  /** When it was read last and what had changed was told, by `performance.now()`. */
  #readAt = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param access as it was when the request came */
  constructor(means: AccessMeans, exchange: Exchange, access: Access) {
    this.#means = means;
    this.#exchange = exchange;
    this.#access = access;
    this.#caller = access.caller ?? anonymous;
  }

  /**
   * Reads it, and again as long as it turns out to depend on more than was watched when it was read.
   * @throws (rejects with) what the first reading throws
   */
  async read(): Promise<Access> {
    const { realm, reader } = this.#means;
    this.#watch(await subjectsOf(realm, this.#access));
    for (let isWatched = false; !isWatched; ) {
      this.#isStale = false;
      this.#access = await reader(this.#exchange);
      isWatched = this.#watch(await subjectsOf(realm, this.#access));
    }
    this.#readAt = performance.now();
    return this.#access;
  }

  /** Whatever has changed since it was read, and will, is told to the stream. */
  begin(stream: Stream, follower: Follower): void {
    this.#stream = stream;
    this.#follower = follower;
    if (this.#isStale) this.invalidate("record");
  }

  /** @param why `time`: what depends on the clock may be another now */
  invalidate(why: "record" | "organization" | "time"): void {
    if (this.#closed) return;
    this.#isStale = true;
    if (this.#stream === undefined) return;
    this.#stream.hold();
    const wait = why === "organization" ? this.#readAt + apart - performance.now() : 0;
    if (wait <= 0) this.#readAnew();
    else this.#later ??= setTimeout(() => this.#readAnew(), Math.ceil(wait));
  }

  /**
   * Notes that the credential is in use, and ends the stream with its lifetime.
   * @param next milliseconds until this is called again
   */
  look(next: number): void {
    const { credentials, clock } = this.#means.realm;
    const caller = this.#caller;
    if (caller.kind === "anonymous" || this.#closed) return;
    const expires = credentials.expiry(caller);
    const left = expires - clock.now();
    if (left <= 0) this.#stream?.expire(expires);
    else {
      credentials.used(caller);
      if (left <= next) this.#expiry ??= setTimeout(() => this.#stream?.expire(expires), left);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#later);
    clearTimeout(this.#expiry);
    this.#means.watch.delete(this, this.#subjects);
  }

  /** Watches these and no others; answers whether all of them were watched before. */
  #watch(subjects: readonly string[]): boolean {
    const before = this.#subjects;
    if (this.#closed) return true;
    this.#means.watch.delete(this, before);
    this.#means.watch.add(this, subjects);
    this.#subjects = subjects;
    const known = new Set(before);
    return subjects.every((subject) => known.has(subject));
  }

  #readAnew(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    if (this.#isReading || this.#closed) return;
    this.#isReading = true;
    void this.#means.turns
      .run(() => this.#renew())
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#isReading = false;
        // What waits for its time is read then.
        if (this.#isStale && this.#later === undefined) this.#readAnew();
      });
  }

  async #renew(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined || this.#closed) return;
    const access = await this.read();
    if (callerOf(access) !== stream.caller) {
      throw new ApiError("unauthenticated", "The credential has ended.");
    }
    for (const followed of stream.followed) {
      if (await this.#renewSight(followed, access)) this.#changed.push(followed);
    }
    if (this.#isStale) return;
    const changed = this.#changed;
    this.#changed = [];
    this.#readAt = performance.now();
    stream.resume(changed);
  }

  /** Whether the caller's access to a subscription is another one now; then it is registered anew. */
  async #renewSight(followed: Followed, access: Access): Promise<boolean> {
    const { sight, subscription, key } = followed;
    const next = sightOf(subscription.definition, access);
    const isSame = sight.key === next.key && !(await this.#isMoved(followed, access));
    const isWanted = isSame && sight.exact === next.exact;
    // What is erased by now, and not yet told of, is told of as it was followed.
    if (isSame && !isWanted) await this.#means.realm.hub.history.toldAll();
    if (!isSame) followed.renew(next);
    else followed.keep(next);
    if (isWanted) return false;
    this.#follower?.delete(key);
    this.#follower?.set(followed.key, followed.interest);
    return !isSame;
  }

  /**
   * Whether an organization was deleted, or came back, of which there are documents among a subscription's: whoever has
   * none of them learns nothing of it. One that is being removed meanwhile is told of, as it was when it was followed.
   */
  async #isMoved(followed: Followed, access: Access): Promise<boolean> {
    if (followed.subscription.definition.organization === undefined) return false;
    const [old, now] = [followed.sight.access.withheld ?? nobody, access.withheld ?? nobody];
    if (old === now) return false;
    const moved = [...[...now].filter((org) => !old.has(org)), ...[...old].filter((org) => !now.has(org))];
    return followed.hasOf(moved);
  }

  async #failed(error: unknown): Promise<void> {
    const stream = this.#stream;
    if (this.#closed || stream === undefined) return;
    try {
      const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
      if (!isRefused) throw error;
      const { credentials, clock } = this.#means.realm;
      const reason = await credentials.ended(this.#caller, this.#exchange);
      if (reason !== undefined) stream.endSession(reason);
      else stream.expire(Math.min(credentials.expiry(this.#caller), clock.now()));
    } catch (failure) {
      this.#means.realm.log.warn(
        { err: failure },
        "the access of a stream cannot be read; it is tried again",
      );
      this.#isStale = true;
      this.#later ??= setTimeout(() => this.#readAnew(), again);
    }
  }
}

const nobody: ReadonlySet<string> = new Set();
