import type { DocumentEvent, Versioned } from "./subscriptions.ts";

/** What became of the documents that are shown; one whose place alone changed was updated. */
export interface LiveChange<D> {
  readonly added: readonly D[];
  readonly updated: readonly D[];
  /** As they were shown last. */
  readonly removed: readonly D[];
}

/** Documents beyond the limit that are kept, to take the place of those that leave. */
const spare = 100;

/**
 * The documents of a subscription as far as they are known: all, or those up to a place in the order, behind which there are
 * more. By the specification's client procedure.
 */
export class Held<D extends Versioned> {
  readonly #compare: (a: D, b: D) => number;
  readonly #limit: number;
  readonly #documents = new Map<string, D>();
  /** What lies behind it is not known; undefined: nothing does. */
  #horizon: D | undefined;

  constructor(compare: (a: D, b: D) => number, limit: number) {
    this.#compare = compare;
    this.#limit = limit;
  }

  /** In place of what is held: what was read, in its order. Documents that are as they were stay the same objects. */
  replace(read: readonly D[], more: boolean): void {
    const before = new Map(this.#documents);
    this.#documents.clear();
    for (const document of read) {
      const known = before.get(document.id);
      const same = known !== undefined && JSON.stringify(known) === JSON.stringify(document);
      // Pages are read one after the other: a document that moves meanwhile may stand on two.
      if (isNewer(document, this.#documents.get(document.id)))
        this.#documents.set(document.id, same ? known : document);
    }
    this.#horizon = more ? read.at(-1) : undefined;
  }

  apply(event: DocumentEvent<D>): void {
    if (event.type === "removed") {
      const known = this.#documents.get(event.id);
      if (known !== undefined && event.version >= versionOf(known)) this.#documents.delete(event.id);
      return;
    }
    const { document } = event;
    const known = this.#documents.get(document.id);
    if (known !== undefined && !isNewer(document, known) && !isRetold(document, known)) return;
    if (this.#horizon !== undefined && this.#compare(document, this.#horizon) > 0)
      this.#documents.delete(document.id);
    else this.#documents.set(document.id, document);
  }

  clear(): void {
    this.replace([], false);
  }

  /** Whether there are documents that should be shown and are not known. */
  get isLacking(): boolean {
    return this.#horizon !== undefined && this.#documents.size < this.#limit;
  }

  /** What is to be shown, and whether there is more. */
  shown(): { readonly documents: readonly D[]; readonly more: boolean } {
    const all = [...this.#documents.values()].sort(this.#compare);
    const most = this.#limit + spare;
    if (all.length > 2 * most) {
      for (const { id } of all.splice(most)) this.#documents.delete(id);
      this.#horizon = all.at(-1);
    }
    const more = this.#horizon !== undefined || all.length > this.#limit;
    return { documents: Object.freeze(all.slice(0, this.#limit)), more };
  }
}

export function changeBetween<D extends Versioned>(before: readonly D[], after: readonly D[]): LiveChange<D> {
  const old = new Map(before.map((document) => [document.id, document]));
  const now = new Set(after.map(({ id }) => id));
  return {
    added: after.filter(({ id }) => !old.has(id)),
    updated: after.filter((document) => old.has(document.id) && old.get(document.id) !== document),
    removed: before.filter(({ id }) => !now.has(id)),
  };
}

function isNewer(document: Versioned, known: Versioned | undefined): boolean {
  return known === undefined || versionOf(document) > versionOf(known);
}

/** Of the same version, and told otherwise since: versions of its images are ready, or failed. */
function isRetold(document: Versioned, known: Versioned): boolean {
  return versionOf(document) === versionOf(known) && JSON.stringify(document) !== JSON.stringify(known);
}

/** Documents that were written before there were versions have none. */
function versionOf({ _meta }: Versioned): number {
  return "version" in _meta && typeof _meta.version === "number" ? _meta.version : 0;
}
