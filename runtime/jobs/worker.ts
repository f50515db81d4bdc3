import { setImmediate } from "node:timers/promises";
import { oneAtATime } from "../one-at-a-time.ts";
import { Outdated } from "../retry.ts";
import { StoreBusy, StoreUnavailable, TransactionConflict } from "../store/contract/errors.ts";
import { Alarm } from "./alarm.ts";
import { beginJobs } from "./beginning.ts";
import { type Claimed, ClaimLost, Claims, claimTime } from "./claims.ts";
import { Finishing } from "./finishing.ts";
import { AttemptFailed, type JobKind, type JobRealm, NotNow, type Step } from "./kind.ts";
import { advanced, afterFailure, keptOf } from "./outcome.ts";
import type { JobRecord } from "./records.ts";
import { Room } from "./room.ts";
import { Running } from "./running.ts";

/** Milliseconds between two looks for what is due, and after which a claim is renewed. */
export const lookEvery = 10_000;

/** Milliseconds after a tick, or an alarm, within which the alarm rings for whatever is due by then. */
const ahead = lookEvery + 1_000;
/** What is due later than that is left to later ticks. */
const soon = 61_000;

/** Milliseconds until a job is tried again that the store hindered. */
const hindered = 1_000;

/**
 * Does the jobs of a realm that are due, several at once, beside any number of workers of other instances. After `wake` it
 * looks for them until there are none, or no room.
 */
export class JobWorker {
  readonly #realm: JobRealm;
  readonly #kinds: ReadonlyMap<string, JobKind>;
  readonly #claims: Claims;
  readonly #finishing: Finishing;
  readonly #running = new Set<Running>();
  readonly #underway = new Set<Promise<void>>();
  readonly #alarm: Alarm;
  /** A slow store is asked for one of each at a time, however often the worker ticks. */
  readonly #lookAhead: () => Promise<void>;
  readonly #renew: () => Promise<void>;
  #hasBegun = false;
  #again = false;
  #stopping = false;
  #over = false;

  constructor(realm: JobRealm, kinds: readonly JobKind[]) {
    this.#realm = realm;
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    this.#claims = new Claims(realm);
    this.#finishing = new Finishing(this.#claims);
    this.#alarm = new Alarm(realm.clock, () => {
      this.wake();
      this.#hold(this.#lookAhead());
    });
    this.#lookAhead = oneAtATime(() => this.#setAlarm());
    this.#renew = oneAtATime(() => this.#renewClaims());
  }

  /** Looks for what is due, soon. @param delay milliseconds until it is */
  wake(delay = 0): void {
    if (delay > 0) this.#wakeAt(this.#realm.clock.now() + delay);
    if (delay > 0 || this.#over || this.#again) return;
    this.#again = true;
    if (!this.#isLooking) this.#hold(this.#look());
  }

  /** To be called every {@link lookEvery}: wakes, and renews claims. */
  tick(): void {
    this.wake();
    this.#hold(this.#renew());
    this.#hold(this.#lookAhead());
  }

  /** Ends a job's step where it is done here: the job was cancelled. */
  drop(job: string): void {
    for (const running of this.#running) if (running.claimed.job.id === job) running.lose();
  }

  /** Begins nothing more, but of kinds that drain. */
  pause(): void {
    this.#stopping = true;
  }

  /** Resolves when nothing is under way, nor looked for. */
  async idle(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway);
  }

  /**
   * Begins nothing more, but of kinds that drain what is due yet, and waits for what is under way.
   * @param patience milliseconds after which steps are told that nothing they do will count
   */
  async stop(patience: number): Promise<void> {
    this.pause();
    const late = setTimeout(() => this.#giveUp(), patience);
    this.wake();
    await this.idle();
    clearTimeout(late);
    this.#giveUp();
  }

  #giveUp(): void {
    this.#over = true;
    this.#alarm.clear();
    for (const running of this.#running) running.lose();
  }

  #isLooking = false;

  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      if (!this.#hasBegun) await this.#begin();
      this.#hasBegun = true;
      while (this.#again) {
        // Those that end together make room together.
        await setImmediate();
        if (this.#over) return;
        this.#again = false;
        const room = this.#room();
        if (room.size === 0) continue;
        const { taken, more } = await this.#claims.take(room);
        for (const claimed of taken) this.#start(claimed);
        this.#again ||= more;
      }
    } catch (err) {
      this.#again = false;
      const realm = this.#realm.definition.name;
      this.#realm.log.error({ err, realm }, "looking for jobs failed; trying again in some seconds");
    } finally {
      this.#isLooking = false;
    }
  }

  /** Kinds that do not drain have none once the instance stops. */
  #room(): Room {
    const kinds = [...this.#kinds.values()].filter(({ drains }) => !this.#stopping || drains === true);
    return new Room(
      kinds,
      [...this.#running].flatMap(({ kind, isDone }) => (isDone ? [] : [kind])),
    );
  }

  #start(claimed: Claimed): void {
    const kind = this.#kinds.get(claimed.job.kind);
    if (kind === undefined) throw new Error(`nobody asked for jobs of kind ${claimed.job.kind}`);
    const running = new Running(kind, claimed, this.#realm.clock.now(), () => this.#stopping);
    this.#running.add(running);
    if (this.#over) running.lose();
    this.#hold(this.#run(running));
  }

  async #run(running: Running): Promise<void> {
    const { kind, claimed } = running;
    try {
      const step = await kind.step(this.#realm, claimed.job, running);
      // What writes something itself is done when that is written.
      running.isDone = typeof step !== "function";
      if (running.isDone) this.wake();
      const next = await this.#settle(kind, claimed, step);
      this.#wakeFor(next);
    } catch (error) {
      await this.#failed(running, error).catch((err: unknown) => this.#told(err, claimed.job));
    } finally {
      this.#running.delete(running);
      this.wake();
    }
  }

  async #settle(kind: JobKind, claimed: Claimed, step: Step): Promise<JobRecord | undefined> {
    const { clock } = this.#realm;
    if (typeof step !== "function") {
      const { job } = claimed;
      const became = advanced(kind, job, step, clock.now());
      const isLast = job.next === undefined && job.finished_at === null && became.finished_at !== null;
      if (job.lane === undefined || isLast) {
        const next = keptOf(kind, became);
        await this.#finishing.add(claimed, next);
        return next;
      }
    }
    return this.#claims.change(claimed, async (transaction, job) => {
      const progress = typeof step === "function" ? await step(transaction) : step;
      return keptOf(kind, advanced(kind, job, progress, clock.now()));
    });
  }

  async #failed({ kind, claimed }: Running, error: unknown): Promise<void> {
    if (error instanceof ClaimLost) return;
    // What it rests on was changed meanwhile: it is done anew.
    if (error instanceof Outdated) return this.#claims.giveBack(claimed, 0);
    if (error instanceof NotNow) return this.#putOff(claimed, error.after);
    if (!(error instanceof AttemptFailed)) this.#told(error, claimed.job);
    if (passing.some((passes) => error instanceof passes)) return this.#putOff(claimed, hindered);
    const next = await this.#claims.change(claimed, async (transaction, job) => {
      const failed = afterFailure(kind, job, error, this.#realm.clock.now());
      if (failed.status === "failed") await kind.failed?.(this.#realm, job, transaction);
      return keptOf(kind, failed);
    });
    this.#wakeFor(next);
  }

  #putOff(claimed: Claimed, pause: number): Promise<void> {
    this.#wakeAt(this.#realm.clock.now() + pause);
    return this.#claims.giveBack(claimed, pause);
  }

  #told(err: unknown, { id, kind }: JobRecord): void {
    if (err instanceof ClaimLost) return;
    this.#realm.log.error(
      { err, realm: this.#realm.definition.name, job: id, kind },
      "a step of a job failed",
    );
  }

  #wakeFor(job: JobRecord | undefined): void {
    const due = job?.due_at ?? null;
    if (due !== null) this.#wakeAt(Date.parse(due));
  }

  /** @param due epoch milliseconds */
  #wakeAt(due: number): void {
    if (!this.#stopping && !this.#over && due - this.#realm.clock.now() < soon) this.#alarm.set(due);
  }

  /** Sets the alarm for what is due next, whoever has queued it: it is not to wait for the next look. */
  async #setAlarm(): Promise<void> {
    if (this.#stopping || this.#over) return;
    try {
      const due = await this.#claims.nextDue([...this.#kinds.keys()], ahead);
      if (due !== undefined) this.#wakeAt(due);
    } catch {
      // The next tick looks anew, and says so where the store is gone.
    }
  }

  async #renewClaims(): Promise<void> {
    const now = this.#realm.clock.now();
    // Also where the clock was set back.
    const due = [...this.#running].filter(({ since }) => Math.abs(now - since) >= lookEvery);
    if (due.length === 0) return;
    try {
      const { lost, held } = await this.#claims.renew(due.map(({ claimed }) => claimed));
      const after = this.#realm.clock.now();
      for (const running of due) {
        const isOver = held.includes(running.claimed) && Math.abs(after - running.since) >= claimTime;
        if (isOver || lost.includes(running.claimed)) running.lose();
        else if (!held.includes(running.claimed)) running.since = now;
      }
    } catch (err) {
      const failedAt = this.#realm.clock.now();
      for (const running of due) if (Math.abs(failedAt - running.since) >= claimTime) running.lose();
      this.#realm.log.error(
        { err, realm: this.#realm.definition.name },
        "renewing the claims of jobs failed",
      );
    }
  }

  async #begin(): Promise<void> {
    await this.#claims.takeOver();
    await beginJobs(this.#realm, [...this.#kinds.values()]);
  }

  #hold(work: Promise<void>): void {
    const held = work.finally(() => this.#underway.delete(held));
    this.#underway.add(held);
  }
}

/** What says nothing about a job. */
const passing = [StoreUnavailable, StoreBusy, TransactionConflict];
