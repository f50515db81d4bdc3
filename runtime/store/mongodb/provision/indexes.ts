import { setTimeout } from "node:timers/promises";
import { type Collection, type IndexDescriptionInfo, type MongoError, MongoServerError } from "mongodb";
import { UniqueIndexViolated } from "../../contract/errors.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine } from "../engine.ts";
import { isDuplicateKey, isParallelArrays } from "../errors.ts";
import { declaredIndex, type IndexDefinition, indexDefinitions, isOurs } from "../indexes.ts";
import type { FieldStates } from "../states/states.ts";
import { clashingIds } from "./clashes.ts";
import { keepImages } from "./collections.ts";

/** Codes as MongoDB's manual lists them (Error Codes). */
const codes = {
  cannotCreate: 67,
  optionsConflict: 85,
  buildAborted: 276,
  alreadyInProgress: 285,
} as const;

/** Milliseconds until a build that met another one is tried again, and attempts. */
const PAUSE = 500;
const ATTEMPTS = 120;

/** What there is of a collection's indexes after they were made. */
export interface MadeIndexes {
  /** Names of those that are wanted. */
  readonly wanted: readonly string[];
  /** Ours that are declared no longer, or otherwise. */
  readonly stale: readonly string[];
}

/**
 * Makes the indexes that are missing, all of a collection or none, and waits for those that are being made: an instance
 * that died may have begun, and the server lists them as if they were there.
 * @throws UniqueIndexViolated
 */
export async function makeIndexes(
  engine: Engine,
  shape: CollectionShape,
  states: FieldStates,
): Promise<MadeIndexes> {
  const collection = engine.database.collection(shape.name);
  for (let attempt = 1; ; attempt++) {
    const definitions = indexDefinitions(shape, (field) => states.mayHoldArrays(field));
    const existing = await collection.indexes({ maxTimeMS: engine.queryTime });
    const there = existing.filter((index) => definitions.some((definition) => isThere(definition, index)));
    const asked = definitions.flatMap((definition) => askedFor(definition, there));
    try {
      await create(collection, asked);
      const names = new Set([...there, ...asked].map(({ name = "" }) => name));
      const ours = existing.filter(isOurs).map(({ name = "" }) => name);
      return { wanted: [...names], stale: ours.filter((name) => !names.has(name)) };
    } catch (error) {
      if (isDuplicateKey(error)) throw await violated(engine, shape, asked, error);
      if (!(error instanceof MongoServerError) || attempt >= ATTEMPTS) throw error;
      await again(engine, shape, states, error);
    }
  }
}

/**
 * Makes a collection that is not there by making its indexes: a server builds those of a collection that the same command
 * makes at once, others in several phases.
 * @returns undefined where somebody has made the collection meanwhile
 */
export async function makeIndexed(
  { database }: Engine,
  shape: CollectionShape,
): Promise<MadeIndexes | undefined> {
  const indexes = indexDefinitions(shape);
  const { name, feed } = shape;
  try {
    const command = { createIndexes: name, indexes, commitQuorum: "majority" };
    const { createdCollectionAutomatically: isNew } = await database.command(command);
    if (isNew !== true) return undefined;
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error;
    if (isUnderWay(error)) return undefined;
    throw explained(shape, error);
  }
  if (feed === "documents") await keepImages(database, name);
  return { wanted: indexes.map((index) => index.name), stale: [] };
}

/** By the name that it has there; of somebody else's that does the same nothing is asked. */
function askedFor(definition: IndexDefinition, there: readonly IndexDescriptionInfo[]): IndexDefinition[] {
  const same = there.filter((index) => isThere(definition, index));
  if (same.length === 0) return [definition];
  const { name } = same.find(isOurs) ?? {};
  return name === undefined ? [] : [{ ...definition, name }];
}

/** Of our name; or made by somebody else, and the same. */
function isThere(definition: IndexDefinition, index: IndexDescriptionInfo): boolean {
  return index.name === definition.name || isSame(definition, index);
}

function isSame(definition: IndexDefinition, index: IndexDescriptionInfo): boolean {
  const { key, unique, partialFilterExpression, sparse, hidden, collation } = index;
  return (
    // Queries would use none of these.
    sparse !== true &&
    hidden !== true &&
    collation === undefined &&
    JSON.stringify(Object.entries(key)) === JSON.stringify([...definition.key]) &&
    (unique === true) === (definition.unique === true) &&
    JSON.stringify(partialFilterExpression) === JSON.stringify(definition.partialFilterExpression)
  );
}

/** Members that are down do not hold up the start: a majority has the index. */
async function create(collection: Collection, definitions: readonly IndexDefinition[]): Promise<void> {
  if (definitions.length === 0) return;
  await collection.createIndexes([...definitions], { commitQuorum: "majority" });
}

/** Waits until it is worth while to try again; else throws. */
async function again(
  { closing }: Engine,
  shape: CollectionShape,
  states: FieldStates,
  error: MongoServerError,
): Promise<void> {
  if (isParallelArrays(error) && (await states.noteArrays())) return;
  if (!isUnderWay(error)) throw explained(shape, error);
  await setTimeout(PAUSE, undefined, { signal: closing, ref: false });
}

/** Another instance, or the one before this one, makes some of them. */
function isUnderWay({ code }: MongoServerError): boolean {
  return code === codes.alreadyInProgress || code === codes.buildAborted;
}

function explained({ name }: CollectionShape, error: MongoServerError): Error {
  if (error.code === codes.cannotCreate && /shard/i.test(error.message)) {
    const advice = "collections with unique indexes stay unsharded";
    return new Error(`a unique index of ${name} cannot be made (${advice}): ${error.message}`, {
      cause: error,
    });
  }
  if (error.code !== codes.cannotCreate && error.code !== codes.optionsConflict) return error;
  return new Error(`the indexes of ${name} cannot be made: ${error.message}`, { cause: error });
}

async function violated(
  engine: Engine,
  shape: CollectionShape,
  definitions: readonly IndexDefinition[],
  error: MongoError,
): Promise<Error> {
  const definition = definitions.find(({ name }) => error.message.includes(name));
  const index = definition === undefined ? undefined : declaredIndex(shape, definition.name);
  if (definition === undefined || index === undefined) return error;
  const ids = await clashingIds(engine, shape.name, definition, error);
  return new UniqueIndexViolated(shape.name, index.name, ids);
}
