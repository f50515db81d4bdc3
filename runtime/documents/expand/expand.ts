import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Exchange, RealmInstance } from "../../realm/exchange.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { charactersOf } from "../../store/page.ts";
import type { Access } from "../access.ts";
import type { Entrance } from "../entrance.ts";
import { memoryOf } from "../page-reader.ts";
import { lowered } from "./limits.ts";
import { Loader } from "./load.ts";
import { type Plan, readPlan } from "./plan.ts";
import { referencesOf } from "./references.ts";
import { Renderer } from "./render.ts";
import { Parsed, Source } from "./source.ts";

/** Expands the references of one collection's documents (spec: Reference expansion). */
export interface Expander {
  /**
   * Reads the value of `expand`.
   * @throws ApiError `invalid_expand` with a detail per problem
   */
  readExpand(text: string): Plan;
  /**
   * Puts what the caller may see of the references' targets into documents. Answers with it are never 304 nor public.
   * @param texts what the caller receives of each of the stored documents
   * @throws ApiError `expand_too_large` | `unavailable`, QueryTimeout, StoreBusy
   */
  run(
    plan: Plan,
    access: Access,
    exchange: Exchange,
    stored: readonly StoredDocument[],
    texts: readonly string[],
  ): Promise<Expanded>;
}

export interface Expanded {
  /** The documents, each with its `_expanded`. */
  readonly texts: readonly string[];
  /** `X-Svc-Expand-Queries` and `X-Svc-Expand-Docs`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Expanded documents have at most so many times the characters that a page may have. */
const pagesExpanded = 4;

/** Made at start: references and limits are resolved once. */
export function expander(
  realm: RealmInstance,
  definition: CollectionDefinition,
  { further }: Pick<Entrance, "further">,
): Expander {
  const limits = lowered(realm.expandLimits, definition);
  const characters = pagesExpanded * realm.pageCharacters;
  const references = referencesOf(realm, definition, limits, limits.maxDepth);
  return {
    readExpand: (text) => readPlan(text, references, limits),
    async run({ branches }, reader, exchange, stored, texts) {
      const access = await further(reader);
      const parsed = new Parsed();
      const sources = stored.map((document, at) => new Source(parsed, document, at, 1));
      const page = memoryOf(charactersOf(stored));
      const reserve = (bytes: number) => exchange.reserve(page + bytes);
      const allowed = { documents: limits.maxDocs, characters };
      const loaded = await new Loader(access, allowed, parsed, reserve).load(branches, sources);
      const renderer = new Renderer(access, characters);
      return {
        texts: texts.map((text, at) => renderer.expanded(text, loaded.branches, at)),
        headers: {
          "x-svc-expand-queries": String(loaded.queries),
          "x-svc-expand-docs": String(loaded.documents),
        },
      };
    },
  };
}
