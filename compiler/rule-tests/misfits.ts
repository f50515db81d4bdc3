/** What of a document does not fit the schema of its collection. */
import type { Detail } from "../../runtime/errors.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { kept } from "../../runtime/kept.ts";
import type { Collection } from "../model/model.ts";
import { misfitsFunction } from "../schema/validator.ts";

/** One detail per member that does not fit, by its path; files are uploaded apart and of no schema. */
export type Misfits = (collection: Collection, members: JsonObject) => readonly Detail[];

/** Compiles the schema of a collection when it is asked for, and once. */
export function misfits(): Misfits {
  const known = new Map<Collection, (members: JsonObject) => readonly Detail[]>();
  return (collection, members) => {
    const { schema, files = [] } = collection;
    // Of a schema with mistakes nothing follows.
    if ((schema.faults ?? []).length > 0) return [];
    const own = Object.entries(members).filter(([name]) => !files.some((file) => file.name === name));
    return kept(known, collection, () => misfitsFunction(schema))(Object.fromEntries(own));
  };
}
