interface Keeper<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** What is kept under a key, made when it is first asked for. */
export function kept<K, V>(keeper: Keeper<K, V>, key: K, make: () => V): V {
  const known = keeper.get(key);
  if (known !== undefined) return known;
  const made = make();
  keeper.set(key, made);
  return made;
}

/** What may be kept: values, and of their weights in all. */
export interface Bounds {
  readonly values: number;
  readonly weight: number;
}

/**
 * Values by key, bounded by two generations: what is used moves into the young one; when that is full it becomes the old
 * one, and what was in the old one is forgotten.
 */
export class Generations<K, V> {
  readonly #bounds: Bounds;
  #young = new Map<K, Weighed<V>>();
  #old = new Map<K, Weighed<V>>();
  #weight = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.value;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#keep(key, old);
    return old.value;
  }

  set(key: K, value: V, weight: number): void {
    this.#keep(key, { value, weight });
  }

  clear(): void {
    if (this.#young.size > 0) this.#young = new Map();
    if (this.#old.size > 0) this.#old = new Map();
    this.#weight = 0;
  }

  #keep(key: K, weighed: Weighed<V>): void {
    const { values, weight } = this.#bounds;
    if (this.#young.size >= values / 2 || this.#weight >= weight / 2) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    this.#young.set(key, weighed);
    this.#weight += weighed.weight;
  }
}

interface Weighed<V> {
  readonly value: V;
  readonly weight: number;
}

/** Values by key, of which the most recently stored `most` are kept. */
export class Recent<K, V> {
  readonly #most: number;
  readonly #values = new Map<K, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  set(key: K, value: V): void {
    if (this.#values.size >= this.#most && !this.#values.has(key)) {
      for (const oldest of this.#values.keys()) {
        this.#values.delete(oldest);
        break;
      }
    }
    this.#values.set(key, value);
  }

  delete(key: K): void {
    this.#values.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
