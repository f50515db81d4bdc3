import {
  chainFields,
  deletionFields,
  documentFields,
  type FieldTable,
  organizationFields,
  ownershipFields,
  teamFields,
  unownedDeletionFields,
} from "../../runtime/filter/fields.ts";
import type { Collection, Realm, RealmFunction } from "./model.ts";

/** Under the names that emitted code imports them by. */
const tables = {
  documentFields,
  ownershipFields,
  deletionFields,
  unownedDeletionFields,
  organizationFields,
  teamFields,
  chainFields,
};

export type ServerFieldTable = keyof typeof tables;

/** What of a realm decides which there are: where changes have functions run, documents say what came of that. */
export interface FieldRealm extends Pick<Realm, "auth"> {
  readonly functions?: readonly Pick<RealmFunction, "triggers">[];
}

/** Which tables of server-owned fields, in their order, a collection's documents have. */
export function serverFieldTables(
  { auth, functions = [] }: FieldRealm,
  { softDelete, ...collection }: Pick<Collection, "softDelete" | "organization">,
): readonly ServerFieldTable[] {
  const deletion = auth ? "deletionFields" : "unownedDeletionFields";
  return [
    "documentFields",
    ...(auth ? (["ownershipFields"] as const) : []),
    ...(softDelete === undefined ? [] : ([deletion] as const)),
    ...belongingTables(collection),
    ...(functions.some(({ triggers }) => triggers.length > 0) ? (["chainFields"] as const) : []),
  ];
}

export function serverFields(
  realm: FieldRealm,
  collection: Pick<Collection, "softDelete" | "organization">,
): FieldTable {
  return fieldsOfTables(serverFieldTables(realm, collection));
}

/** The tables of those that requests say beside what is written: where the document belongs. */
export function belongingTables({
  organization,
}: Pick<Collection, "organization">): readonly ServerFieldTable[] {
  return [
    ...(organization === undefined ? [] : (["organizationFields"] as const)),
    ...(organization?.teams === undefined ? [] : (["teamFields"] as const)),
  ];
}

/** The fields of these tables. */
export function belongingFields(collection: Pick<Collection, "organization">): FieldTable {
  return fieldsOfTables(belongingTables(collection));
}

function fieldsOfTables(names: readonly ServerFieldTable[]): FieldTable {
  return Object.assign({}, ...names.map((name) => tables[name]));
}

/** The setting of collection.yaml that gives documents a field of the server; undefined for other fields. */
export function settingOf(path: string): "soft_delete" | "organization" | "teams" | undefined {
  if (Object.hasOwn(deletionFields, path)) return "soft_delete";
  if (Object.hasOwn(organizationFields, path)) return "organization";
  return Object.hasOwn(teamFields, path) ? "teams" : undefined;
}
