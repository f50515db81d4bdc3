import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import { ApiError } from "../../errors.ts";
import { Turns } from "../../turns.ts";

/** OWASP's first choice for argon2id; memory in KiB. The algorithm is the package's default. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A hash of the same cost that no password is known for: verified where there is no account, to take the same time. */
export const nobody =
  "$argon2id$v=19$m=19456,t=2,p=1$0U+hb9sJ2BkMAgAQ/Ghixg$3eGsG23IqUltnMsbn4PgpzHyFoPvHPfGIuTfZqMhNXs";

/** Whether a new password has 8 to 256 characters (code points). */
export function isPassword(password: string): boolean {
  if (password.length > 2 * 256) return false;
  const characters = Array.from(password).length;
  return characters >= 8 && characters <= 256;
}

/**
 * Argon2id with bounded concurrency: each operation costs tens of milliseconds of a core and 19 MiB. What exceeds the
 * queue is refused with `unavailable` (spec: Errors).
 */
export class PasswordHasher {
  readonly #turns: Turns;

  constructor(atOnce: number, queue: number) {
    this.#turns = new Turns(atOnce, queue, tooMany);
  }

  /**
   * The password's hash in PHC form.
   * @throws ApiError `unavailable`
   */
  hash(password: string): Promise<string> {
    return this.#turns.run(() => hash(normal(password), cost));
  }

  /**
   * Whether `password` is the one that `stored` was made from. Undefined is nobody's: false, in the same time.
   * @throws ApiError `unavailable`
   */
  async verify(stored: string | undefined, password: string): Promise<boolean> {
    const possible = stored !== undefined && isPassword(password);
    const matches = await this.#turns.run(() =>
      possible ? verify(stored, normal(password)) : verify(nobody, "not a password"),
    );
    return possible && matches;
  }
}

function tooMany(): ApiError {
  return new ApiError("unavailable", "Too many password operations are under way; try again shortly.", {
    headers: { "retry-after": "1" },
  });
}

/** The same password typed on another keyboard is the same (NIST SP 800-63B, 5.1.1.2). */
function normal(password: string): string {
  return password.normalize("NFKC");
}

/** One for the process, whose cores, memory and thread pool (of four) are what is bounded. */
export const passwords = new PasswordHasher(Math.min(4, availableParallelism()), 64);
