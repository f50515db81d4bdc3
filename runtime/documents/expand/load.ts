import { ApiError } from "../../errors.ts";
import { and } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import type { StoredDocument } from "../../store/contract.ts";
import { type Access, readFilter } from "../access.ts";
import { valueAt } from "../paths.ts";
import { isHidden } from "../query/hidden.ts";
import { type Bounds, boundsOf, withinOrganizations } from "./organizations.ts";
import type { Branch } from "./plan.ts";
import type { Reference } from "./references.ts";
import { type Followed, keyOf, type Source, sourcesOf } from "./source.ts";

/**
 * Values that one request follows, whether or not they lead anywhere: a bound for what is done before documents are
 * counted. All that a page of 100 holds by the default limits, or twice the documents allowed where those are more.
 */
const MAX_VALUES = 50_000;

/** Characters of documents that one request reads, and that one answer holds: one text must hold it all. */
export const MAX_CHARACTERS = 2 ** 26;

const none: Followed = { kind: "none", values: [] };
const empty: Followed = { kind: "many", values: [] };

/** A branch and what was found for it. */
export interface LoadedBranch {
  readonly branch: Branch;
  /** By source. */
  readonly followed: readonly Followed[];
  /** By the value that names them. */
  readonly targets: ReadonlyMap<string, Source>;
  /** The next level, whose sources are the targets. */
  readonly nested: readonly LoadedBranch[];
}

export interface Loaded {
  readonly branches: readonly LoadedBranch[];
  readonly queries: number;
  /** As they occur in the answer. */
  readonly documents: number;
}

/** A branch to load, from where, and among what it is put. */
interface Step {
  readonly branch: Branch;
  readonly sources: readonly Source[];
  readonly siblings: LoadedBranch[];
}

/** Finds what references lead to: at most one query a branch, however many documents it leads from. */
export class Loader {
  readonly #access: Access;
  readonly #maxDocs: number;
  readonly #maxValues: number;
  #queries = 0;
  #documents = 0;
  #values = 0;
  #characters = 0;

  /** @param maxDocs documents that the answer may hold, as they occur in it */
  constructor(access: Access, maxDocs: number) {
    this.#access = access;
    this.#maxDocs = maxDocs;
    this.#maxValues = Math.max(MAX_VALUES, 2 * maxDocs);
  }

  /**
   * Level by level: each is counted before the next one is asked for.
   * @throws ApiError `expand_too_large`, QueryTimeout, StoreBusy
   */
  async load(branches: readonly Branch[], sources: readonly Source[]): Promise<Loaded> {
    const loaded: LoadedBranch[] = [];
    let level: readonly Step[] = branches.map((branch) => ({ branch, sources, siblings: loaded }));
    while (level.length > 0) {
      const next = await Promise.all(level.map((step) => this.#step(step)));
      level = next.flat();
    }
    return { branches: loaded, queries: this.#queries, documents: this.#documents };
  }

  async #step({ branch, sources, siblings }: Step): Promise<readonly Step[]> {
    const { reference } = branch;
    const targets = new Map<string, Source>();
    const nested: LoadedBranch[] = [];
    const loaded = { branch, followed: this.#follow(reference, sources), targets, nested };
    // Before anything is awaited, so that branches stay in their order.
    siblings.push(loaded);
    const bounds = boundsOf(reference, sources);
    let found = sourcesOf(await this.#find(reference, loaded.followed, bounds));
    if (!bounds.exact) {
      const within = withinOrganizations(reference, sources, loaded.followed, found);
      loaded.followed = within.followed;
      found = within.found;
    }
    for (const target of found) targets.set(keyOf(reference, target), target);
    this.#count(sources, loaded.followed, targets);
    return branch.nested.map((inner) => ({ branch: inner, sources: found, siblings: nested }));
  }

  #follow(reference: Reference, sources: readonly Source[]): readonly Followed[] {
    const { source, field, target, key } = reference;
    const access = this.#access;
    if (isHidden(source.definition, access, field.path) || isHidden(target.definition, access, key.path)) {
      return sources.map(() => none);
    }
    return sources.map(({ document }) => {
      const followed = follow(reference, document);
      this.#values += followed.values.length;
      if (this.#values > this.#maxValues) {
        throw tooLarge(`the references to expand hold more than ${this.#maxValues} values`);
      }
      return followed;
    });
  }

  /** Live documents of which the caller may know. */
  async #find(
    reference: Reference,
    followed: readonly Followed[],
    bounds: Bounds,
  ): Promise<readonly StoredDocument[]> {
    const { definition, documents } = reference.target;
    const readable = readFilter(definition, this.#access, definition.rules?.read);
    if (readable.op === "false") return [];
    const values = new Set<string>();
    for (const { values: named } of followed) {
      for (const value of named) if (value !== undefined) values.add(value);
    }
    if (values.size === 0) return [];
    this.#queries += 1;
    const found = await documents.lookup({
      key: reference.key,
      values: [...values],
      filter: bounds.filter.op === "true" ? readable : and(readable, bounds.filter),
      // Where every document found stands in the answer, one more than allowed shows that it is too many.
      limit: bounds.exact ? this.#maxDocs + 1 : values.size,
      characters: MAX_CHARACTERS - this.#characters,
    });
    for (const { text } of found) this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS) {
      throw tooLarge(`the documents to expand hold more than ${MAX_CHARACTERS} characters`);
    }
    return found;
  }

  #count(
    sources: readonly Source[],
    followed: readonly Followed[],
    targets: ReadonlyMap<string, Source>,
  ): void {
    for (const [at, { values }] of followed.entries()) {
      const occurrences = sources[at]?.occurrences ?? 0;
      for (const value of values) {
        const target = value === undefined ? undefined : targets.get(value);
        if (target === undefined) continue;
        target.occurrences += occurrences;
        this.#documents += occurrences;
      }
    }
    if (this.#documents > this.#maxDocs) {
      throw tooLarge(`the answer would hold more than ${this.#maxDocs} expanded documents`);
    }
  }
}

function follow({ field, many, limit }: Reference, document: JsonObject): Followed {
  const value = valueAt(document, field.segments);
  if (!many) return typeof value === "string" ? { kind: "one", values: [value] } : none;
  if (value === undefined || value === null) return empty;
  // A stored document may be older than the schema that has a list there.
  if (!Array.isArray(value)) return none;
  const kind = value.length > limit ? "cut" : "many";
  const items = kind === "cut" ? value.slice(0, limit) : value;
  return { kind, values: items.map((item) => (typeof item === "string" ? item : undefined)) };
}

export function tooLarge(reason: string): ApiError {
  return new ApiError("expand_too_large", "There is too much to expand.", {
    details: [{ path: "expand", reason }],
  });
}
