import { ApiError } from "../../errors.ts";
import { and } from "../../filter/algebra.ts";
import type { JsonObject } from "../../json.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { charactersOf } from "../../store/page.ts";
import { type Access, readFilter } from "../access.ts";
import { memoryOf } from "../page-reader.ts";
import { valueAt } from "../paths.ts";
import { isHidden } from "../query/hidden.ts";
import { type Bounds, boundsOf, withinOrganizations } from "./organizations.ts";
import type { Branch } from "./plan.ts";
import type { Reference } from "./references.ts";
import { type Followed, keyOf, type Parsed, type Source, sourcesOf } from "./source.ts";

/**
 * Values that one request follows, whether or not they lead anywhere: a bound for what is done before documents are
 * counted. All that a page of 100 holds by the default limits, or twice the documents allowed where those are more.
 */
const MAX_VALUES = 50_000;

/** Bytes of a parsed document for each character of its text, at most. */
const bytesParsed = 20;

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

/** Branches to load from the same documents, and among what they are put. */
interface Level {
  readonly branches: readonly Branch[];
  readonly sources: readonly Source[];
  readonly siblings: LoadedBranch[];
}

/** What one request may load. */
export interface Allowed {
  /** Documents that the answer may hold, as they occur in it. */
  readonly documents: number;
  /** Of the documents that are read. */
  readonly characters: number;
}

/** Finds what references lead to: at most one query a branch, however many documents it leads from. */
export class Loader {
  readonly #access: Access;
  readonly #allowed: Allowed;
  readonly #maxValues: number;
  readonly #parsed: Parsed;
  readonly #reserve: (bytes: number) => void;
  #queries = 0;
  #documents = 0;
  #values = 0;
  #characters = 0;

  /** @param reserve is told of the memory that all of it takes; see `Exchange` */
  constructor(access: Access, allowed: Allowed, parsed: Parsed, reserve: (bytes: number) => void) {
    this.#access = access;
    this.#allowed = allowed;
    this.#maxValues = Math.max(MAX_VALUES, 2 * allowed.documents);
    this.#parsed = parsed;
    this.#reserve = reserve;
  }

  /**
   * Level by level: each is counted before the next one is asked for. One branch after the other, so that together they
   * read no more than the answer may hold.
   * @throws ApiError `expand_too_large` | `unavailable`, QueryTimeout, StoreBusy
   */
  async load(branches: readonly Branch[], sources: readonly Source[]): Promise<Loaded> {
    const loaded: LoadedBranch[] = [];
    let levels: readonly Level[] = [{ branches, sources, siblings: loaded }];
    while (levels.length > 0) {
      const next: Level[] = [];
      for (const level of levels) {
        const followed = this.#follow(level);
        for (const [at, branch] of level.branches.entries())
          next.push(await this.#branch(branch, level, followed[at] ?? []));
      }
      levels = next.filter(({ branches, sources }) => branches.length > 0 && sources.length > 0);
    }
    return { branches: loaded, queries: this.#queries, documents: this.#documents };
  }

  async #branch(
    branch: Branch,
    { sources, siblings }: Level,
    following: readonly Followed[],
  ): Promise<Level> {
    const { reference } = branch;
    const targets = new Map<string, Source>();
    const nested: LoadedBranch[] = [];
    const bounds = boundsOf(reference, sources);
    let followed = following;
    let found = sourcesOf(this.#parsed, await this.#find(reference, followed, bounds));
    if (!bounds.exact) {
      const within = withinOrganizations(reference, sources, followed, found, this.#parsed);
      followed = within.followed;
      found = within.found;
    }
    for (const target of found) targets.set(keyOf(reference, target), target);
    this.#count(sources, followed, targets);
    siblings.push({ branch, followed, targets, nested });
    return { branches: branch.nested, sources: found, siblings: nested };
  }

  /** What each of the branches names, document by document: none of these need stay parsed. */
  #follow({ branches, sources }: Level): readonly (readonly Followed[])[] {
    const followed = branches.map((): Followed[] => []);
    const open = branches.map(({ reference }) => !this.#isHidden(reference));
    for (const source of sources) {
      const document = open.includes(true) ? source.document : undefined;
      for (const [at, { reference }] of branches.entries()) {
        const one = document !== undefined && open[at] ? follow(reference, document) : none;
        this.#values += one.values.length;
        if (this.#values > this.#maxValues) {
          throw tooLarge(`the references to expand hold more than ${this.#maxValues} values`);
        }
        followed[at]?.push(one);
      }
    }
    return followed;
  }

  #isHidden({ source, field, target, key }: Reference): boolean {
    const access = this.#access;
    return isHidden(source.definition, access, field.path) || isHidden(target.definition, access, key.path);
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
      limit: bounds.exact ? this.#allowed.documents + 1 : values.size,
      characters: this.#allowed.characters - this.#characters,
    });
    this.#characters += charactersOf(found);
    if (this.#characters > this.#allowed.characters) {
      throw tooLarge(`the documents to expand hold more than ${this.#allowed.characters} characters`);
    }
    this.#reserve(memoryOf(this.#characters) + bytesParsed * this.#parsed.characters);
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
    if (this.#documents > this.#allowed.documents) {
      throw tooLarge(`the answer would hold more than ${this.#allowed.documents} expanded documents`);
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
