/**
 * What a setting is. One file owns one: how it is read into the model, what can be wrong with it and the texts of that, what
 * stands of it in emitted code, what clients can do by it, how two versions of it compare, and what administrators read of it.
 * `collection.ts` lists those of collection.yaml, `realm.ts` those of realm.yaml, `function.ts` those of function.yaml.
 */
import type { JsonObject } from "../../runtime/json.ts";
import type {
  AccountSettings,
  CollectionDefinition,
  RealmDefinition,
} from "../../runtime/realm/definition.ts";
import type {
  CallDefinition,
  EventDefinition,
  FunctionDefinition,
  WebhookDefinition,
} from "../../runtime/realm/functions.ts";
import { type Code, imported, member } from "../../templates/print/code.ts";
import type { Emitted } from "../../templates/print/emitted.ts";
import type { Codes } from "../diagnostics/diagnose.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Given } from "../model/given.ts";
import type { Collection, Realm, RealmFunction } from "../model/model.ts";
import type { CompiledFunction, CompiledRules, RulesStage } from "../rules/compiled.ts";
import type { SourceFile } from "../source/source.ts";
import { type Changes, type Note, type Report, reporter } from "./change.ts";
import type { CollectionCheck, FunctionCheck, RealmCheck } from "./subject.ts";

/** collection.yaml of a collection in a database. */
export interface CollectionFile {
  readonly file: SourceFile;
  readonly given: Given;
  readonly database: string;
}

export interface CompiledCollection {
  readonly collection: Collection;
  /** Of its realm. */
  readonly auth: boolean;
  readonly compiled: CompiledRules;
}

/** Some members of what emitted code defines. */
export type Parts<Definition> = Exclude<Emitted<Partial<Definition>>, Code>;

/** A setting of collection.yaml; `Slots` are the members of the model that it makes. */
export interface CollectionSetting<Slots extends Partial<Collection> = Partial<Collection>> {
  /** Chapter of the catalogue of diagnostics, and of changes where that has one of its name. */
  readonly chapter: Chapter;
  readonly codes: Codes;
  readonly changes: Changes;
  readonly read: (from: CollectionFile) => Slots;
  readonly checks: readonly CollectionCheck[];
  /** What is wrong in the light of compiled rules; those with mistakes of their own are absent. */
  readonly facts: (collection: Collection, compiled: CompiledRules) => readonly Diagnostic[];
  /** Fields that documents have by keys of the setting: where one is faulty, nobody knows whether they do. */
  readonly brings: Readonly<Record<string, readonly string[]>>;
  readonly definition: (of: CompiledCollection) => Parts<CollectionDefinition>;
  /** What the client can do. */
  readonly traits: (collection: Collection, realm: Pick<Realm, "auth">) => readonly string[];
  /** `place`: the collection. */
  readonly compare: (old: Collection, now: Collection, place: string, note: Note) => void;
  /** In the terms of collection.yaml, defaults filled in; what the instance limits is left to it. */
  readonly effective: (of: CompiledCollection) => JsonObject;
}

export type Chapter =
  | "realm.yaml"
  | "collection.yaml"
  | "References"
  | "Aggregation"
  | "Organizations"
  | "Functions";

/** A setting of collection.yaml by what it has of all that one can have. */
export function collectionSetting<Slots extends Partial<Collection>, C extends Changes>(
  parts: Pick<CollectionSetting<Slots>, "read"> &
    Partial<Omit<CollectionSetting<Slots>, "read" | "changes" | "compare">> & {
      readonly changes?: C;
      readonly compare?: (old: Collection, now: Collection, place: string, report: Report<C>) => void;
    },
): CollectionSetting<Slots> {
  const { changes, compare } = parts;
  return {
    chapter: "collection.yaml",
    codes: {},
    checks: [],
    facts: () => [],
    brings: {},
    definition: () => ({}),
    traits: () => [],
    effective: () => ({}),
    ...parts,
    changes: changes ?? {},
    compare: (old, now, place, note) => {
      if (changes !== undefined) compare?.(old, now, place, reporter(changes, note));
    },
  };
}

/** realm.yaml. */
export interface RealmFile {
  readonly file: SourceFile;
  readonly given: Given;
}

export interface CompiledRealm {
  readonly realm: Realm;
  readonly rules: RulesStage;
}

/** A setting of realm.yaml; `Slots` are the members of the model that it makes. */
export interface RealmSetting<Slots extends Partial<Realm> = Partial<Realm>> {
  readonly chapter: Chapter;
  readonly codes: Codes;
  readonly changes: Changes;
  readonly read: (from: RealmFile) => Slots;
  readonly checks: readonly RealmCheck[];
  readonly definition: (of: CompiledRealm) => Parts<RealmDefinition>;
  /** Of `accounts` in the definition of a realm with users. */
  readonly accounts: (of: CompiledRealm) => Parts<AccountSettings>;
  readonly compare: (old: CompiledRealm, now: CompiledRealm, note: Note) => void;
  /** In the terms of realm.yaml, defaults filled in. */
  readonly effective: (of: CompiledRealm) => JsonObject;
}

/** What a setting of realm.yaml has of all that one can have. */
export type RealmParts<Slots extends Partial<Realm>, C extends Changes> = Pick<RealmSetting<Slots>, "read"> &
  Partial<Omit<RealmSetting<Slots>, "read" | "changes" | "compare">> & {
    readonly changes?: C;
    readonly compare?: (old: CompiledRealm, now: CompiledRealm, report: Report<C>) => void;
  };

export function realmSetting<Slots extends Partial<Realm>, C extends Changes>(
  parts: RealmParts<Slots, C>,
): RealmSetting<Slots> {
  const { changes, compare } = parts;
  return {
    chapter: "realm.yaml",
    codes: {},
    checks: [],
    definition: () => ({}),
    accounts: () => ({}),
    effective: () => ({}),
    ...parts,
    changes: changes ?? {},
    compare: (old, now, note) => {
      if (changes !== undefined) compare?.(old, now, reporter(changes, note));
    },
  };
}

/** All that parts of a union have. */
export type Merged<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** function.yaml of a function in a database. */
export interface FunctionFile {
  readonly file: SourceFile;
  readonly given: Given;
  readonly database: string;
}

/** A function with its rules compiled. */
export interface FunctionOf {
  readonly fn: RealmFunction;
  /** Of its realm. */
  readonly auth: boolean;
  readonly compiled: CompiledFunction;
}

/** All that functions of any mode define. */
type AnyDefinition = Omit<WebhookDefinition, "mode"> &
  Omit<CallDefinition, "mode"> &
  Omit<EventDefinition, "mode"> &
  Pick<FunctionDefinition, "mode">;

/** A setting of function.yaml; `Slots` are the members of the model that it makes. */
export interface FunctionSetting<Slots extends Partial<RealmFunction> = Partial<RealmFunction>> {
  readonly codes: Codes;
  readonly read: (from: FunctionFile) => Slots;
  readonly checks: readonly FunctionCheck[];
  /** What is wrong in the light of compiled rules; those with mistakes of their own are absent. */
  readonly facts: (fn: RealmFunction, compiled: CompiledFunction) => readonly Diagnostic[];
  readonly definition: (of: FunctionOf) => Parts<AnyDefinition>;
  readonly changes: Changes;
  /** `place`: the function. */
  readonly compare: (old: RealmFunction, now: RealmFunction, place: string, note: Note) => void;
  /** In the terms of function.yaml, defaults filled in. */
  readonly effective: (of: FunctionOf) => JsonObject;
}

/** A setting of function.yaml by what it has of all that one can have. */
export function functionSetting<Slots extends Partial<RealmFunction>, C extends Changes>(
  parts: Pick<FunctionSetting<Slots>, "read"> &
    Partial<Omit<FunctionSetting<Slots>, "read" | "changes" | "compare">> & {
      readonly changes?: C;
      readonly compare?: (old: RealmFunction, now: RealmFunction, place: string, report: Report<C>) => void;
    },
): FunctionSetting<Slots> {
  const { changes, compare } = parts;
  return {
    codes: {},
    checks: [],
    facts: () => [],
    definition: () => ({}),
    effective: () => ({}),
    ...parts,
    changes: changes ?? {},
    compare: (old, now, place, note) => {
      if (changes !== undefined) compare?.(old, now, place, reporter(changes, note));
    },
  };
}

export function merged<Part extends object>(parts: readonly Part[]): Merged<Part> {
  return Object.assign({}, ...parts);
}

/** A field of the collection in its emitted modules. */
export function fieldCode(path: string): Code {
  return member(imported("fields", "./fields.ts"), path);
}
