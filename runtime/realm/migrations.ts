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

/** What the file of a migration is called, without its ending: `0007-split-name`. */
export function migrationName({ number, name }: Pick<MigrationDefinition, "number" | "name">): string {
  return `${number}-${name}`;
}

/** A number as files and records have it: four digits. */
export function migrationNumber(form: number): string {
  return String(form).padStart(4, "0");
}

/** Number of the last migration of a collection's documents; 0 where there are none. */
export function newestForm({
  migrations = [],
}: {
  readonly migrations?: readonly MigrationDefinition[];
}): number {
  return Number(migrations.at(-1)?.number ?? 0);
}
