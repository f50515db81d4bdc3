/** What a check is given. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection } from "../model/model.ts";
import type { ModelledRealm } from "../model/read-realms.ts";
import type { Path, SourceFile } from "../source/source.ts";

export type RealmSubject = ModelledRealm;

export interface CollectionSubject extends RealmSubject {
  readonly collection: Collection;
  /** `support/tickets`, for messages. */
  readonly label: string;
  /** collection.yaml; absent where there is none, or it cannot be parsed. */
  readonly collectionFile: SourceFile | undefined;
  readonly indexesFile: SourceFile | undefined;
}

export type RealmCheck = (subject: RealmSubject) => readonly Diagnostic[];
export type CollectionCheck = (subject: CollectionSubject) => readonly Diagnostic[];

/** Whether a value of collection.yaml can be relied on (being absent is reliable too). */
export function isReliable({ faults, collectionFile, collection }: CollectionSubject, path: Path): boolean {
  const file =
    collectionFile?.path ?? `${collection.realm}/${collection.database}/${collection.name}/collection.yaml`;
  return !faults.touch(file, path);
}
