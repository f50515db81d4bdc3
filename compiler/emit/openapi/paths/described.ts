import type { Collection } from "../../../model/model.ts";
import type { CompiledRules } from "../../../rules/compiled.ts";
import type { HeaderName } from "../headers.ts";
import type { CollectionSchemas } from "../schemas/collection.ts";
import type { AggregationQuery } from "./aggregate.ts";
import type { Queries } from "./queries.ts";
import type { Way } from "./way.ts";

/** A collection and what its operations are described from, whichever way leads to them. */
export interface Described {
  readonly collection: Collection;
  readonly rules: CompiledRules["rules"];
  readonly schemas: CollectionSchemas;
  readonly queries: Queries;
  /** Absent where the collection declares no aggregation. */
  readonly aggregation: AggregationQuery | undefined;
  readonly stem: string;
  readonly tag: string;
}

/** Sentences to a description; undefined where there is nothing to say. */
export function about(...sentences: readonly (string | undefined)[]): string | undefined {
  return sentences.filter((sentence) => sentence !== undefined).join(" ") || undefined;
}

/** Of reads, by the name that they have in the answer. */
export function readHeaders(
  way: Way,
  { publicCache }: Collection,
  tag: HeaderName,
): Record<string, HeaderName> {
  return { ETag: tag, ...(way.cached && publicCache && { "Cache-Control": "PublicCache" as const }) };
}
