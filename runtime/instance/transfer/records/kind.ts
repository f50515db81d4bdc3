import type { AuditAction } from "../../../auth/administration/audit.ts";
import type { JsonObject, JsonValue } from "../../../json.ts";
import type { RealmDefinition } from "../../../realm/definition.ts";
import type { DocumentWrite, StoredDocument } from "../../../store/contract/document.ts";
import type { Included } from "../include.ts";
import type { Fields } from "./fields.ts";

/** Records of the service that are exported and imported on request. */
export interface RecordKind {
  /** What asks for them. */
  readonly asked: Included;
  /** Of their file in the folder of a realm, without its ending: `_users`. */
  readonly path: string;
  /** As the store has it. */
  readonly collection: string;
  /** What is told of one whose id is taken. */
  readonly taken: string;
  /** What is told of one that a unique index refuses, by the name of that. */
  readonly clashes: Readonly<Record<string, string>>;
  readonly action: AuditAction;
  /** How records of a realm come and go; undefined: it has none. */
  of(realm: RealmDefinition): RecordForm | undefined;
}

export interface RecordForm {
  /**
   * The members that are exported, each named here; undefined: the record is left out.
   * @param all what is exported
   */
  shown(stored: StoredDocument, all: ReadonlySet<Included>): JsonObject | undefined;
  /** The id of what a line holds, if it says one. */
  idIn(members: JsonObject): JsonValue | undefined;
  /** Whether one is made where none is said. */
  readonly isGenerated: boolean;
  fits(id: string): boolean;
  /**
   * What is written. What is wrong is told to the fields; then nothing is.
   * @param found what it takes the place of
   */
  made(fields: Fields, id: string, now: string, found: StoredDocument | undefined): Made;
}

export interface Made {
  readonly document: DocumentWrite;
  /** Ids of what has to be there. */
  readonly names?: Names;
}

export interface Names {
  readonly user?: string;
  /** Of a service member. */
  readonly key?: string;
  readonly org?: string;
}
