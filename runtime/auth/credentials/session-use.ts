import { timestamp } from "../../clock.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections } from "../collections.ts";
import { readSession, writeSession } from "../records.ts";
import type { LiveSession } from "./live.ts";
import { interval, remembered, type Use, Uses, type UsingRealm } from "./uses.ts";

interface UsedSession extends Use {
  /** The id of the session's record. */
  readonly hash: string;
  /** 0: not since it is remembered. */
  administered: number;
}

/**
 * When sessions were last used, and last administered. Here sessions end exactly when they were idle for too long; what
 * others on the same store, or this process after a crash, do not know yet is 70 seconds old at most: there a session may
 * end that much early.
 */
export class SessionUse {
  readonly #uses: Uses<UsedSession>;

  constructor(realm: UsingRealm, capacity = remembered) {
    this.#uses = new Uses(realm, { what: "sessions", store: storeUse }, capacity);
  }

  /** When the session was last used as far as known, in epoch milliseconds. */
  lastUsed({ id, lastUsed }: Pick<LiveSession, "id" | "lastUsed">): number {
    return Math.max(lastUsed, this.#uses.get(id)?.used ?? 0);
  }

  /** When it was last used for administration, or its user last proved who they are. */
  lastAdministered({ id, administered }: Pick<LiveSession, "id" | "administered">): number {
    return Math.max(administered, this.#uses.get(id)?.administered ?? 0);
  }

  note({ id, hash, lastUsed }: Pick<LiveSession, "id" | "hash" | "lastUsed">, now: number): void {
    const use =
      this.#uses.get(id) ??
      this.#uses.remember({
        ...{ id, hash, used: lastUsed, administered: 0 },
        ...{ due: lastUsed + interval, unwritten: false },
      });
    this.#uses.note(use, now);
  }

  /** Notes that the session, whose use was noted, administers now. */
  noteAdministration(session: string, now: number): void {
    const use = this.#uses.get(session);
    if (use === undefined) return;
    use.administered = Math.max(use.administered, now);
    use.unwritten = true;
  }
}

/** A session that has ended is left alone. */
async function storeUse(transaction: Transaction, { hash, used, administered }: UsedSession): Promise<void> {
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
