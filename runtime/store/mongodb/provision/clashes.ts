import { type Document, type MongoError, MongoServerError } from "mongodb";
import type { Engine } from "../engine.ts";
import type { IndexDefinition } from "../indexes.ts";
import { columns } from "../layout.ts";

/** Ids that a violated unique index is reported with. */
const REPORTED = 10;

/**
 * Some of the documents that violate a unique index, by their values, then in the default order. Where there are so many
 * documents that it takes too long to look at all, those with the values that the server has met.
 */
export async function clashingIds(
  engine: Engine,
  collection: string,
  definition: IndexDefinition,
  error: MongoError,
): Promise<readonly string[]> {
  const values = await repeated(engine, collection, definition).catch(() => met(error));
  if (values.length === 0) return [];
  const sort = new Map<string, 1>(
    [...definition.key.keys(), columns.createdAt, columns.id].map((path) => [path, 1]),
  );
  const found = await engine.database
    .collection<{ _id: string }>(collection)
    .find(
      { $and: [partOf(definition), { $or: values }] },
      { projection: { _id: 1 }, maxTimeMS: engine.searchTime },
    )
    .sort(sort)
    .limit(REPORTED)
    .toArray();
  return found.map(({ _id }) => _id);
}

/** Conditions on the keys that several documents satisfy. */
async function repeated(
  { database, searchTime }: Engine,
  collection: string,
  definition: IndexDefinition,
): Promise<readonly Document[]> {
  const paths = [...definition.key.keys()];
  const values = paths.map((path, at) => [`k${at}`, `$${path}`] as const);
  const found = await database
    .collection(collection)
    .aggregate(
      [
        { $match: partOf(definition) },
        { $group: { _id: Object.fromEntries(values), documents: { $sum: 1 } } },
        { $match: { documents: { $gt: 1 } } },
        { $sort: { _id: 1 } },
        { $limit: REPORTED },
      ],
      { allowDiskUse: true, maxTimeMS: searchTime },
    )
    .toArray();
  return found.map(({ _id }) => Object.fromEntries(paths.map((path, at) => [path, _id[`k${at}`]])));
}

function partOf({ partialFilterExpression = {} }: IndexDefinition): Document {
  return partialFilterExpression;
}

function met(error: MongoError): readonly Document[] {
  const values: unknown = error instanceof MongoServerError ? error["keyValue"] : undefined;
  return typeof values === "object" && values !== null ? [values] : [];
}
