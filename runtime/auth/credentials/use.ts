import { timestamp } from "../../clock.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { StoredDocument } from "../../store/contract.ts";
import { collections } from "../collections.ts";
import { type Read, readSession, type SessionRecord, writeSession } from "../records.ts";

/** A session as it is checked on every request: times in epoch milliseconds. */
export interface LiveSession extends Read<SessionRecord> {
  readonly lastUsed: number;
  readonly expires: number;
}

export function liveSession(document: StoredDocument): LiveSession {
  const read = readSession(document);
  return {
    ...read,
    lastUsed: Date.parse(read.record.last_used_at),
    expires: Date.parse(read.record.expires_at),
  };
}

/**
 * Records when sessions were last used: at most once a minute a session (oftener only where the idle timeout is a few
 * minutes), in the background. Uses are collected for a sixth of that time and written together, because each write
 * makes cached sessions out of date.
 */
export class SessionUse {
  readonly #realm: Pick<RealmInstance, "store" | "clock" | "background" | "log">;
  readonly #interval: number;
  readonly #gap: number;
  #noted = new Map<string, LiveSession>();
  #writing: ReadonlyMap<string, LiveSession> = new Map();
  #writtenAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(realm: Pick<RealmInstance, "store" | "clock" | "background" | "log">, idleTimeout: number) {
    this.#realm = realm;
    this.#interval = Math.min(60_000, idleTimeout / 4);
    this.#gap = this.#interval / 6;
  }

  /** When the session was last used as far as known, in epoch milliseconds. */
  lastUsed(session: LiveSession): number {
    if (this.#noted.size === 0 && this.#writing.size === 0) return session.lastUsed;
    const { id } = session.record;
    return (this.#noted.get(id) ?? this.#writing.get(id) ?? session).lastUsed;
  }

  /** Notes that the session is used now; costs nothing when that was noted a short while ago. */
  note(session: LiveSession, now: number): void {
    if (now - this.lastUsed(session) < this.#interval) return;
    const record = { ...session.record, last_used_at: timestamp(now) };
    this.#noted.set(record.id, { ...session, record, lastUsed: now });
    if (now - this.#writtenAt >= this.#gap) this.#write(now);
    else this.#timer ??= setTimeout(() => this.#write(this.#realm.clock.now()), this.#gap).unref();
  }

  #write(now: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writtenAt = now;
    this.#writing = this.#noted;
    this.#noted = new Map();
    this.#realm.background(this.#store(this.#writing));
  }

  async #store(uses: ReadonlyMap<string, LiveSession>): Promise<void> {
    try {
      await this.#realm.store.transaction(async (transaction) => {
        const sessions = transaction.collection(collections.sessions);
        // One that has ended or was written elsewhere meanwhile is left alone.
        for (const { record, version } of uses.values()) {
          await sessions.replace(version, writeSession(record, version + 1));
        }
      });
    } catch (error) {
      this.#realm.log.warn({ err: error }, "the last use of sessions could not be recorded");
    } finally {
      if (this.#writing === uses) this.#writing = new Map();
    }
  }
}
