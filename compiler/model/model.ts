/**
 * The model: a realm resolved, immutable, plain data, with source spans. `load` makes trees of text, `model` makes this
 * of trees, everything after reads only this.
 */

import type { FieldKind } from "../../runtime/filter/fields.ts";
import type { JsonObject } from "../../runtime/json.ts";
import type { AggregateFunction } from "../../runtime/realm/definition.ts";
import type { FileField } from "../../runtime/realm/files.ts";
import type { OrganizationSettings } from "../../runtime/realm/organizations.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import type { Schema } from "../schema/place.ts";
import type { RulePositions } from "../source/text-positions.ts";

/** A realm; settings of realm.yaml add members of their own: compiler/settings/realm. */
export interface Realm {
  readonly name: string;
  readonly span: Span;
  /** Sorted by name. */
  readonly databases: readonly Database[];
  /** Sorted by database and name. */
  readonly functions: readonly RealmFunction[];
  /** Content of every file read, for the manifest: sorted by path relative to the configuration folder. */
  readonly inputs: readonly InputFile[];
  /** Keys of realm.yaml whose meaning its mistakes leave open; never in a realm without errors. */
  readonly unknown?: readonly UnknownKey[];
}

export type UnknownKey = "auth" | "roles" | "app_config" | "organizations.roles" | "organizations.team_roles";

/** `organizations` of realm.yaml; roles are sorted by name. */
export interface Organizations extends Omit<OrganizationSettings, "create"> {
  readonly create?: RuleSource;
}

export interface InputFile {
  readonly path: string;
  /**
   * SHA-256, hex, of the file's meaning: its parsed value in canonical JSON, so that comments and layout do not count. Of
   * handlers' code `code ` and that of its text.
   */
  readonly meaning: string;
  /** Its parsed value; absent of handlers' code. */
  readonly value?: JsonObject;
}

export interface Database {
  readonly name: string;
  /** Sorted by name. */
  readonly collections: readonly Collection[];
}

/** A collection; settings of collection.yaml add members of their own: compiler/settings. */
export interface Collection {
  readonly realm: string;
  readonly database: string;
  readonly name: string;
  /** Of its schema.json. */
  readonly span: Span;
  /** Paths of the files that make it, relative to the configuration folder, sorted. */
  readonly sources: readonly string[];
  readonly schema: Schema;
  /** Declared fields (configuration.md: schema.json), sorted by path; server-owned fields are not among them. */
  readonly fields: readonly DeclaredField[];
  /**
   * Paths of documents where mistakes leave open what stands at and below them, as far as it is not among the fields; `""`:
   * everywhere. Never in a collection without errors.
   */
  readonly open?: readonly string[];
  readonly indexes: readonly Index[];
  readonly rules: Readonly<Partial<Record<RuleName, RuleSource>>>;
  readonly fieldRules: readonly FieldRules[];
  /** `retired: published`: members whose stored values all readers may see; sorted by path. */
  readonly published?: readonly { readonly path: string; readonly span: Span }[];
  /** Of `fields` in collection.yaml, or of what stands there instead. */
  readonly fieldsSpan?: Span;
  readonly references: readonly Reference[];
  readonly text?: TextIndex;
  readonly aggregate?: Aggregation;
  /** Sorted by name; absent: there are none. */
  readonly files?: readonly FileSetting[];
}

/** A function; settings of function.yaml add members of their own: compiler/settings/function. */
export interface RealmFunction {
  readonly realm: string;
  readonly database: string;
  readonly name: string;
  /** Of its function.yaml. */
  readonly span: Span;
  /** Paths of the files of configuration that make it, relative to the configuration folder, sorted. */
  readonly sources: readonly string[];
  /** Absent where there is none, or it was not asked for. */
  readonly handler?: Handler;
}

export interface Handler {
  /** Of handler.ts, relative to the configuration folder. */
  readonly path: string;
  /** handler.ts and all that it imports of the realm. */
  readonly files: readonly HandlerFile[];
}

export interface HandlerFile {
  /** Relative to the configuration folder. */
  readonly path: string;
  readonly text: string;
  /** Paths of the files of the realm that it imports, by how it names them. */
  readonly imports: Readonly<Record<string, string>>;
}

export function collectionOf(realm: Realm, database: string, name: string): Collection | undefined {
  const found = realm.databases.find((each) => each.name === database);
  return found?.collections.find((each) => each.name === name);
}

export const ruleNames = ["create", "read", "update", "delete", "restore", "purge"] as const;

export type RuleName = (typeof ruleNames)[number];

/** A rule's text and where each of its characters stands. */
export interface RuleSource {
  /** The expression; `true` and `false` for the YAML booleans. */
  readonly text: string;
  /** Of the whole expression in the YAML file. */
  readonly span: Span;
  /** Position in the file of the character at `offset` of `text` (offset = length: just after the end). */
  readonly positions: RulePositions;
  /** `write` where the rule comes from the shorthand. */
  readonly key: string;
}

export interface FieldRules {
  /** Of a declared field, or of a member that the schema does not declare (any more). */
  readonly path: string;
  readonly span: Span;
  readonly read?: RuleSource;
  readonly write?: RuleSource;
}

export interface DeclaredField {
  readonly path: string;
  /** Scalar kinds (and `object`) the values at the path, or the elements of an array there, may have; sorted. */
  readonly kinds: readonly FieldKind[];
  /** Paths on the way (or the field's own) that hold arrays. */
  readonly arrays: readonly string[];
  /** The path's own value may be something else than an array (always true where it is not in `arrays`). */
  readonly scalar: boolean;
  /** The value, or an element of an array there, may be null. */
  readonly nullable: boolean;
  /** All string values allowed, where every branch has an `enum` or `const` of strings. */
  readonly values?: readonly string[];
  readonly span: Span;
}

/** A field of `files` in collection.yaml. */
export interface FileSetting extends FileField {
  readonly span: Span;
}

export interface Index {
  /** As given, or made from its fields; without the engine's prefix. */
  readonly name: string;
  readonly fields: readonly { readonly path: string; readonly descending: boolean }[];
  readonly unique: boolean;
  readonly span: Span;
}

/** `text` of indexes.json. */
export interface TextIndex {
  /** In the order of the file, with their weights. */
  readonly fields: readonly { readonly path: string; readonly weight: number }[];
  /** A locale code, or `none`. */
  readonly defaultLanguage: string;
  readonly languageField?: string;
  readonly span: Span;
}

/** `aggregate` of collection.yaml. */
export interface Aggregation {
  /** In the order of the file. */
  readonly groupBy: readonly string[];
  /** Sorted by path. */
  readonly metrics: readonly { readonly path: string; readonly functions: readonly AggregateFunction[] }[];
  readonly span: Span;
}

export interface Reference {
  readonly name: string;
  readonly database: string;
  readonly collection: string;
  readonly field: string;
  readonly key: string;
  readonly many: boolean;
  readonly maxExpand?: number;
  readonly span: Span;
}
