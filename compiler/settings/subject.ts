/** What a check is given. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Faults } from "../model/faults.ts";
import type { DeclaredFields } from "../model/fields.ts";
import type { Collection, Realm, RealmFunction } from "../model/model.ts";
import type { Place } from "../schema/place.ts";
import type { Path, SourceFile } from "../source/source.ts";

/** A realm with what the checks need beside the model. */
export interface ModelledRealm {
  /** As far as the files could be understood; of the rest it says that it is not known. */
  readonly realm: Realm;
  /** realm.yaml; empty where it could not be parsed. */
  readonly settings: SourceFile;
  readonly faults: Faults;
  /** Every file read, by path. */
  readonly files: ReadonlyMap<string, SourceFile>;
  /** Files that hold schemas, and where in them. */
  readonly schemas: readonly Place[];
  /** Names of all collections by database. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** By `<database>/<collection>`: fields whose branches disagree about dates. */
  readonly disagreements: ReadonlyMap<string, DeclaredFields["disagreements"]>;
}

export type RealmSubject = ModelledRealm;

export interface CollectionSubject extends RealmSubject {
  readonly collection: Collection;
  /** `support/tickets`, for messages. */
  readonly label: string;
  /** collection.yaml; absent where there is none, or it cannot be parsed. */
  readonly collectionFile: SourceFile | undefined;
  readonly indexesFile: SourceFile | undefined;
}

export interface FunctionSubject extends RealmSubject {
  readonly fn: RealmFunction;
  readonly file: SourceFile;
}

export type FunctionCheck = (subject: FunctionSubject) => readonly Diagnostic[];
export type RealmCheck = (subject: RealmSubject) => readonly Diagnostic[];
export type CollectionCheck = (subject: CollectionSubject) => readonly Diagnostic[];

/** Whether a value of collection.yaml can be relied on (being absent is reliable too). */
export function isReliable({ faults, collectionFile, collection }: CollectionSubject, path: Path): boolean {
  const file =
    collectionFile?.path ?? `${collection.realm}/${collection.database}/${collection.name}/collection.yaml`;
  return !faults.touch(file, path);
}
