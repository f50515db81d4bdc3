import { setTimeout as pause } from "node:timers/promises";
import type { Log, Mail, Mailer } from "../realm/exchange.ts";

/** A way by which mails leave. */
export interface Delivery {
  /** @throws Undelivered, or anything else, which is tried again */
  deliver(mail: Mail): Promise<void>;
  /** Gives up what is under way. */
  close(): void;
}

/** A mail that could not be delivered. */
export class Undelivered extends Error {
  /** What a log may say: neither address nor text, which a server's own words may repeat. */
  readonly facts: object;
  /** Trying again would change nothing. */
  readonly isFinal: boolean;

  constructor(facts: object, isFinal: boolean) {
    super("a mail could not be delivered");
    this.name = "Undelivered";
    this.facts = facts;
    this.isFinal = isFinal;
  }
}

/** Sends mail until it is closed, which the shutdown waits for. */
export interface ClosableMailer extends Mailer {
  close?(): Promise<void>;
}

/** Mails under way or waiting. */
const most = 1_000;

interface Times {
  /** Milliseconds before the second and the third attempt. */
  readonly backoff: readonly number[];
  /** Milliseconds that the shutdown waits for mails under way. */
  readonly patience: number;
}

const usual: Times = { backoff: [5_000, 30_000], patience: 2_000 };

/** Sends in the background: up to three attempts each, then an error in the log. */
export class MailQueue implements ClosableMailer {
  readonly #delivery: Delivery;
  readonly #log: Log;
  readonly #times: Times;
  readonly #underway = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(delivery: Delivery, log: Log, times: Partial<Times> = {}) {
    this.#delivery = delivery;
    this.#log = log;
    this.#times = { ...usual, ...times };
  }

  send(mail: Mail): void {
    if (this.#underway.size >= most || this.#stopping.signal.aborted) {
      this.#log.error({}, "a mail was dropped: too many wait to be sent");
      return;
    }
    const sending = this.#send(mail).finally(() => this.#underway.delete(sending));
    this.#underway.add(sending);
  }

  /** Lets attempts under way come to their end, for a moment; what would be tried again later is given up. */
  async close(): Promise<void> {
    this.#stopping.abort();
    const late = new AbortController();
    await Promise.race([
      Promise.all(this.#underway),
      pause(this.#times.patience, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
    this.#delivery.close();
    await Promise.all(this.#underway);
  }

  async #send(mail: Mail): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#delivery.deliver(mail);
      } catch (error) {
        const wait = this.#times.backoff[attempt - 1];
        const isFinal = error instanceof Undelivered && error.isFinal;
        if (isFinal || wait === undefined || !(await this.#pause(wait))) {
          this.#log.error({ attempts: attempt, ...factsOf(error) }, "a mail could not be sent");
          return;
        }
      }
    }
  }

  /** False when the shutdown came first. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#stopping;
    try {
      await pause(milliseconds, undefined, { signal });
      return true;
    } catch {
      return false;
    }
  }
}

function factsOf(error: unknown): object {
  if (error instanceof Undelivered) return error.facts;
  return error instanceof Error && "code" in error ? { code: error.code } : {};
}
