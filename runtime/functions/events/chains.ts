import { shape } from "../../auth/collections.ts";
import { type Read, readRecord, writeRecord } from "../../auth/records.ts";
import { timestamp } from "../../clock.ts";
import type { Audit, Author } from "../../documents/access.ts";
import { isIn } from "../../filter/algebra.ts";
import { documentFields } from "../../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { type RealmDefinition, storeNameOf } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { Chain } from "../../realm/functions.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { Store } from "../../store/contract/store.ts";

/** Runs that come of one another: a trigger's run, that of a trigger of what it writes, and so on (spec: Document). */

/** A run that is deeper does not begin. */
export const deepest = 8;

/** Of the run that a write by this one leads to. */
export function nextDepth(chain: Chain | undefined): number {
  return (chain?.depth ?? 0) + 1;
}

/** What `_meta.chain` of a document says of its last write. */
export function chainOf({ _meta: meta }: JsonObject): Chain | undefined {
  const chain = isJsonObject(meta) ? meta["chain"] : undefined;
  if (!isJsonObject(chain)) return undefined;
  const { root, depth } = chain;
  return typeof root === "string" && typeof depth === "number" ? { root, depth } : undefined;
}

/** Whom the documents name that a run of the chain writes. */
export function chained(author: Author | undefined, chain: Chain | undefined): Author | undefined {
  if (chain === undefined) return author;
  return { actor: author?.actor, owner: author?.owner, chain };
}

/** `_svc.chains`: who removed a document for good, of which nothing is left that could say so, until that was told. */
interface Mark extends Chain {
  /** `<database>.<collection>/<id of the document>`. */
  readonly id: string;
  readonly created_at: string;
}

/** In realms with triggers. */
export const chainShape: CollectionShape = shape("_svc.chains", {});

/** Longer than changes wait to be told. */
const forgotten = 30 * 86_400_000;

const idOf = (storeName: string, id: string) => `${storeName}/${id}`;

/**
 * Notes what a run removes for good, in the transaction that removes it; undefined where nobody asks.
 * @param chain of the run
 */
export function chainMarks(
  { definition, clock }: Pick<RealmInstance, "definition" | "clock">,
  chain: Chain | undefined,
): Audit | undefined {
  if (chain === undefined) return undefined;
  const told = removalsTold(definition);
  if (told.size === 0) return undefined;
  return async (transaction, writes) => {
    const marks = transaction.collection(chainShape.name);
    for (const { action, collection, id } of writes) {
      const storeName = storeNameOf(collection);
      if ((action !== "delete" && action !== "purge") || !told.has(storeName)) continue;
      const now = clock.now();
      const mark: Mark = { id: idOf(storeName, id), ...chain, created_at: timestamp(now) };
      const before = await marks.get(mark.id, "live");
      const version = (before?.version ?? 0) + 1;
      const document = { ...writeRecord(mark, version, mark.created_at), purgeAt: now + forgotten };
      if (before === undefined) await marks.insert(document);
      else await marks.replace(before.version, document);
    }
  };
}

/** Names, in the store, of collections of which some function is told what is deleted. */
function removalsTold({ functions = [] }: RealmDefinition): ReadonlySet<string> {
  const triggers = functions.flatMap((definition) =>
    definition.mode === "event" ? definition.triggers : [],
  );
  const told = triggers.filter(({ on }) => on.includes("delete"));
  return new Set(told.map(({ database, collection }) => storeNameOf({ database, name: collection })));
}

/** The marks of documents that were removed, by `<database>.<collection>/<id>`. */
export async function marksOf(
  store: Store,
  removed: readonly { readonly storeName: string; readonly id: string }[],
): Promise<ReadonlyMap<string, Read<Chain & { readonly id: string }>>> {
  if (removed.length === 0) return new Map();
  const ids = [...new Set(removed.map(({ storeName, id }) => idOf(storeName, id)))];
  const found = await store.collection(chainShape.name).find({
    filter: isIn(documentFields.id, ids),
    visibility: "live",
    limit: ids.length,
    skip: 0,
  });
  return new Map(found.map((document) => [document.id, readRecord<Mark>(document)]));
}

export function markOf<T>(
  marks: ReadonlyMap<string, T>,
  { storeName, id }: { readonly storeName: string; readonly id: string },
): T | undefined {
  return marks.get(idOf(storeName, id));
}
