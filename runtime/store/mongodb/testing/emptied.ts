import type { Db } from "mongodb";
import type { CollectionShape } from "../../contract/shape.ts";
import { bookkeeping } from "../layout.ts";
import type { CollectionState } from "../states/declarations.ts";

/**
 * Deletes every document of a store that is closed, and what is remembered of them: what is provisioned stays. Answers false
 * where more was done to it than that could undo.
 */
export async function emptied(database: Db, collections: readonly CollectionShape[]): Promise<boolean> {
  const names = collections.map(({ name }) => name);
  const expected = new Set<string>([...names, ...Object.values(bookkeeping)]);
  const there = await database.listCollections({}, { nameOnly: true }).toArray();
  const others = there.filter(({ name }) => !expected.has(name) && !name.startsWith("system."));
  if (others.length > 0 || names.some((name) => !there.some((each) => each.name === name))) return false;
  const states = database.collection<CollectionState>(bookkeeping.collections);
  // A text index that is being built would go on.
  if ((await states.countDocuments({ "text.ready": false })) > 0) return false;
  // Where documents held arrays the indexes are others: these are to be made anew.
  const spoilt = await states.find({ "arrays.0": { $exists: true } }).toArray();
  const dropped = new Set(spoilt.map(({ _id }) => _id));
  await Promise.all([...dropped].map((name) => database.collection(name).drop()));
  await states.deleteMany({ _id: { $in: [...dropped] } });
  const kept = names.filter((name) => !dropped.has(name));
  await Promise.all(
    [...kept, bookkeeping.instances, bookkeeping.leases].map((name) =>
      database.collection(name).deleteMany({}),
    ),
  );
  await states.updateMany({}, { $set: { irregular: [] }, $unset: { notedAt: true } });
  return true;
}
