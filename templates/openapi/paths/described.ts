import type { Collection } from "../../../compiler/model/model.ts";
import type { CompiledRules } from "../../../compiler/rules/compiled.ts";
import type { HeaderName } from "../../../runtime/contract/headers.ts";
import type { CollectionSchemas } from "../schemas/collection.ts";
import type { Ref } from "../schemas/pool.ts";
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

/** How aggregations of one collection are asked for and answered. */
export interface AggregationQuery {
  /** None where nothing can be grouped by. */
  readonly groupBy: readonly Ref[];
  readonly metrics: Ref;
  readonly orderBy: Ref;
  readonly groups: Ref;
}

/** Sentences to a description. */
export function about(first: string, ...further: readonly (string | undefined)[]): string {
  return [first, ...further].filter((sentence) => sentence !== undefined).join(" ");
}

/** Whether answers to reads say that anyone may keep them. */
function isPublic(way: Way, { publicCache }: Collection): boolean {
  return way.cached && publicCache !== undefined;
}

/** The name of the component that holds an answer to reads. */
export function readAnswer(way: Way, collection: Collection, name: string): string {
  return isPublic(way, collection) ? `Public${name}` : name;
}

/** Of reads, by the name that they have in the answer. */
export function readHeaders(way: Way, collection: Collection, tag: HeaderName): Record<string, HeaderName> {
  return { ETag: tag, ...(isPublic(way, collection) && { "Cache-Control": "PublicCache" as const }) };
}
