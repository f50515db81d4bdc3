import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { StoredDocument } from "../../store/contract.ts";
import type { Access } from "../access.ts";
import type { Entrance } from "../entrance.ts";
import { lowered } from "./limits.ts";
import { Loader } from "./load.ts";
import { type Plan, readPlan } from "./plan.ts";
import { referencesOf } from "./references.ts";
import { Renderer } from "./render.ts";
import { Source } from "./source.ts";

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
   * @throws ApiError `expand_too_large`, QueryTimeout, StoreBusy
   */
  run(
    plan: Plan,
    access: Access,
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

/** Made at start: references and limits are resolved once. */
export function expander(
  realm: RealmInstance,
  definition: CollectionDefinition,
  { further }: Pick<Entrance, "further">,
): Expander {
  const limits = lowered(realm.expandLimits, definition);
  const references = referencesOf(realm, definition, limits, limits.maxDepth);
  return {
    readExpand: (text) => readPlan(text, references, limits),
    async run({ branches }, reader, stored, texts) {
      const access = await further(reader);
      const sources = stored.map((document, at) => new Source(document, at, 1));
      const loaded = await new Loader(access, limits.maxDocs).load(branches, sources);
      const renderer = new Renderer(access);
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
