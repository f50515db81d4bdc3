import { randomUUID } from "node:crypto";
import { type Clock, timestamp } from "../clock.ts";
import { and, compare, eq, type Filter, isIn, not, TRUE } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { Order } from "../filter/order.ts";
import { Outdated } from "../retry.ts";
import { TransactionConflict } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { JobRealm } from "./kind.ts";
import { laneCollection, lanesEndedBy, leaveLane } from "./lanes.ts";
import { released } from "./outcome.ts";
import { type JobRecord, jobCollection, jobFields, readJob, writeJob } from "./records.ts";
import type { Room } from "./room.ts";

/** Milliseconds for which a job is claimed: after that, without renewal, it is anybody's who works on the store. */
export const claimTime = 30_000;

/** Jobs that are looked for, claimed, or finished, at once. */
export const together = 100;

/** Milliseconds for which a job is left alone that another transaction holds: of a process that has died, perhaps. */
const heldTime = 15_000;

/** Claims that wait at the same time for who holds their job. */
const apart = 20;

/** Of claims in a store that ends with its process: others' are those of a process that is dead. */
const thisProcess = randomUUID();

const order: Order = [jobFields.due_at, documentFields.id].map((field) => ({ field, descending: false }));

/** A job that is claimed here. */
export interface Claimed {
  /** As it is stored. */
  job: JobRecord;
  version: number;
}

/** What a job that has this version becomes; `gone`: nothing is kept of it, whose id that is. */
export interface Change {
  readonly version: number;
  readonly next: JobRecord | { readonly gone: string };
  /** It is the last of this lane, and leaves it. */
  readonly leaves?: string | undefined;
}

/** The claim is another's by now, or the job was cancelled: nothing is written for it. */
export class ClaimLost extends Error {
  constructor() {
    super("the job is claimed no longer");
    this.name = "ClaimLost";
  }
}

/**
 * The claims of one worker on the jobs of a realm. A claim is the job's record itself, written with a greater token and an
 * end by the store's clock, and whatever is written for the job later is written under that token, in one transaction with
 * what the step writes: who was thought dead, and is not, writes nothing.
 */
export class Claims {
  readonly #store: Store;
  readonly #clock: Clock;
  /** Ids of jobs that another transaction holds, and until when they are left alone. */
  readonly #held = new Map<string, number>();

  constructor({ store, clock }: Pick<JobRealm, "store" | "clock">) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * Claims jobs that are due, oldest first.
   * @param room is taken by what was claimed, or nearly
   * @returns those that nobody else was quicker to claim, and whether there may be more
   */
  async take(room: Room): Promise<{ readonly taken: readonly Claimed[]; readonly more: boolean }> {
    const limit = Math.min(together, room.size);
    const now = await this.#store.now();
    // What was queued here a moment ago is due, also where our clock is ahead of the store's. Claims end by that alone.
    const isDue = compare("lte", jobFields.due_at, timestamp(Math.max(now, this.#clock.now())));
    const filter = and(isIn(jobFields.kind, room.kinds), isDue, this.#isFree(now));
    const found = await this.#jobs.find({ filter, visibility: "live", order, limit, skip: 0 });
    const [at, until] = [timestamp(now), timestamp(now + claimTime)];
    const wanted = found.map(readJob).filter(({ record: { kind, claimed_by, due_at } }) => {
      if (claimed_by !== undefined && due_at !== null && due_at > at) return false;
      return room.take(kind);
    });
    const taken = await this.#claim(
      wanted.map(({ record, version }) => ({ version, next: claimOf(record, at, until) })),
      now,
    );
    return { taken, more: found.length === limit && taken.length > 0 };
  }

  /** When the first of what is due within so many milliseconds from now, and not yet, is due; epoch milliseconds. */
  async nextDue(kinds: readonly string[], within: number): Promise<number | undefined> {
    const now = this.#clock.now();
    const isNext = and(
      isIn(jobFields.kind, kinds),
      compare("gt", jobFields.due_at, timestamp(now)),
      compare("lte", jobFields.due_at, timestamp(now + within)),
    );
    const [found] = await this.#jobs.find({ filter: isNext, visibility: "live", order, limit: 1, skip: 0 });
    const due = found && readJob(found).record.due_at;
    return due === undefined || due === null ? undefined : Date.parse(due);
  }

  /** Holds jobs for longer; answers those that are lost, and those that another transaction holds, which are as they were. */
  async renew(
    claims: readonly Claimed[],
  ): Promise<{ readonly lost: readonly Claimed[]; readonly held: readonly Claimed[] }> {
    const due_at = timestamp((await this.#store.now()) + claimTime);
    const [lost, held]: [Claimed[], Claimed[]] = [[], []];
    const renewOne = async (claimed: Claimed): Promise<void> => {
      try {
        await this.change(claimed, async (_, job) => ({ ...job, due_at }));
      } catch (error) {
        if (error instanceof ClaimLost) lost.push(claimed);
        else if (error instanceof TransactionConflict) held.push(claimed);
        else throw error;
      }
    };
    for (let at = 0; at < claims.length; at += apart)
      await Promise.all(claims.slice(at, at + apart).map(renewOne));
    return { lost, held };
  }

  /** Gives a job to whoever claims it next, as it was. */
  async giveBack(claimed: Claimed, pause: number): Promise<void> {
    const due_at = timestamp((await this.#store.now()) + pause);
    await this.change(claimed, async (_, job) => ({ ...released(job), due_at }));
  }

  /**
   * Writes a claimed job anew, and whatever belongs to it, in one transaction.
   * @param write answers what the job becomes; undefined: nothing is kept of it
   * @throws ClaimLost, and then nothing is written
   */
  async change(
    claimed: Claimed,
    write: (transaction: Transaction, job: JobRecord) => Promise<JobRecord | undefined>,
  ): Promise<JobRecord | undefined> {
    const written = await this.#store.transaction(async (transaction) => {
      const jobs = transaction.collection(jobCollection);
      const document = await jobs.get(claimed.job.id, "live");
      const found = document && readJob(document);
      if (found === undefined || !isSameClaim(found.record, claimed.job)) throw new ClaimLost();
      const { record, version } = found;
      const next = await write(transaction, record);
      const isLeft = record.finished_at === null && (next === undefined || next.finished_at !== null);
      if (isLeft) await leaveLane(transaction, record);
      const isDone =
        next === undefined
          ? await jobs.remove(record.id, version)
          : await jobs.replace(version, writeJob(isLeft ? alone(next) : next, version + 1));
      if (!isDone) throw new ClaimLost();
      return { next, version: version + 1 };
    });
    if (written.next !== undefined) {
      claimed.job = written.next;
      claimed.version = written.version;
    }
    return written.next;
  }

  /**
   * What jobs become, in one transaction; of lanes they may leave one as its last, of which nobody else writes.
   * @returns false where one was changed meanwhile, and then nothing is written
   */
  async changeAll(changes: readonly Change[]): Promise<boolean> {
    const kept = changes.flatMap(({ version, next }) =>
      "gone" in next ? [] : [{ expected: version, document: writeJob(next, version + 1) }],
    );
    const gone = changes.flatMap(({ version, next }) => ("gone" in next ? [{ id: next.gone, version }] : []));
    const left = changes.flatMap(({ leaves, next }) =>
      leaves === undefined ? [] : [{ lane: leaves, last: "gone" in next ? next.gone : next.id }],
    );
    const lanes = await lanesEndedBy(this.#store, left);
    try {
      await this.#store.transaction(async (transaction) => {
        const jobs = transaction.collection(jobCollection);
        const done = (await jobs.replaceAll(kept)) + (await jobs.removeAll(gone));
        if (done < changes.length) throw new Outdated();
        if (lanes.length === 0) return;
        if ((await transaction.collection(laneCollection).removeAll(lanes)) < lanes.length)
          throw new Outdated();
      });
      return true;
    } catch (error) {
      if (error instanceof Outdated) return false;
      throw error;
    }
  }

  /** Of a store that nobody shares: gives back what a process had claimed that has ended. */
  async takeOver(): Promise<void> {
    if (this.#store.isShared) return;
    const running = eq(jobFields.status, "running");
    const found = await this.#jobs.find({ filter: running, visibility: "live", limit: 1_000, skip: 0 });
    const due_at = timestamp(await this.#store.now());
    for (const { record, version } of found.map(readJob)) {
      if (record.claimed_by === undefined || record.claimed_by === thisProcess) continue;
      await this.#jobs.replace(version, writeJob({ ...released(record), due_at }, version + 1));
    }
  }

  /** All at once, or, where others want the same, or hold one, each for itself. @param now as the store has it */
  async #claim(claims: readonly NewClaim[], now: number): Promise<readonly Claimed[]> {
    if (claims.length === 0) return [];
    if (await this.#claimTogether(claims)) return claims.map(asClaimed);
    const taken: Claimed[] = [];
    for (let at = 0; at < claims.length; at += apart) {
      const some = claims.slice(at, at + apart).map((claim) => this.#claimAlone(claim, now));
      taken.push(...(await Promise.all(some)).flat());
    }
    return taken;
  }

  async #claimTogether(claims: readonly NewClaim[]): Promise<boolean> {
    try {
      return await this.changeAll(claims);
    } catch (error) {
      if (error instanceof TransactionConflict) return false;
      throw error;
    }
  }

  /** None where somebody was quicker, or holds the job: then it is left alone for a while, and keeps nobody from others. */
  async #claimAlone(claim: NewClaim, now: number): Promise<readonly Claimed[]> {
    const { version, next } = claim;
    try {
      const isTaken = await this.#jobs.replace(version, writeJob(next, version + 1));
      return isTaken ? [asClaimed(claim)] : [];
    } catch (error) {
      if (!(error instanceof TransactionConflict)) throw error;
      this.#held.set(next.id, now + heldTime);
      return [];
    }
  }

  /** Of jobs that nobody else is known to hold. */
  #isFree(now: number): Filter {
    for (const [id, until] of this.#held)
      if (Math.abs(until - now) > heldTime || until <= now) this.#held.delete(id);
    return this.#held.size === 0 ? TRUE : not(isIn(documentFields.id, [...this.#held.keys()]));
  }

  get #jobs() {
    return this.#store.collection(jobCollection);
  }
}

/** A job as it is once it is claimed. @param version which it has before */
interface NewClaim {
  readonly version: number;
  readonly next: JobRecord;
}

function asClaimed({ version, next }: NewClaim): Claimed {
  return { job: next, version: version + 1 };
}

function claimOf(job: JobRecord, at: string, until: string): JobRecord {
  return {
    ...job,
    status: job.finished_at === null ? "running" : job.status,
    started_at: job.started_at ?? at,
    due_at: until,
    token: (job.token ?? 0) + 1,
    claimed_by: thisProcess,
    ...(job.key !== undefined && { key: undefined }),
  };
}

function isSameClaim(stored: JobRecord, claimed: JobRecord): boolean {
  return stored.claimed_by !== undefined && stored.token === claimed.token;
}

/** It has left its lane. */
function alone(job: JobRecord): JobRecord {
  const { next: _, ...rest } = job;
  return rest;
}
