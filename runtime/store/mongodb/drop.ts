import type { Engine } from "./engine.ts";
import { exclusively } from "./exclusively.ts";
import { countKept } from "./kept-collections.ts";
import { upkeepOf } from "./provision/provision.ts";
import { declarationsIn, leaseNames } from "./provision/upkeep.ts";
import { statesOf } from "./states/declarations.ts";

/**
 * Removes a collection with its indexes and what is remembered of it, where it has so many documents; answers whether.
 * @throws Error while instances run that have it
 * @throws the driver's errors
 */
export function dropCollection(
  engine: Engine,
  collection: string,
  documents: number,
  now: number,
): Promise<boolean> {
  const { database, searchTime } = engine;
  return exclusively(engine, leaseNames.provision, async () => {
    const declared = declarationsIn(await upkeepOf(engine).instances.rivals(), collection);
    if (declared.length > 0)
      throw new Error(`${collection} is configured on an instance that runs, or did a minute ago`);
    if ((await countKept(database, collection, now, searchTime)) !== documents) return false;
    await statesOf(engine).deleteOne({ _id: collection }, { maxTimeMS: searchTime });
    await database.dropCollection(collection);
    return true;
  });
}
