import type { Clock } from "../clock.ts";
import { consumerShape } from "../feed/consumer-position.ts";
import { isStanding, jobCollection, readJob } from "../jobs/records.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";
import { copyBatches } from "./copy-batches.ts";
import { type Compared, compareCollections } from "./copy-compare.ts";
import { realmCollections } from "./realm.ts";

/** What a copy has come to. */
export interface CopyProgress {
  readonly step: "copied" | "compared";
  readonly collection: string;
  /** In all collections, by this step of this run. */
  readonly documents: number;
}

export interface CopyOptions {
  readonly definition: RealmDefinition;
  /** Both opened, and nobody else writes to either. */
  readonly source: Store;
  readonly target: Store;
  /** What the source is called; a copy goes on only from the source that it began with. */
  readonly from: string;
  /** Copies into a target that holds other documents. Those of the same ids are replaced, the others stay. */
  readonly intoNonEmpty: boolean;
  readonly clock: Clock;
  /** Told after each batch, and waited for. */
  readonly progress: (progress: CopyProgress) => void | Promise<void>;
}

/** The target is not what a copy may write to; the message says why, and what can be done. */
export class TargetRefused extends Error {}

/** The collection of the target that holds the mark of a copy under way. */
const marks: CollectionShape = { name: "_svc.copies", fields: {}, indexes: [], feed: false };
const markId = "copy";

/** How far a copy has come, written after each batch: one that was killed goes on from there. */
interface Mark {
  readonly from: string;
  readonly done: readonly string[];
  /** The id of the newest document copied of the collection after those. */
  readonly after?: string | undefined;
}

/**
 * Copies all that a realm stores, deleted documents and the service's own included, and compares both sides afterwards.
 * A run that ended before its end is gone on with by the next.
 * @throws TargetRefused
 */
export async function copyRealm(options: CopyOptions): Promise<readonly Compared[]> {
  const { definition, source, target } = options;
  const all = realmCollections(definition);
  // Who follows the changes of one store stands nowhere in those of the other.
  const shapes = all.filter(({ name }) => name !== consumerShape.name);
  await source.provision(all);
  await target.provision([...all, marks]);
  const mark = await startingMark(options, shapes);
  await copyCollections(options, shapes, mark);
  if (all.length > shapes.length) await forgetConsumers(target);
  const compared = await compareAll(options, shapes);
  // From now on the target is a store like any other: the next copy must not overwrite what was written since.
  await target.collection(marks.name).remove(markId);
  return compared;
}

async function compareAll(
  { source, target, intoNonEmpty, progress }: CopyOptions,
  shapes: readonly CollectionShape[],
): Promise<readonly Compared[]> {
  let documents = 0;
  const compared: Compared[] = [];
  for (const { name: collection } of shapes) {
    const told = async (count: number) => {
      documents += count;
      await progress({ step: "compared", collection, documents });
    };
    compared.push(await compareCollections(collection, source, target, intoNonEmpty, told));
  }
  return compared;
}

async function startingMark(options: CopyOptions, shapes: readonly CollectionShape[]): Promise<Mark> {
  const { target, from, intoNonEmpty } = options;
  const mark = await readMark(target);
  if (intoNonEmpty) return { from, done: [] };
  if (mark === undefined) {
    const taken = await firstNonEmpty(target, shapes);
    if (taken === undefined) {
      await removeStanding(target);
      return { from, done: [] };
    }
    throw new TargetRefused(
      `the target holds documents of ${taken} already; empty it, or copy over them with --into-non-empty`,
    );
  }
  if (mark.from === from) return mark;
  throw new TargetRefused(
    `the target holds an unfinished copy from ${mark.from}; finish that, empty the target, or copy over it with --into-non-empty`,
  );
}

async function firstNonEmpty(store: Store, shapes: readonly CollectionShape[]): Promise<string | undefined> {
  for (const { name } of shapes) {
    const found = await store.collection(name).scan(undefined, 10);
    // A server that has run without anything to store has left standing jobs.
    const isEmpty = found.every((document) => name === jobCollection && isStanding(readJob(document).record));
    if (!isEmpty) return name;
  }
  return undefined;
}

/** What was copied is no news: whoever follows begins after it. */
async function forgetConsumers(target: Store): Promise<void> {
  const consumers = target.collection(consumerShape.name);
  for (const { id, version } of await consumers.scan(undefined, 10)) await consumers.remove(id, version);
}

/** What a server made in a target that is empty otherwise: the copy brings those of the source, if it has any. */
async function removeStanding(target: Store): Promise<void> {
  const jobs = target.collection(jobCollection);
  for (const { id, version } of await jobs.scan(undefined, 10)) await jobs.remove(id, version);
}

async function copyCollections(
  { source, target, clock, progress }: CopyOptions,
  shapes: readonly CollectionShape[],
  mark: Mark,
): Promise<void> {
  const { from } = mark;
  let { done, after } = mark;
  let documents = 0;
  await writeMark(target, { from, done, after }, clock);
  for (const { name } of shapes.filter(({ name }) => !mark.done.includes(name))) {
    for await (const batch of copyBatches(source.collection(name), after)) {
      await load(target, name, batch);
      after = batch.at(-1)?.id;
      documents += batch.length;
      await writeMark(target, { from, done, after }, clock);
      await progress({ step: "copied", collection: name, documents });
    }
    [done, after] = [[...done, name], undefined];
    await writeMark(target, { from, done, after }, clock);
  }
}

async function load(target: Store, name: string, batch: readonly DocumentWrite[]): Promise<void> {
  try {
    await target.collection(name).load(batch);
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}

async function readMark(target: Store): Promise<Mark | undefined> {
  const found = await target.collection(marks.name).get(markId, "live");
  if (found === undefined) return undefined;
  const mark: unknown = JSON.parse(found.text);
  const { from, done, after }: JsonObject = isJsonObject(mark) ? mark : {};
  if (typeof from !== "string" || !Array.isArray(done))
    throw new TargetRefused("the target's mark is broken");
  const names = done.filter((name) => typeof name === "string");
  return { from, done: names, after: typeof after === "string" ? after : undefined };
}

function writeMark(target: Store, mark: Mark, clock: Clock): Promise<void> {
  const text = JSON.stringify({ id: markId, ...mark });
  return target.collection(marks.name).load([{ id: markId, version: 1, text, createdAt: clock.now() }]);
}
