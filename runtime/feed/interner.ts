import { anchorsOf } from "../filter/anchors.ts";
import { canonicalKey } from "../filter/canonical.ts";
import type { Interest, Interned } from "./interests.ts";

/** Makes equal interests one, for as long as somebody holds it. */
export class Interner {
  readonly #known = new Map<string, Interned>();

  /** Different interests. */
  get size(): number {
    return this.#known.size;
  }

  take(interest: Interest): Interned {
    const { collection, visibility, filter } = interest;
    const key = `${visibility} ${collection} ${canonicalKey(filter)}`;
    const interned = this.#known.get(key) ?? { interest, key, anchors: anchorsOf(filter), holders: 0 };
    if (interned.holders === 0) this.#known.set(key, interned);
    interned.holders += 1;
    return interned;
  }

  release(interned: Interned): void {
    interned.holders -= 1;
    if (interned.holders === 0) this.#known.delete(interned.key);
  }
}
