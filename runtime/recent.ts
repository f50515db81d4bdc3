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
