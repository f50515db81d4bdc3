/**
 * Finds a path whatever the method, which the router cannot: it answers for a method and a path together. Used for what
 * no route matches (405, preflights).
 *
 * Patterns are static segments and whole-segment `:parameters`. Patterns of one shape (parameters in the same places)
 * share a key in which each parameter is `:`, so a lookup is one map access for each shape of the path's length.
 */
export class PathTable<T> {
  readonly #byKey = new Map<string, T>();
  /** Number of segments to the places of parameters, fewest parameters first. */
  readonly #shapes = new Map<number, (readonly number[])[]>();

  set(pattern: string, value: T): void {
    const segments = pattern.split("/");
    const places = segments.flatMap((segment, at) => (segment.startsWith(":") ? [at] : []));
    this.#byKey.set(keyOf(segments, places), value);
    const shapes = this.#shapes.get(segments.length) ?? [];
    if (shapes.some((shape) => shape.join() === places.join())) return;
    shapes.push(places);
    shapes.sort((one, other) => one.length - other.length);
    this.#shapes.set(segments.length, shapes);
  }

  /** `segments` as from {@link segmentsOf}. */
  get(segments: readonly (string | undefined)[]): T | undefined {
    if (segments.includes(undefined)) return undefined;
    for (const places of this.#shapes.get(segments.length) ?? []) {
      const found = this.#byKey.get(keyOf(segments, places));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function keyOf(segments: readonly (string | undefined)[], parameters: readonly number[]): string {
  const key = [...segments];
  for (const at of parameters) key[at] = ":";
  // Not joined by a slash: a client's decoded segment may hold one.
  return JSON.stringify(key);
}

/**
 * The percent-decoded segments of a request target without its query, the empty one before the first slash included;
 * undefined for those whose encoding is malformed.
 */
export function segmentsOf(target: string): readonly (string | undefined)[] {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  return path.split("/").map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return undefined;
    }
  });
}
