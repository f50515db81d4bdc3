import { Names } from "../print/names.ts";
import type { Ref } from "./schemas/pool.ts";

/** Components of one section that are added while operations are described, so that what several answer or take stands once. */
export class Named<Definition extends object> {
  readonly #section: string;
  readonly #names = new Names();
  readonly #definitions = new Map<string, Definition>();
  /** By what was wished for, and the definition as text. */
  readonly #known = new Map<string, Ref>();

  /** @param section Of `components`. */
  constructor(section: string) {
    this.#section = section;
  }

  /** Adds a component under a name like the wish, unless the same is there under it; answers the reference to it. */
  add(wish: string, definition: Definition): Ref {
    const key = `${wish} ${JSON.stringify(definition)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#names.claim(wish);
    const reference = { $ref: `#/components/${this.#section}/${name}` };
    this.#definitions.set(name, definition);
    this.#known.set(key, reference);
    return reference;
  }

  /** Sorted by name. */
  toObject(): Record<string, Definition> {
    return Object.fromEntries([...this.#definitions].sort(([left], [right]) => (left < right ? -1 : 1)));
  }
}
