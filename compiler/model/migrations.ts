/** What changes a collection's documents from one form to the next. */
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import type { Converted } from "../../runtime/realm/migration-steps.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import type { Schema } from "../schema/place.ts";
import type { Collection, Handler, Realm, RuleSource } from "./model.ts";

declare module "./model.ts" {
  interface Collection {
    /** In their order; absent where there are none. */
    readonly migrations?: readonly Migration[];
  }
}

export type Migration = StepsMigration | CodeMigration;

interface AnyMigration {
  /** Four digits. */
  readonly number: string;
  readonly name: string;
  /** Relative to the configuration folder. */
  readonly path: string;
  readonly span: Span;
  /** What documents were before it, where that is known: `<number>-<name>.from.json`. */
  readonly from?: Schema;
}

export interface StepsMigration extends AnyMigration {
  readonly kind: "steps";
  readonly steps: readonly Step[];
  /** The way back; absent where there is none. */
  readonly back?: readonly Step[];
}

/** In TypeScript. */
export interface CodeMigration extends AnyMigration {
  readonly kind: "code";
  readonly code: Handler;
}

/** A step; where it has a condition, for documents that hold it. */
export type Step = Action & { readonly when?: RuleSource };

export type Action =
  | { readonly kind: "rename"; readonly from: string; readonly to: string }
  | { readonly kind: "default" | "set"; readonly field: string; readonly value: JsonValue }
  | {
      readonly kind: "convert";
      readonly field: string;
      readonly to: Converted;
      /** For what cannot be converted; absent: that is refused. */
      readonly otherwise?: JsonValue;
    }
  | { readonly kind: "map"; readonly field: string; readonly values: JsonObject }
  | { readonly kind: "drop"; readonly field: string };

/** The migrations in TypeScript of a realm, with their collections. */
export function codeMigrations({
  databases,
}: Realm): readonly { readonly collection: Collection; readonly migration: CodeMigration }[] {
  return databases.flatMap(({ collections }) =>
    collections.flatMap((collection) =>
      (collection.migrations ?? []).flatMap((migration) =>
        migration.kind === "code" ? [{ collection, migration }] : [],
      ),
    ),
  );
}

/** Whether anything of a realm is written in TypeScript. */
export function hasCode(realm: Realm): boolean {
  return realm.functions.length > 0 || codeMigrations(realm).length > 0;
}
