import type { Clock } from "../clock.ts";
import { ApiError } from "../errors.ts";
import { isId } from "../ids.ts";
import type { JsonValue } from "../json.ts";
import type { CustomId } from "../realm/definition.ts";
import type { Access } from "./access.ts";

/**
 * The id that a create asks for (spec: Custom ids 2).
 * @throws ApiError `id_required` | `invalid_id`
 */
export function requestedId(customId: CustomId, sent: JsonValue | undefined, { caller }: Access): string {
  if (sent === undefined)
    throw new ApiError("id_required", "Documents of this collection need an id of your choice.");
  if (typeof sent !== "string" || !isId(sent)) {
    throw invalidId(
      "An id is 1 to 128 characters of A-Z a-z 0-9 . _ ~ -, not . or .., and does not start with _.",
    );
  }
  if (customId.is === "user" && !(caller?.kind === "user" && caller.user.id === sent)) {
    throw invalidId("The id must be that of the user who creates the document.");
  }
  if (customId.pattern !== undefined && !customId.pattern.test(sent)) {
    throw invalidId("The id does not match the collection's pattern.");
  }
  return sent;
}

function invalidId(message: string): ApiError {
  return new ApiError("invalid_id", message);
}

/** @throws ApiError `id_not_allowed` for an id sent to a collection that generates ids */
export function refuseId(sent: JsonValue | undefined): undefined {
  if (sent !== undefined) throw new ApiError("id_not_allowed", "Ids of this collection are generated.");
}

const minute = 60_000;
/** Callers that are watched; beyond them the one that has been quiet for longest is forgotten. */
const callersWatched = 10_000;

/**
 * Counts the `id_taken` answers that each caller of a collection got within the last minute (spec: Custom ids 4), so
 * that nobody finds out by trying which ids exist.
 */
export class DuplicateLimiter {
  readonly #limit: number;
  readonly #clock: Clock;
  /** Times of the newest answers, oldest first; callers in the order of their newest. */
  readonly #answers = new Map<string, number[]>();

  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** @throws ApiError `too_many_requests` with `Retry-After` when the caller has had as many as allowed */
  check(caller: string): void {
    const recent = this.#recent(caller);
    const [oldest] = recent.slice(-this.#limit);
    if (oldest === undefined || recent.length < this.#limit) return;
    const seconds = Math.max(1, Math.ceil((oldest + minute - this.#clock.now()) / 1000));
    throw new ApiError("too_many_requests", "Too many creates asked for ids that are taken.", {
      headers: { "retry-after": String(seconds) },
    });
  }

  count(caller: string): void {
    const recent = this.#recent(caller);
    this.#answers.delete(caller);
    this.#answers.set(caller, [...recent, this.#clock.now()].slice(-this.#limit));
    for (const quiet of this.#answers.keys()) {
      if (this.#answers.size <= callersWatched) break;
      this.#answers.delete(quiet);
    }
  }

  #recent(caller: string): readonly number[] {
    const since = this.#clock.now() - minute;
    return this.#answers.get(caller)?.filter((at) => at > since) ?? [];
  }
}
