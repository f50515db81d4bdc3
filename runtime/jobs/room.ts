import type { JobKind, JobPool } from "./kind.ts";

/** What more an instance may do at once in a realm, by what it does. */
export class Room {
  /** Steps, by the names of kinds that have any left. */
  readonly #kinds = new Map<string, { free: number; readonly pool: JobPool | undefined }>();
  readonly #pools = new Map<JobPool, number>();

  /**
   * @param kinds that may begin any
   * @param underway the kind of each step that is being done
   */
  constructor(kinds: Iterable<JobKind>, underway: Iterable<JobKind>) {
    for (const { name, limit, pool } of kinds) {
      this.#kinds.set(name, { free: limit, pool });
      if (pool !== undefined) this.#pools.set(pool, pool.limit);
    }
    for (const { name, pool } of underway) {
      const kind = this.#kinds.get(name);
      if (kind !== undefined) kind.free -= 1;
      const left = pool && this.#pools.get(pool);
      if (pool !== undefined && left !== undefined) this.#pools.set(pool, left - 1);
    }
  }

  /** Names of kinds of which there may be another step. */
  get kinds(): readonly string[] {
    return [...this.#kinds.keys()].filter((name) => this.#left(name) > 0);
  }

  /** Steps that there may be altogether. */
  get size(): number {
    let size = 0;
    for (const { free, pool } of this.#kinds.values()) if (pool === undefined) size += Math.max(0, free);
    for (const [shared, left] of this.#pools) {
      let wanted = 0;
      for (const { free, pool } of this.#kinds.values()) if (pool === shared) wanted += Math.max(0, free);
      size += Math.max(0, Math.min(left, wanted));
    }
    return size;
  }

  /** Takes the place of a step; false where there is none. */
  take(name: string): boolean {
    const kind = this.#kinds.get(name);
    if (kind === undefined || this.#left(name) <= 0) return false;
    kind.free -= 1;
    if (kind.pool !== undefined) this.#pools.set(kind.pool, (this.#pools.get(kind.pool) ?? 0) - 1);
    return true;
  }

  #left(name: string): number {
    const kind = this.#kinds.get(name);
    if (kind === undefined) return 0;
    const { free, pool } = kind;
    return pool === undefined ? free : Math.min(free, this.#pools.get(pool) ?? 0);
  }
}
