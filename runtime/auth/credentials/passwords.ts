import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { unavailable } from "../../errors.ts";
import type { Passwords } from "../../realm/exchange.ts";
import { Turns } from "../../turns.ts";
import { isPassword } from "../../validation/people.ts";

/** Of argon2id, the package's default; memory in KiB. */
export interface PasswordCost {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's first choice. */
const owasp: PasswordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** What of the package is used. */
export type Argon2 = Readonly<{ hash: typeof hash; verify: typeof verify }>;

/** A hash of the same cost that no password is known for: verified where there is no account, to take the same time. */
export function nobodyAt({ memoryCost, timeCost, parallelism }: PasswordCost): string {
  const cost = `m=${memoryCost},t=${timeCost},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$0U+hb9sJ2BkMAgAQ/Ghixg$3eGsG23IqUltnMsbn4PgpzHyFoPvHPfGIuTfZqMhNXs`;
}

/**
 * Argon2id with bounded concurrency: each operation costs tens of milliseconds of a core and 19 MiB. What exceeds the
 * queue is refused with `unavailable` (spec: Errors).
 */
export class PasswordHasher implements Passwords {
  readonly #turns: Turns;
  readonly #signups: Turns;
  readonly #cost: PasswordCost;
  readonly #argon2: Argon2;
  readonly #nobody: string;

  constructor(atOnce: number, queue: number, cost: PasswordCost = owasp, argon2: Argon2 = { hash, verify }) {
    this.#turns = new Turns(atOnce, queue, tooMany);
    this.#signups = new Turns(Math.max(1, Math.floor(atOnce / 2)), queue, tooMany);
    this.#cost = cost;
    this.#argon2 = argon2;
    this.#nobody = nobodyAt(cost);
  }

  /** In PHC form. */
  hash(password: string): Promise<string> {
    return this.#turns.run(() => this.#argon2.hash(normal(password), this.#cost));
  }

  hashAtSignup(password: string): Promise<string> {
    return this.#signups.run(() => this.hash(password));
  }

  async verify(stored: string | undefined, password: string): Promise<boolean> {
    const possible = stored !== undefined && isPassword(password);
    const matches = await this.#turns.run(() =>
      possible
        ? this.#argon2.verify(stored, normal(password))
        : this.#argon2.verify(this.#nobody, "not a password"),
    );
    return possible && matches;
  }
}

const tooMany = () => unavailable("Too many password operations are under way; try again shortly.");

/** The same password typed on another keyboard is the same (NIST SP 800-63B, 5.1.1.2). */
function normal(password: string): string {
  return password.normalize("NFKC");
}

/** One for the process, whose cores, memory and thread pool (of four) are what is bounded. */
export const passwords = new PasswordHasher(Math.min(4, availableParallelism()), 64);
