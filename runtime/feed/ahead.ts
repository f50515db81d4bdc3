import type { Catching, Follower } from "./follower.ts";

/** Somebody who is met, and how far it has come. */
export type Met = readonly [follower: Follower, catching: Catching];

/** Those whom a pass has yet to meet, by the changes at which they are: after one, or before it. */
export class Ahead {
  /** The furthest back last; some may be here no more. */
  readonly #all: Follower[] = [];
  readonly #after = new Map<string, Set<Follower>>();
  readonly #before = new Map<string, Set<Follower>>();

  add(followers: readonly Follower[]): void {
    if (followers.length === 0) return;
    for (const follower of followers) {
      const { position, next } = follower.catching ?? {};
      if (position === undefined) continue;
      const [at, key] = next === undefined ? [this.#after, position] : [this.#before, next];
      const those = at.get(key);
      if (those === undefined) at.set(key, new Set([follower]));
      else those.add(follower);
      this.#all.push(follower);
    }
    const orderOf = ({ catching }: Follower) => catching?.order ?? "";
    this.#all.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : orderOf(a) > orderOf(b) ? -1 : 0));
  }

  delete(follower: Follower): void {
    const { position = "", next = "" } = follower.catching ?? {};
    for (const [at, key] of [
      [this.#after, position],
      [this.#before, next],
    ] as const) {
      const those = at.get(key);
      if (those?.delete(follower) === true && those.size === 0) at.delete(key);
    }
  }

  /** The furthest back, where it is before a change. */
  first(order?: string): Met | undefined {
    for (let last = this.#all.at(-1); last !== undefined; last = this.#all.at(-1)) {
      const { catching } = last;
      if (catching !== undefined && this.#has(last, catching))
        return order === undefined || (catching.order ?? "") < order ? [last, catching] : undefined;
      this.#all.pop();
    }
    return undefined;
  }

  /** Those who go on after the change at a position. */
  after(position: string): readonly Met[] {
    return metOf(this.#after.get(position));
  }

  /** Those who go on with the change at a position. */
  before(position: string): readonly Met[] {
    return metOf(this.#before.get(position));
  }

  #has(follower: Follower, { position, next }: Catching): boolean {
    return (
      this.#after.get(position)?.has(follower) === true ||
      this.#before.get(next ?? "")?.has(follower) === true
    );
  }
}

const nobody: readonly Met[] = [];

function metOf(followers: ReadonlySet<Follower> | undefined): readonly Met[] {
  if (followers === undefined) return nobody;
  const met: Met[] = [];
  for (const follower of followers)
    if (follower.catching !== undefined) met.push([follower, follower.catching]);
  return met;
}
