import type { JsonObject } from "../json.ts";

/** A step of a collection's documents from the form that they had to the next one; emitted. Its functions are pure. */
export interface MigrationDefinition {
  /** Four digits. */
  readonly number: string;
  readonly name: string;
  /** Of a document's members without `id` and `_meta`; what it answers is a new object. */
  readonly forward: MigrationStep;
  /** The way back; absent where there is none. */
  readonly back?: MigrationStep;
}

export type MigrationStep = (document: JsonObject, about: { readonly id: string }) => JsonObject;

/** When a server migrates its realm's documents: before it is ready, beside its requests, or not by itself. */
export type MigrationMode = "start" | "background" | "manual";

/** Number of the last migration of a collection's documents; 0 where there are none. */
export function newestForm({
  migrations = [],
}: {
  readonly migrations?: readonly MigrationDefinition[];
}): number {
  return Number(migrations.at(-1)?.number ?? 0);
}
