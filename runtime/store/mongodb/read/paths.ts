import type { Document } from "mongodb";
import type { Field } from "../../../filter/fields.ts";
import { pathOf } from "../layout.ts";

/** How a condition asks about what a field's path reaches. */
export interface Asking {
  /** One and the same value has to satisfy all of it, or none of the others may spoil it. */
  readonly together: boolean;
  /** An array where the field's own value is declared as one counts element by element. */
  readonly elements: boolean;
}

/**
 * A condition on some value that a regular field's path reaches. MongoDB walks arrays on a dotted path by itself; but a
 * condition of several parts may then be satisfied by several values, and a member's name of digits is the place of an
 * element as well. There `$elemMatch` says that each element is meant.
 */
export function placed(field: Field, condition: Document, { together, elements }: Asking): Document {
  const { arrays } = field;
  const segments = pathOf(field) === field.path ? field.segments : [pathOf(field)];
  const last = segments.length - 1;

  const from = (at: number): Document => {
    const names: string[] = [];
    for (const [n, segment] of segments.slice(at).entries()) {
      names.push(segment);
      const place = at + n;
      if (arrays[place] !== true) continue;
      const path = names.join(".");
      if (place === last) return { [path]: together && elements ? { $elemMatch: condition } : condition };
      if (together || isPlace(segments[place + 1])) return { [path]: { $elemMatch: from(place + 1) } };
    }
    return { [names.join(".")]: condition };
  };
  return from(0);
}

const isPlace = (segment = "") => /^\d+$/.test(segment);
