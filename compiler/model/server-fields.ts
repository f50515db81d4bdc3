import {
  deletionFields,
  documentFields,
  type FieldTable,
  organizationFields,
  ownershipFields,
  teamFields,
  unownedDeletionFields,
} from "../../runtime/filter/fields.ts";
import type { Collection, Realm } from "./model.ts";

/** Under the names that emitted code imports them by. */
const tables = {
  documentFields,
  ownershipFields,
  deletionFields,
  unownedDeletionFields,
  organizationFields,
  teamFields,
};

/** Which tables of server-owned fields, in their order, a collection's documents have. */
export function serverFieldTables(
  auth: boolean,
  { softDelete, organization }: Pick<Collection, "softDelete" | "organization">,
): readonly (keyof typeof tables)[] {
  const deletion = auth ? "deletionFields" : "unownedDeletionFields";
  return [
    "documentFields",
    ...(auth ? (["ownershipFields"] as const) : []),
    ...(softDelete === undefined ? [] : ([deletion] as const)),
    ...(organization === undefined ? [] : (["organizationFields"] as const)),
    ...(organization?.teams === undefined ? [] : (["teamFields"] as const)),
  ];
}

/** Server-owned fields that documents of the collection have. */
export function serverFields({ auth }: Realm, collection: Collection): FieldTable {
  return Object.assign({}, ...serverFieldTables(auth, collection).map((name) => tables[name]));
}
