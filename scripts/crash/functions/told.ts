/** What a handler has counted of a document. */
export interface Counted {
  /** Changes that it was told of. */
  readonly count: number;
  /** The version that it was told of last. */
  readonly last: number;
  /** It was told that the document is deleted. */
  readonly gone: boolean;
  /** What it was told too early or too late. */
  readonly faults: readonly string[];
}

export interface Happened {
  /** As written; of a delete the one before. */
  readonly version: number;
  readonly gone: boolean;
}

/**
 * What is to be written when something is told; undefined where it has been counted already. Versions come one after
 * another, each as often as may be, and after a delete comes nothing but that.
 */
export function told(before: Counted | undefined, { version, gone }: Happened): Counted | undefined {
  const { count, last, faults, ...known } = before ?? { count: 0, last: 0, gone: false, faults: [] };
  const isAgain = version === last && gone === known.gone;
  if (isAgain && before !== undefined) return undefined;
  const isNext = !known.gone && version === (gone ? last : last + 1);
  if (isNext) return { count: count + 1, last: version, gone, faults };
  const what = `${gone ? "delete of " : ""}${version} after ${known.gone ? "delete of " : ""}${last}`;
  return {
    count: count + 1,
    last: Math.max(last, version),
    gone: gone || known.gone,
    faults: [...faults, what],
  };
}
