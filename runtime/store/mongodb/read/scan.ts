import type { Collection } from "mongodb";
import type { DocumentWrite } from "../../contract/document.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { writtenDocument } from "../bson/json-text.ts";
import type { Engine } from "../engine.ts";
import type { Stored } from "../write/codec.ts";
import { readUpTo, shown } from "./pages.ts";
import { visible } from "./visibility.ts";

/**
 * What was written, deleted documents too, in the order of ids from after this one on.
 * @throws the driver's errors
 */
export function scanDocuments(
  documents: Collection<Stored>,
  { clock, searchTime }: Pick<Engine, "clock" | "searchTime">,
  shape: CollectionShape,
  after: string | undefined,
  limit: number,
  characters?: number,
): Promise<readonly DocumentWrite[]> {
  const filter = { _id: { $gt: after ?? "" }, ...visible(shape, "all", clock.now()) };
  const sort = { _id: 1 as const };
  const options = { raw: true, ...shown({ shape }), sort, limit, maxTimeMS: searchTime } as const;
  return readUpTo(
    documents.find<Uint8Array>(filter, options),
    (bytes) => writtenDocument(bytes, shape),
    characters,
  );
}
