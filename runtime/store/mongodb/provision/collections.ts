import type { CollectionInfo, Db, Document } from "mongodb";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine } from "../engine.ts";

/** Whether the feed can tell what stood in a document before a change. Both images are kept, or none. */
const images = (enabled: boolean) => ({ changeStreamPreAndPostImages: { enabled } });

export async function existingCollections({
  database,
  queryTime,
}: Engine): Promise<ReadonlyMap<string, CollectionInfo>> {
  const found = await database.listCollections({}, { nameOnly: false, maxTimeMS: queryTime }).toArray();
  return new Map(found.map((info) => [info.name, { ...info }] as const));
}

/**
 * Makes a collection that is there what it is to be.
 * @throws Error for one that somebody made so that answers from it would not be those of the specification, or dropped
 */
export async function adoptCollection(
  { database }: Engine,
  { name, feed }: CollectionShape,
  existing: CollectionInfo | undefined,
): Promise<void> {
  if (existing === undefined) throw new Error(`${name} has been dropped as it was made`);
  refuseStrange(existing);
  if (feed === "documents" && !keepsImages(existing)) await keepImages(database, name);
}

/** The feed will tell what stood in a document before a change. */
export async function keepImages(database: Db, name: string): Promise<void> {
  await database.command({ collMod: name, ...images(true) });
}

export function keepsImages({ options }: CollectionInfo): boolean {
  const kept: unknown = options?.["changeStreamPreAndPostImages"];
  return typeof kept === "object" && kept !== null && "enabled" in kept && kept.enabled === true;
}

/** Nothing follows the collection any more. */
export async function forgetImages({ database, queryTime }: Engine, name: string): Promise<void> {
  await database.command({ collMod: name, ...images(false), maxTimeMS: queryTime });
}

function refuseStrange({ name, type, options = {} }: CollectionInfo): void {
  const found: Document = options;
  const strange =
    type !== "collection"
      ? `is a ${type}`
      : found["capped"] === true
        ? "is capped"
        : isCollated(found) && "has a collation";
  if (strange !== false)
    throw new Error(`${name} ${strange}; it must be an ordinary collection without a collation`);
}

function isCollated({ collation }: Document): boolean {
  return collation !== undefined && collation.locale !== "simple";
}
