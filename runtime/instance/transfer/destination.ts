/** Where documents are imported into: a store, or a running server. */
import type { Mode } from "../../documents/importing/taker.ts";
import type { Upcoming } from "../../documents/importing/targets.ts";
import type { CollectionDefinition, RealmDefinition } from "../../realm/definition.ts";
import type { Counts } from "./import-position.ts";
import type { RealmInputs } from "./import-sources.ts";
import type { Input } from "./input.ts";
import type { RealmRecords } from "./records/kinds.ts";
import type { Rejects } from "./rejects.ts";

/** Where the documents of a realm are imported into. */
export interface Destination {
  /** @throws LaterMigration | MigrationOutOfOrder | StoreUnavailable */
  prepare(inputs: RealmInputs): Promise<void>;
  /** Goes on with what was interrupted. @throws InputRefused | ImportTaken | StoreUnavailable | ServerUnreachable */
  import(options: CollectionOptions): Promise<Counts>;
  /** The same of what the service itself keeps; absent where only documents can be written. */
  importRecords?(options: RecordOptions): Promise<Counts>;
  /** Nothing is imported any more. */
  close?(): Promise<void>;
  /** How far all of it was is known no longer. */
  forget(inputs: RealmInputs): Promise<void>;
}

/** What is imported, and how. */
export interface ImportOptions {
  readonly realm: RealmDefinition;
  readonly input: Input;
  readonly mode: Mode;
  /** Documents written in one transaction. */
  readonly batch: number;
  /** What was asked for, as a text: an import goes on only as it began. */
  readonly asked: string;
  readonly rejects: Rejects;
  /** Whether the input is one of several, which rejected documents name. */
  readonly isOneOfMany: boolean;
  readonly progress: (counts: Counts) => void;
  readonly tell: (line: string) => void;
}

/** What is imported into a collection, and how. */
export interface CollectionOptions extends ImportOptions {
  readonly definition: CollectionDefinition;
  /** Documents come with their `_meta`. */
  readonly meta: boolean;
  readonly upcoming: Upcoming;
}

/** What is imported of records of the service, and how. */
export interface RecordOptions extends ImportOptions {
  readonly records: RealmRecords;
}

/** Another process imports into the same collection. */
export class ImportTaken extends Error {}
