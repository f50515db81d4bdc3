import ipaddr from "ipaddr.js";
import { timestamp } from "../../clock.ts";
import { ApiError, tooManyRequests } from "../../errors.ts";
import { TRUE } from "../../filter/algebra.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { DuplicateId, TransactionConflict } from "../../store/contract/errors.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import type { Rate } from "../../units.ts";
import { collections, throttleFields } from "../collections.ts";
import { type Read, readThrottle, type ThrottleRecord, writeThrottle } from "../records.ts";
import { tokenHash } from "./tokens.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Transactions begun again because another one made the same record first. */
const attempts = 10;

/** How often something may happen in a time. */
export interface Limit extends Rate {
  /** What is counted; only its hash is stored. */
  readonly key: string;
}

/** What a guess that was no good is answered with. */
export const wrong = Symbol("wrong");

/**
 * Guesses at the secrets of an account (api-decisions: Accounts): of failures in 15 minutes 100 per account, 10 per
 * account and address together, 100 per address.
 * @param account in the form it compares in; whatever e-mail address is tried, so that it says nothing about which exist
 */
export function guessLimits(account: string, address: string): readonly Limit[] {
  const network = clientAddress(address);
  return [
    { key: JSON.stringify(["guess", account]), limit: 100, period: 15 * minute },
    { key: JSON.stringify(["guess", account, network]), limit: 10, period: 15 * minute },
    { key: JSON.stringify(["guess", null, network]), limit: 100, period: 15 * minute },
  ];
}

/**
 * Mails that somebody asks for: 3 an hour to one recipient, whichever route sends them, and 30 an hour from one address
 * (api-decisions: Accounts).
 * @param address undefined: it does not count
 */
export function mailLimits(recipient: string, address: string | undefined): readonly Limit[] {
  const sent = { key: JSON.stringify(["mail", recipient]), limit: 3, period: hour };
  if (address === undefined) return [sent];
  return [sent, { key: JSON.stringify(["mail", null, clientAddress(address)]), limit: 30, period: hour }];
}

/** Notices to one recipient, 3 an hour, which nobody keeps back by asking for mails. */
export function noticeLimits(recipient: string): readonly Limit[] {
  return [{ key: JSON.stringify(["notice", recipient]), limit: 3, period: hour }];
}

/** Sign-ups from one address, and from its network: the /24 of an IPv4 address, the /64 of an IPv6 one. */
export function signupLimits(
  address: string,
  limits: { readonly address: Rate; readonly network: Rate },
): readonly Limit[] {
  return [
    { key: JSON.stringify(["signup", address]), ...limits.address },
    { key: JSON.stringify(["signup", null, networkOf(address, 24)]), ...limits.network },
  ];
}

/** Counts in the store, so for all instances on it and beyond a restart. */
export class Throttle {
  readonly #realm: Pick<RealmInstance, "store" | "clock">;

  constructor(realm: Pick<RealmInstance, "store" | "clock">) {
    this.#realm = realm;
  }

  /**
   * A first look, before anything costly; `guess` decides.
   * @throws ApiError `too_many_requests`
   */
  async check(limits: readonly Limit[]): Promise<void> {
    const values = limits.map(({ key }) => tokenHash(key));
    const found = await this.#realm.store
      .collection(collections.throttle)
      .lookup({ key: throttleFields.id, values, filter: TRUE, limit: values.length });
    const records = found.map((document) => readThrottle(document).record);
    const times = values.map((id) => records.find((record) => record.id === id)?.times ?? []);
    refuse(limits, times, this.#realm.clock.now());
  }

  /**
   * Looks at a guess, in one transaction with what follows from it: of wrong ones, however many are tried at a time,
   * at most `limit` are told. `look` answers `wrong`, having written nothing, or what the guess opens.
   * @throws ApiError `too_many_requests`, also for a guess that would be right | TransactionConflict
   */
  guess<T>(
    limits: readonly Limit[],
    look: (transaction: Transaction) => Promise<T | typeof wrong>,
  ): Promise<T | typeof wrong> {
    return this.#counting(limits, async (transaction, counters) => {
      const now = this.#realm.clock.now();
      refuse(
        limits,
        counters.map(({ times }) => times),
        now,
      );
      const told = await look(transaction);
      // A right guess writes as well: of two that come at once, each sees what became of the other.
      const [account] = counters;
      if (told === wrong) for (const counter of counters) await counter.count(transaction, now);
      else await account?.keep(transaction, now);
      return told;
    });
  }

  /**
   * Counts a wrong guess that is about to be told.
   * @throws ApiError `too_many_requests`: it must not be told
   */
  async fail(limits: readonly Limit[]): Promise<void> {
    await this.guess(limits, async () => wrong);
  }

  /** Whether it may happen once more, which is counted then. */
  async take(limits: readonly Limit[]): Promise<boolean> {
    try {
      await this.fail(limits);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === "too_many_requests") return false;
      throw error;
    }
  }

  async #counting<T>(
    limits: readonly Limit[],
    work: (transaction: Transaction, counters: readonly Counter[]) => Promise<T>,
  ): Promise<T> {
    const ids = limits.map(({ key }) => tokenHash(key));
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#realm.store.transaction(async (transaction) => {
          const records = transaction.collection(collections.throttle);
          const counters: Counter[] = [];
          for (const [at, limit] of limits.entries()) {
            const id = ids[at] ?? "";
            const document = await records.get(id, "live");
            counters.push(new Counter(limit, id, document && readThrottle(document)));
          }
          return work(transaction, counters);
        });
      } catch (error) {
        // Another transaction made one of the records in between.
        const raced = error instanceof DuplicateId && ids.includes(error.id);
        if (!raced) throw error;
        if (attempt === attempts) throw new TransactionConflict(error);
      }
    }
  }
}

/** The record of one limit in a transaction. */
class Counter {
  readonly #limit: Limit;
  readonly #id: string;
  readonly #read: Read<ThrottleRecord> | undefined;

  constructor(limit: Limit, id: string, read: Read<ThrottleRecord> | undefined) {
    this.#limit = limit;
    this.#id = id;
    this.#read = read;
  }

  get times(): readonly number[] {
    return this.#read?.record.times ?? [];
  }

  count(transaction: Transaction, now: number): Promise<void> {
    return this.#write(transaction, now, [...this.times, now]);
  }

  /** Writes it as it is. */
  keep(transaction: Transaction, now: number): Promise<void> {
    return this.#write(transaction, now, this.times);
  }

  async #write(transaction: Transaction, now: number, times: readonly number[]): Promise<void> {
    const { limit, period } = this.#limit;
    const records = transaction.collection(collections.throttle);
    const version = this.#read?.version ?? 0;
    const record = {
      id: this.#id,
      times: times.filter((time) => counts(time, now, period)).slice(-limit),
      created_at: this.#read?.record.created_at ?? timestamp(now),
      expires_at: timestamp(now + period),
    };
    if (version === 0) await records.insert(writeThrottle(record, 1));
    else if (!(await records.replace(version, writeThrottle(record, version + 1)))) {
      throw new TransactionConflict(undefined);
    }
  }
}

/** Within a period of now; later than that it was written by a clock that was wrong then. */
function counts(time: number, now: number, period: number): boolean {
  return Math.abs(now - time) < period;
}

/** @param counted the times of each limit, oldest first */
function refuse(limits: readonly Limit[], counted: readonly (readonly number[])[], now: number): void {
  let free = now;
  for (const [at, { limit, period }] of limits.entries()) {
    const oldest = counted[at]?.filter((time) => counts(time, now, period)).at(-limit);
    if (oldest !== undefined) free = Math.max(free, oldest + period);
  }
  if (free > now) throw tooMany(free - now);
}

function tooMany(milliseconds: number): ApiError {
  return tooManyRequests("Too many attempts; try again later.", milliseconds);
}

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 customer usually holds. */
function clientAddress(address: string): string {
  return networkOf(address, 32);
}

/** The first address of the network that an address is in: so many bits of an IPv4 address, the /64 of an IPv6 one. */
function networkOf(address: string, ipv4: 24 | 32): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const kept = parsed.kind() === "ipv4" ? ipv4 / 8 : 8;
  return ipaddr.fromByteArray(parsed.toByteArray().map((byte, at) => (at < kept ? byte : 0))).toString();
}
