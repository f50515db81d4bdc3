/** What of a document does not fit the schema of its collection. */
import type { Detail } from "../../runtime/errors.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { kept } from "../../runtime/kept.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection } from "../model/model.ts";
import { misfitsFunction } from "../schema/validator.ts";

/** One detail per member that does not fit, by its path; files are uploaded apart and of no schema. */
export type Misfits = (collection: Collection, members: JsonObject) => readonly Detail[];

/**
 * Compiles the schema of a collection when it is asked for, and once.
 * @param told of the realm's model: nothing follows from a schema of whose files any has an error
 */
export function misfits(told: readonly Diagnostic[] = []): Misfits {
  const faulty = new Set(told.flatMap(({ severity, span }) => (severity === "error" ? [span.file] : [])));
  const known = new Map<Collection, (members: JsonObject) => readonly Detail[]>();
  return (collection, members) => {
    const { schema, files = [] } = collection;
    if ((schema.faults ?? []).length > 0 || schema.files.some(({ path }) => faulty.has(path))) return [];
    const own = Object.entries(members).filter(([name]) => !files.some((file) => file.name === name));
    return kept(known, collection, () => misfitsFunction(schema))(Object.fromEntries(own));
  };
}
