import type { Collection, Document, FindOptions } from "mongodb";
import { and, isIn, searchIn, TRUE } from "../../../filter/algebra.ts";
import { documentFields } from "../../../filter/fields.ts";
import { defaultOrder } from "../../../filter/order.ts";
import type { StoredDocument } from "../../contract/document.ts";
import type { Find, Lookup } from "../../contract/query.ts";
import { charactersOf } from "../../page.ts";
import { storedDocument } from "../bson/json-text.ts";
import type { Engine, Provisioned } from "../engine.ts";
import { isThere } from "../indexes.ts";
import { pathOf } from "../layout.ts";
import { relevanceOrder, scoreStage, searchCondition, withoutStems } from "../text/search.ts";
import { isExpensiveFind } from "./expensive.ts";
import { constantsIn, lower } from "./filter.ts";
import { forcedIndex, hinted } from "./forced.ts";
import { afterPosition, sortingFor } from "./positions.ts";
import { chosen } from "./visibility.ts";

/** Documents asked for at a time where the answer may end before all of them are read. */
const BATCH = 250;

/** How long a collection's documents are, so that servers are not asked for many more at a time than there is room for. */
export class Lengths {
  /** Characters; of the last answer. */
  #mean = 1;

  batchSize(documents: number, characters = Number.POSITIVE_INFINITY): number {
    // One batch where they fit: the document that is too many comes with it.
    return Math.min(documents, 2 + Math.floor(characters / this.#mean));
  }

  saw(documents: number, characters: number): void {
    if (documents > 0) this.#mean = Math.max(1, characters / documents);
  }
}

/**
 * A page of documents. Where they are sorted by members that all of them have in the declared form, this is a query that
 * indexes serve, its order too; else the values that they are sorted by are made first. What may look at many documents
 * waits for its turn.
 *
 * @throws IndexBuilding | StoreBusy | the driver's errors
 */
export async function findDocuments(
  documents: Collection,
  provisioned: Provisioned,
  engine: Engine,
  lengths: Lengths,
  query: Find,
): Promise<StoredDocument[]> {
  const { limit, filter } = query;
  // To the server it would mean all of them.
  if (limit === 0) return [];
  if (searchIn(filter) !== undefined) await provisioned.text.check();
  const page = () => readPage(documents, provisioned, engine, lengths, query);
  return isExpensiveFind(provisioned, query) ? engine.expensive.run(page) : page();
}

async function readPage(
  documents: Collection,
  provisioned: Provisioned,
  engine: Engine,
  lengths: Lengths,
  query: Find,
): Promise<StoredDocument[]> {
  const { filter, visibility, order = defaultOrder, after, limit, skip, characters } = query;
  const read = (answer: Answer) => readTexts(answer, lengths, characters);
  const maxTimeMS = searchIn(filter) === undefined ? engine.queryTime : engine.searchTime;
  // What is too much to be sorted in memory is refused, not sorted on the server's disk.
  const bounds = { maxTimeMS, allowDiskUse: false };
  const options = { raw: true, ...bounds, batchSize: lengths.batchSize(limit, characters) };
  if (order === "relevance") {
    const pipeline = rankedPipeline(provisioned, engine, query);
    return read(documents.aggregate<Uint8Array>(pipeline, options));
  }
  const sorting = sortingFor(provisioned.regularity, order, after);
  const { sort, computed } = sorting;
  const position =
    after === undefined
      ? []
      : [afterPosition(sorting.keys, after, constantsIn(filter, provisioned.regularity))];
  if (computed === undefined) {
    const condition = chosen(provisioned, engine.clock, filter, visibility, ...position);
    const common = { ...options, ...shown(provisioned), sort, skip, limit };
    return hinted(forcedIndex(provisioned.shape, query, sorting), (hint) =>
      read(documents.find<Uint8Array>(condition, { ...common, ...hint })),
    );
  }
  const pipeline = [
    { $match: chosen(provisioned, engine.clock, filter, visibility) },
    computed,
    ...position.map(($match) => ({ $match })),
    { $sort: sort },
    ...paging(query, provisioned),
  ];
  return read(documents.aggregate<Uint8Array>(pipeline, options));
}

/** By score, greatest first, then id. */
function rankedPipeline(provisioned: Provisioned, { clock }: Engine, query: Find): Document[] {
  const { filter, visibility } = query;
  const search = searchIn(filter);
  if (search === undefined) throw new Error("an order by relevance needs a search");
  const rest = filter.op === "and" ? and(...filter.of.filter((part) => part !== search)) : TRUE;
  const found = searchCondition(search, true);
  return [
    { $match: { $and: [found, chosen(provisioned, clock, rest, visibility)] } },
    { $sort: relevanceOrder },
    ...paging(query, provisioned),
    scoreStage,
  ];
}

function paging({ skip, limit }: Find, { shape }: Provisioned): Document[] {
  return [
    ...(skip > 0 ? [{ $skip: skip }] : []),
    { $limit: limit },
    ...(shape.text === undefined ? [] : [{ $project: withoutStems }]),
  ];
}

/**
 * Documents by one of their values.
 * @throws the driver's errors
 */
export async function lookupDocuments(
  documents: Collection,
  provisioned: Provisioned,
  { clock, queryTime }: Engine,
  lengths: Lengths,
  { key, values, filter, limit, characters }: Lookup,
): Promise<StoredDocument[]> {
  if (values.length === 0 || limit === 0) return [];
  const isId = key.path === documentFields.id.path;
  // As the unique index has it, which would not be used otherwise.
  const named = [
    lower(isIn(key, values), provisioned.regularity),
    ...(isId ? [] : [{ [pathOf(key)]: isThere }]),
  ];
  const condition = chosen(provisioned, clock, filter, "live", ...named);
  const batchSize = lengths.batchSize(characters === undefined ? limit : Math.min(limit, BATCH), characters);
  const options = { raw: true, maxTimeMS: queryTime, batchSize, limit, ...shown(provisioned) };
  return readTexts(documents.find<Uint8Array>(condition, options), lengths, characters);
}

/** Stems are long, and nobody's business. */
export function shown({ shape }: Pick<Provisioned, "shape">): FindOptions {
  return shape.text === undefined ? {} : { projection: withoutStems };
}

export interface Answer {
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): Uint8Array[];
  close(): Promise<void>;
}

/** The documents, up to the one after the first that makes their texts longer than `characters` together. */
async function readTexts(
  answer: Answer,
  lengths: Lengths,
  characters = Number.POSITIVE_INFINITY,
): Promise<StoredDocument[]> {
  const found = await readUpTo(answer, storedDocument, characters);
  lengths.saw(found.length, charactersOf(found));
  return found;
}

/** What is made of the documents, up to the one that makes the texts longer than `characters` together, but two of them. */
export async function readUpTo<T extends StoredDocument>(
  answer: Answer,
  made: (bytes: Uint8Array) => T,
  characters = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const found: T[] = [];
  let length = 0;
  try {
    while (await answer.hasNext()) {
      for (const bytes of answer.readBufferedDocuments()) {
        const document = made(bytes);
        found.push(document);
        length += document.text.length;
        if (length > characters && found.length > 1) return found;
      }
    }
    return found;
  } finally {
    await answer.close();
  }
}
