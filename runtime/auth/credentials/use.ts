import { timestamp } from "../../clock.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections } from "../collections.ts";
import { readSession, writeSession } from "../records.ts";
import type { LiveSession } from "./live.ts";

/** Milliseconds between two writes of one session. */
const interval = 60_000;

/** Milliseconds between two writes of any: each makes cached sessions out of date. */
const gap = 10_000;

/** Uses written in one transaction. */
const atOnce = 100;

/** Sessions whose use is remembered at most; those first used longest ago are forgotten first. */
const remembered = 100_000;

/** The last use of a session; times in epoch milliseconds. */
interface Use {
  readonly session: string;
  /** The id of the session's record. */
  readonly hash: string;
  used: number;
  /** 0: not since it is remembered. */
  administered: number;
  /** May be written from then on. */
  due: number;
  /** There is something to write. */
  unwritten: boolean;
}

/**
 * Records when sessions were last used, and last administered: exactly in memory, and in the store at most once a minute
 * a session, in the background, several together. Every use reaches the store 70 seconds later at the latest, and is
 * remembered at least until then, so that here sessions end exactly when they were idle for too long. What others on the
 * same store, or this process after a crash, do not know yet is as old at most: there a session may end that much early.
 */
export class SessionUse {
  readonly #realm: Pick<RealmInstance, "store" | "clock" | "background" | "log">;
  readonly #capacity: number;
  /** By the session's id. */
  readonly #uses = new Map<string, Use>();
  #sweptAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(realm: Pick<RealmInstance, "store" | "clock" | "background" | "log">, capacity = remembered) {
    this.#realm = realm;
    this.#capacity = capacity;
  }

  /** When the session was last used as far as known, in epoch milliseconds. */
  lastUsed({ id, lastUsed }: Pick<LiveSession, "id" | "lastUsed">): number {
    return Math.max(lastUsed, this.#uses.get(id)?.used ?? 0);
  }

  /** When it was last used for administration, or its user last proved who they are. */
  lastAdministered({ id, administered }: Pick<LiveSession, "id" | "administered">): number {
    return Math.max(administered, this.#uses.get(id)?.administered ?? 0);
  }

  note(session: Pick<LiveSession, "id" | "hash" | "lastUsed">, now: number): void {
    const use = this.#uses.get(session.id) ?? this.#remember(session);
    if (now > use.used) {
      use.used = now;
      use.unwritten = true;
    }
    this.#write(use, now);
  }

  /** Notes that the session, whose use was noted, administers now. */
  noteAdministration(session: string, now: number): void {
    const use = this.#uses.get(session);
    if (use === undefined) return;
    use.administered = Math.max(use.administered, now);
    use.unwritten = true;
  }

  #remember({ id, hash, lastUsed }: Pick<LiveSession, "id" | "hash" | "lastUsed">): Use {
    if (this.#uses.size >= this.#capacity) {
      const [oldest] = this.#uses.keys();
      if (oldest !== undefined) this.#uses.delete(oldest);
    }
    const use = {
      session: id,
      hash,
      used: lastUsed,
      administered: 0,
      due: lastUsed + interval,
      unwritten: false,
    };
    this.#uses.set(id, use);
    return use;
  }

  #write(use: Use, now: number): void {
    if (use.due <= now && now - this.#sweptAt >= gap) this.#sweep(now);
    else this.#timer ??= setTimeout(() => this.#sweep(this.#realm.clock.now()), gap).unref();
  }

  /** Writes what is due, and forgets what was written a minute ago and not used since. */
  #sweep(now: number): void {
    clearTimeout(this.#timer);
    this.#sweptAt = now;
    const due: Use[] = [];
    for (const use of this.#uses.values()) {
      if (use.due > now) continue;
      if (use.unwritten) {
        due.push(use);
        use.due = now + interval;
        use.unwritten = false;
      } else {
        this.#uses.delete(use.session);
      }
    }
    this.#timer =
      this.#uses.size === 0 ? undefined : setTimeout(() => this.#sweep(this.#realm.clock.now()), gap).unref();
    if (due.length > 0) this.#realm.background(this.#store(due));
  }

  async #store(uses: readonly Use[]): Promise<void> {
    try {
      for (let from = 0; from < uses.length; from += atOnce) {
        const some = uses.slice(from, from + atOnce).map((use) => ({ ...use }));
        await this.#realm.store.transaction(async (transaction) => {
          for (const use of some) await storeUse(transaction, use);
        });
      }
    } catch (error) {
      this.#realm.log.warn({ err: error }, "the last use of sessions could not be recorded");
    }
  }
}

/** A session that has ended is left alone. */
async function storeUse(transaction: Transaction, { hash, used, administered }: Use): Promise<void> {
  const sessions = transaction.collection(collections.sessions);
  const document = await sessions.get(hash, "live");
  if (document === undefined) return;
  const { record, version } = readSession(document);
  const last_used_at = later(record.last_used_at, used);
  const administered_at = later(record.administered_at, administered);
  if (last_used_at === record.last_used_at && administered_at === record.administered_at) return;
  const changed = { ...record, last_used_at, administered_at };
  await sessions.replace(version, writeSession(changed, version + 1));
}

function later(stored: string, time: number): string {
  return time > Date.parse(stored) ? timestamp(time) : stored;
}
