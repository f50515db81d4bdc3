import type { Filter } from "../../filter/algebra.ts";
import type { Field } from "../../filter/fields.ts";
import type { Order, Position } from "../../filter/order.ts";
import type { Visibility } from "./document.ts";

export interface Find {
  readonly filter: Filter;
  readonly visibility: Visibility;
  /** Absent: the default order. `relevance`: by score, greatest first, then id; the filter must hold a search. */
  readonly order?: Order | "relevance" | undefined;
  /** Only documents after this position of the order, all of whose keys must be seekable (see `isSeekable`). */
  readonly after?: Position | undefined;
  readonly limit: number;
  readonly skip: number;
  /** Of the documents' texts; default: no bound. The document that makes them longer is the last, unless it is the first. */
  readonly characters?: number | undefined;
}

/** Which documents one of their values names. */
export interface Lookup {
  /** `id`, or a field with a unique index of its own. */
  readonly key: Field;
  readonly values: readonly string[];
  readonly filter: Filter;
  /** At most so many documents are answered. */
  readonly limit: number;
  /** As in {@link Find}. */
  readonly characters?: number;
}
