import { type ApiError, unavailable } from "../errors.ts";

/** A body on its way in. */
export interface Arriving {
  /** Gives back what it holds, and comes no further. */
  evict(): void;
}

/**
 * Bounds the bytes of request bodies that an instance holds at a time: of those on their way, and of those whose requests
 * are not answered yet. Where there is no room, of the bodies on their way those go that have not come on for longest, so
 * that clients who leave theirs unfinished keep nobody else from writing.
 */
export class BodyMemory {
  readonly #most: number;
  #held = 0;
  /** Whichever came on last is the last. */
  readonly #arriving = new Set<Arriving>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A body came on, and takes so many bytes more; it may be evicted itself. */
  grow(body: Arriving, bytes: number): void {
    this.#arriving.delete(body);
    this.#arriving.add(body);
    this.#held += bytes;
    for (const idlest of this.#arriving) {
      if (this.#held <= this.#most) return;
      idlest.evict();
    }
  }

  /** It is there as a whole, and held until it is given back. */
  arrived(body: Arriving): void {
    this.#arriving.delete(body);
  }

  giveBack(body: Arriving, bytes: number): void {
    this.#arriving.delete(body);
    this.#held -= bytes;
  }
}

/** What is answered to a body that was evicted. */
export function tooManyBodies(): ApiError {
  return unavailable("Too many request bodies are under way.");
}
