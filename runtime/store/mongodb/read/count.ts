import type { Collection, Document } from "mongodb";
import { type Filter, searchIn } from "../../../filter/algebra.ts";
import type { Visibility } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine, Provisioned } from "../engine.ts";
import { deletedIndex, orderIndex } from "../indexes.ts";
import { columns } from "../layout.ts";
import { isExpensiveCount } from "./expensive.ts";
import { hinted } from "./forced.ts";
import { bothParts, chosen, isAskedApart } from "./visibility.ts";

/**
 * How many documents there are, exactly: what servers know of a collection without looking (`count` without a query) may
 * be wrong after a crash and on shards, and has deleted documents in it. All of a collection are counted by the entries of
 * an index; no live document is read for it.
 *
 * @throws IndexBuilding | StoreBusy | the driver's errors
 */
export async function countDocuments(
  documents: Collection,
  provisioned: Provisioned,
  engine: Engine,
  filter: Filter,
  visibility: Visibility,
): Promise<number> {
  const isSearch = searchIn(filter) !== undefined;
  if (isSearch) await provisioned.text.check();
  const maxTimeMS = isSearch ? engine.searchTime : engine.queryTime;
  const count = (part: Visibility) => {
    const index = indexOver(provisioned.shape, filter, part);
    const further = index === undefined ? [] : [atAnyTime];
    const condition = chosen(provisioned, engine.clock, filter, part, ...further);
    return hinted(filter.op === "true" ? index : undefined, (hint) =>
      documents.countDocuments(condition, { maxTimeMS, ...hint }),
    );
  };
  const counts = partsOf(provisioned.shape, filter, visibility).map((part) =>
    isExpensiveCount(provisioned, filter, part) ? engine.expensive.run(() => count(part)) : count(part),
  );
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0);
}

function partsOf(
  { permanent = false }: CollectionShape,
  filter: Filter,
  visibility: Visibility,
): readonly Visibility[] {
  const isWhole = permanent && filter.op === "true";
  return visibility === "all" && (isWhole || isAskedApart(filter)) ? bothParts : [visibility];
}

/** True of every document; without it MongoDB would not count along an index whose first key nothing is asked of. */
const atAnyTime: Document = { [columns.createdAt]: { $gte: new Date(-8.64e15) } };

/** The index whose entries are counted where no other is over what is asked. */
function indexOver(
  { permanent = false }: CollectionShape,
  filter: Filter,
  visibility: Visibility,
): string | undefined {
  if (visibility === "deleted") return deletedIndex.name;
  return visibility === "live" && permanent && filter.op === "true" ? orderIndex.name : undefined;
}
