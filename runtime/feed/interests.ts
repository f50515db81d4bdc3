import type { Filter, Scalar } from "../filter/algebra.ts";
import type { Anchor } from "../filter/anchors.ts";
import type { Field } from "../filter/fields.ts";
import { matches, reaches } from "../filter/predicate.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { kept } from "../kept.ts";
import type { FeedChange, FeedDocumentChange, Image } from "./change.ts";

/** Which documents' changes somebody wants to hear of: of a collection whose changes are recorded with documents. */
export interface Interest {
  /** As in `CollectionShape`. */
  readonly collection: string;
  readonly filter: Filter;
  /** `live`: soft-deleted documents count as none. */
  readonly visibility: "live" | "all";
}

/** What a change is to an interest: whether the document is of it, before and after. One of the two at least is not false. */
export interface Relation {
  /** `unknown` where the store no longer has the document as it was. */
  readonly before: boolean | "unknown";
  readonly after: boolean;
}

/** An interest that a change concerns, and all who have it. */
export interface Concern<T> extends Relation {
  readonly holders: ReadonlySet<T>;
}

/** What the change is to the interest; undefined where it does not concern it. */
export function relationOf(
  { collection, filter, visibility }: Interest,
  change: FeedChange,
): Relation | undefined {
  if (change.recorded === "ids" || change.collection !== collection) return undefined;
  const isInside = (image: Image | undefined) =>
    image !== undefined && (visibility === "all" || image.isLive) && matches(filter, image.document);
  const before = change.before === "unknown" ? "unknown" : isInside(change.before);
  const after = isInside(change.after);
  return before === false && !after ? undefined : { before, after };
}

/** An interest as all who have an equal one share it. */
export interface Interned {
  readonly interest: Interest;
  readonly key: string;
  /** See `anchorsOf`. */
  readonly anchors: readonly Anchor[] | undefined;
  /** By how many it is held. */
  holders: number;
}

/** Interests of one collection by the values that their documents have. */
class CollectionIndex<T> {
  /** Who has each of them. */
  readonly all = new Map<Interned, Set<T>>();
  /** Those whose documents have no particular values. */
  readonly #rest = new Set<Interned>();
  readonly #fields = new Map<
    string,
    { readonly field: Field; readonly values: Map<Scalar, Set<Interned>> }
  >();

  add(interned: Interned): Set<T> {
    const holders = new Set<T>();
    this.all.set(interned, holders);
    if (interned.anchors === undefined) this.#rest.add(interned);
    for (const { field, value } of interned.anchors ?? []) {
      const { values } = kept(this.#fields, nameOf(field), () => ({ field, values: new Map() }));
      kept(values, value, () => new Set()).add(interned);
    }
    return holders;
  }

  delete(interned: Interned): void {
    this.all.delete(interned);
    this.#rest.delete(interned);
    for (const { field, value } of interned.anchors ?? []) {
      const values = this.#fields.get(nameOf(field))?.values;
      const held = values?.get(value);
      held?.delete(interned);
      if (held?.size === 0) values?.delete(value);
      if (values?.size === 0) this.#fields.delete(nameOf(field));
    }
  }

  /** Those that the change may concern: no other does. */
  candidates({ before, after }: FeedDocumentChange): Iterable<Interned> {
    if (before === "unknown") return this.all.keys();
    if (this.#fields.size === 0) return this.#rest;
    const found = new Set(this.#rest);
    for (const image of [before, after]) if (image !== undefined) this.#find(image.document, found);
    return found;
  }

  #find(document: JsonObject, found: Set<Interned>): void {
    for (const { field, values } of this.#fields.values()) {
      const note = (value: JsonValue) => {
        if (typeof value !== "object") for (const interned of values.get(value) ?? []) found.add(interned);
        return false;
      };
      reaches(document, field, note, true);
    }
  }
}

/** All that a walk to the field's values depends on. */
const nameOf = ({ segments, arrays }: Field) => JSON.stringify([segments, arrays]);

/** Who wants to hear of what: a change meets only those whose equalities its document satisfies, and those without any. */
export class Interests<T> {
  readonly #collections = new Map<string, CollectionIndex<T>>();
  /** What is done when it is thawed; undefined: it is not frozen. */
  #later: (() => void)[] | undefined;

  /** Stays as it is until {@link thaw}: what is added and deleted meanwhile counts from then on. */
  freeze(): void {
    this.#later = [];
  }

  thaw(): void {
    const later = this.#later ?? [];
    this.#later = undefined;
    for (const work of later) work();
  }

  add(interned: Interned, holder: T): void {
    if (this.#later !== undefined) {
      this.#later.push(() => this.add(interned, holder));
      return;
    }
    const index = kept(this.#collections, interned.interest.collection, () => new CollectionIndex<T>());
    (index.all.get(interned) ?? index.add(interned)).add(holder);
  }

  delete(interned: Interned, holder: T): void {
    if (this.#later !== undefined) {
      this.#later.push(() => this.delete(interned, holder));
      return;
    }
    const { collection } = interned.interest;
    const index = this.#collections.get(collection);
    const holders = index?.all.get(interned);
    if (index === undefined || holders?.delete(holder) !== true || holders.size > 0) return;
    index.delete(interned);
    if (index.all.size === 0) this.#collections.delete(collection);
  }

  /** Interests that the change may concern, each once: no other does. */
  candidates(change: FeedDocumentChange): readonly Interned[] {
    return [...(this.#collections.get(change.collection)?.candidates(change) ?? [])];
  }

  /** What the change is to an interest; undefined where it does not concern it, or nobody has it any more. */
  concern(interned: Interned, change: FeedDocumentChange): Concern<T> | undefined {
    const holders = this.#collections.get(change.collection)?.all.get(interned);
    const relation = holders && relationOf(interned.interest, change);
    return relation && { ...relation, holders };
  }
}
