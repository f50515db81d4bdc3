import { createHash } from "node:crypto";
import type { JsonValue } from "../../json.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { Store } from "../../store/contract/store.ts";
import { canonicalText } from "../../validation/equal.ts";
import { copyBatches, documents } from "./batches.ts";

/** A collection in two stores. */
export interface Compared {
  readonly collection: string;
  /** In the source. */
  readonly documents: number;
  /** Of the source's documents, canonical, in the order of ids; in hexadecimal. */
  readonly sha256: string;
  /** Ids of the first ten documents that are not the same in both. */
  readonly different: readonly string[];
}

/** Ids that are named. */
const NAMED = 10;

/**
 * Reads a collection in both stores and compares what it holds.
 * @param mayHoldOthers whether documents that only the target has are no difference
 * @param progress told how many documents a batch had, and waited for
 */
export async function compareCollections(
  name: string,
  source: Store,
  target: Store,
  mayHoldOthers: boolean,
  progress: (documents: number) => Promise<void>,
): Promise<Compared> {
  const copies = documents(target.collection(name));
  const next = async () => (await copies.next()).value ?? undefined;
  const hash = createHash("sha256");
  const different: string[] = [];
  let count = 0;
  let copy = await next();
  for await (const batch of copyBatches(source.collection(name))) {
    for (const original of batch) {
      for (; copy !== undefined && isBefore(copy, original); copy = await next()) other(copy);
      const text = canonical(original);
      hash.update(text);
      const isThere = copy?.id === original.id;
      if (copy === undefined || !isThere || canonical(copy) !== text) differ(original);
      if (isThere) copy = await next();
    }
    count += batch.length;
    await progress(batch.length);
  }
  for (; copy !== undefined; copy = await next()) other(copy);
  return { collection: name, documents: count, sha256: hash.digest("hex"), different };

  function other(document: DocumentWrite): void {
    if (!mayHoldOthers) differ(document);
  }

  function differ({ id }: DocumentWrite): void {
    if (different.length < NAMED) different.push(id);
  }
}

/** Engines order ids by their bytes. */
function isBefore({ id }: DocumentWrite, other: DocumentWrite): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other.id)) < 0;
}

/** One text for documents that are the same: engines may keep members in another order, but not other values. */
function canonical({ text, version, createdAt, deletedAt, purgeAt, form = 0 }: DocumentWrite): string {
  const document: JsonValue = JSON.parse(text);
  return `${canonicalText(document)} ${JSON.stringify([version, createdAt, deletedAt, purgeAt, form])}\n`;
}
