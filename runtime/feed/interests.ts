import type { Filter, Scalar } from "../filter/algebra.ts";
import { type Anchor, anchorsOf } from "../filter/anchors.ts";
import { canonicalKey } from "../filter/canonical.ts";
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

/** One interest, however many hold it. */
interface Interned<T> {
  readonly interest: Interest;
  readonly key: string;
  readonly holders: Set<T>;
  /** See `anchorsOf`. */
  readonly anchors: readonly Anchor[] | undefined;
}

/** Interests of one collection by the values that their documents have. */
class CollectionIndex<T> {
  readonly all = new Map<string, Interned<T>>();
  /** Those whose documents have no particular values. */
  readonly #rest = new Set<Interned<T>>();
  readonly #fields = new Map<
    string,
    { readonly field: Field; readonly values: Map<Scalar, Set<Interned<T>>> }
  >();

  add(interned: Interned<T>): void {
    this.all.set(interned.key, interned);
    if (interned.anchors === undefined) this.#rest.add(interned);
    for (const { field, value } of interned.anchors ?? []) {
      const { values } = kept(this.#fields, nameOf(field), () => ({ field, values: new Map() }));
      kept(values, value, () => new Set()).add(interned);
    }
  }

  delete(interned: Interned<T>): void {
    this.all.delete(interned.key);
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
  candidates({ before, after }: FeedDocumentChange): Iterable<Interned<T>> {
    if (before === "unknown") return this.all.values();
    const found = new Set(this.#rest);
    if (this.#fields.size === 0) return found;
    for (const image of [before, after]) if (image !== undefined) this.#find(image.document, found);
    return found;
  }

  #find(document: JsonObject, found: Set<Interned<T>>): void {
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

/**
 * Who wants to hear of what: equal interests are one, and a change meets only those whose equalities its document
 * satisfies, before or after, and those that have none.
 */
export class Interests<T> {
  readonly #collections = new Map<string, CollectionIndex<T>>();

  /** Answers how to take it back. A holder has an interest once. */
  add(interest: Interest, holder: T): () => void {
    const { collection, filter, visibility } = interest;
    const index = kept(this.#collections, collection, () => new CollectionIndex<T>());
    const key = `${visibility} ${canonicalKey(filter)}`;
    const interned = index.all.get(key) ?? { interest, key, holders: new Set(), anchors: anchorsOf(filter) };
    if (interned.holders.size === 0) index.add(interned);
    interned.holders.add(holder);
    return () => {
      if (!interned.holders.delete(holder) || interned.holders.size > 0) return;
      index.delete(interned);
      if (index.all.size === 0) this.#collections.delete(collection);
    };
  }

  /** Different interests. */
  get size(): number {
    let size = 0;
    for (const { all } of this.#collections.values()) size += all.size;
    return size;
  }

  /** Interests that the change concerns, each once. */
  concerns(change: FeedChange): readonly Concern<T>[] {
    const index = this.#collections.get(change.collection);
    if (index === undefined || change.recorded === "ids") return [];
    const found: Concern<T>[] = [];
    for (const { interest, holders } of index.candidates(change)) {
      const relation = relationOf(interest, change);
      if (relation !== undefined) found.push({ ...relation, holders });
    }
    return found;
  }
}
