import ipaddr from "ipaddr.js";
import type { Clock } from "../../clock.ts";
import { ApiError } from "../../errors.ts";

const period = 15 * 60_000;
const limits = { pair: 10, account: 100, address: 100 } as const;

/** Keys remembered at most; those that failed longest ago are forgotten first. */
const remembered = 100_000;

/**
 * The failed-login throttle of a process (api-decisions: Accounts): in 15 minutes 10 failures per account and address
 * together, 100 per account, 100 per address. An account is whatever e-mail address was tried, so that it says nothing
 * about which exist.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #capacity: number;
  /** Times of the last failures by key, oldest first, as many as its limit; keys in order of their last failure. */
  readonly #failures = new Map<string, number[]>();

  constructor(clock: Clock, capacity = remembered) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /**
   * To be called before a password is looked at and again before its result is told, or parallel attempts would learn
   * more than the limit.
   * @throws ApiError `too_many_requests` while the account or address is over a limit.
   */
  check(account: string, address: string): void {
    const now = this.#clock.now();
    let free = now;
    for (const [key, limit] of keys(account, address)) {
      const times = this.#failures.get(key);
      const oldest = times?.[times.length - limit];
      if (oldest !== undefined) free = Math.max(free, oldest + period);
    }
    if (free <= now) return;
    throw new ApiError("too_many_requests", "Too many failed logins; try again later.", {
      headers: { "retry-after": String(Math.ceil((free - now) / 1000)) },
    });
  }

  /** Counts a failed login. */
  fail(account: string, address: string): void {
    const now = this.#clock.now();
    for (const [key, limit] of keys(account, address)) {
      const recent = (this.#failures.get(key) ?? []).filter((time) => time > now - period);
      this.#failures.delete(key);
      this.#failures.set(key, [...recent, now].slice(-limit));
    }
    for (const key of this.#failures.keys()) {
      if (this.#failures.size <= this.#capacity) break;
      this.#failures.delete(key);
    }
  }
}

function keys(account: string, address: string): readonly (readonly [string, number])[] {
  const network = clientNetwork(address);
  return [
    [JSON.stringify([account, network]), limits.pair],
    [JSON.stringify([account]), limits.account],
    [JSON.stringify([null, network]), limits.address],
  ];
}

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 customer usually holds. */
function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return ipaddr
    .fromByteArray([...parsed.toByteArray().slice(0, 8), ...new Array<number>(8).fill(0)])
    .toString();
}
