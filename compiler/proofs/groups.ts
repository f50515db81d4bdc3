/** What rules compare with each other, and the values that they name beside it. */
import type { Scalar } from "../../runtime/filter/algebra.ts";

export interface Group {
  readonly keys: ReadonlySet<string>;
  readonly values: Values;
}

interface Values {
  /** With which of the two rules name them. */
  readonly scalars: ReadonlyMap<Scalar, ReadonlySet<number>>;
  /** What texts are to begin with, end with or contain. */
  readonly parts: ReadonlySet<Scalar>;
  readonly sizes: ReadonlySet<number>;
}

export const nothing: Values = { scalars: new Map(), parts: new Set(), sizes: new Set() };

/** What is compared with each other, directly or by way of others, is tried with the same values. */
export class Groups {
  readonly #groups = new Map<string, Group>();

  add(keys: readonly string[], values: Values): void {
    const known = new Set(keys.flatMap((key) => this.#groups.get(key) ?? []));
    const joined: Group = {
      keys: new Set([...keys, ...[...known].flatMap((group) => [...group.keys])]),
      values: [...known].reduce((all, group) => merged(all, group.values), values),
    };
    for (const key of joined.keys) this.#groups.set(key, joined);
  }

  of(key: string): Group {
    return this.#groups.get(key) ?? { keys: new Set(), values: nothing };
  }
}

function merged(one: Values, other: Values): Values {
  const scalars = new Map(one.scalars);
  for (const [value, by] of other.scalars)
    scalars.set(value, new Set([...(scalars.get(value) ?? []), ...by]));
  return {
    scalars,
    parts: new Set([...one.parts, ...other.parts]),
    sizes: new Set([...one.sizes, ...other.sizes]),
  };
}
