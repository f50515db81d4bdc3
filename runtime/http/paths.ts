/** What a segment leads to. */
interface Node<T> {
  readonly named: Map<string, Node<T>>;
  parameter: Node<T> | undefined;
  value: T | undefined;
}

/**
 * Finds a path whatever the method, so that what it does not support is known as well (405, preflights). Patterns are
 * static segments and whole-segment `:parameters`; where both match, a name goes before a parameter, further left first.
 */
export class PathTable<T> {
  readonly #root: Node<T> = emptyNode();

  /** What stands under a pattern, whatever its parameters are called; made the first time. */
  at(pattern: string, make: () => T): T {
    let node = this.#root;
    for (const segment of pattern.split("/")) {
      let next = segment.startsWith(":") ? node.parameter : node.named.get(segment);
      if (next === undefined) {
        next = emptyNode();
        if (segment.startsWith(":")) node.parameter = next;
        else node.named.set(segment, next);
      }
      node = next;
    }
    node.value ??= make();
    return node.value;
  }

  /** `segments` as from {@link segmentsOf}. */
  get(segments: readonly (string | undefined)[]): T | undefined {
    return find(this.#root, segments, 0);
  }
}

function emptyNode<T>(): Node<T> {
  return { named: new Map(), parameter: undefined, value: undefined };
}

function find<T>(node: Node<T>, segments: readonly (string | undefined)[], at: number): T | undefined {
  if (at === segments.length) return node.value;
  const segment = segments[at];
  if (segment === undefined) return undefined;
  const named = node.named.get(segment);
  const found = named && find(named, segments, at + 1);
  if (found !== undefined || node.parameter === undefined) return found;
  return find(node.parameter, segments, at + 1);
}

/** The parameters of a pattern, and at which of a path's segments they stand. */
export function parametersOf(pattern: string): readonly (readonly [name: string, at: number])[] {
  return pattern
    .split("/")
    .flatMap((segment, at) => (segment.startsWith(":") ? [[segment.slice(1), at] as const] : []));
}

/**
 * The percent-decoded segments of a request target without its query, the empty one before the first slash included;
 * undefined for those whose encoding is malformed.
 */
export function segmentsOf(target: string): readonly (string | undefined)[] {
  const relative = target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "");
  const path = before("#", before("?", relative));
  // On the way of every request, where `split` would take several times as long.
  const segments: string[] = [];
  let from = 0;
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", from)) {
    segments.push(path.slice(from, slash));
    from = slash + 1;
  }
  segments.push(path.slice(from));
  return path.includes("%") ? segments.map(decoded) : segments;
}

function before(mark: string, text: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
