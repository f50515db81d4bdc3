import type { Db } from "mongodb";
import type { KeptCollection } from "../contract/beside.ts";
import { columns, isBookkeeping } from "./layout.ts";

/**
 * The collections of a realm's database, by name.
 * @throws the driver's errors
 */
export async function keptCollections(
  database: Db,
  now: number,
  maxTimeMS: number,
): Promise<readonly KeptCollection[]> {
  const found = await database
    .listCollections({ type: "collection" }, { nameOnly: true, maxTimeMS })
    .toArray();
  const names = found.map(({ name }) => name).filter((name) => name.includes(".") && !isApart(name));
  const kept: KeptCollection[] = [];
  for (const name of names.sort())
    kept.push({ name, documents: await countKept(database, name, now, maxTimeMS) });
  return kept;
}

/**
 * Documents of a collection, without those past their end. Each of both counts reads an index alone.
 * @throws the driver's errors
 */
export async function countKept(database: Db, name: string, now: number, maxTimeMS: number): Promise<number> {
  const documents = database.collection(name);
  const all = await documents.countDocuments({}, { hint: "_id_", maxTimeMS });
  return (
    all - (await documents.countDocuments({ [columns.purgeAt]: { $lte: new Date(now) } }, { maxTimeMS }))
  );
}

/** The server's own, and what this engine remembers, which has no documents. */
function isApart(name: string): boolean {
  return name.startsWith("system.") || isBookkeeping(name);
}
