import type { Clock } from "../../clock.ts";
import { forgetNames, recountFiles } from "../../documents/files/recount.ts";
import { consumerShape } from "../../feed/consumer-position.ts";
import { isStanding, jobCollection, readJob } from "../../jobs/records.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import { configurationShape } from "../../realm/recorded.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { Store } from "../../store/contract/store.ts";
import { realmCollections } from "../realm.ts";
import { copyBatches } from "./batches.ts";
import { type Compared, compareCollections } from "./compare.ts";
import { type CopiedFiles, copyFiles, type FileCopy } from "./files.ts";
import { type Mark, marks, readMark, removeMark, TargetRefused, writeMark } from "./mark.ts";

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
  /** Of a realm whose files are to be moved, too. */
  readonly files?: FileCopy | undefined;
  readonly clock: Clock;
  /** Told after each batch, and waited for. */
  readonly progress: (progress: CopyProgress) => void | Promise<void>;
}

export interface Copied {
  readonly compared: readonly Compared[];
  /** Absent where none were to be moved. */
  readonly files: CopiedFiles | undefined;
}

/**
 * Copies all that a realm stores, deleted documents and the service's own included, and compares both sides afterwards.
 * Bytes come before what names them. A run that ended before its end is gone on with by the next.
 * @throws TargetRefused | StorageUnavailable
 */
export async function copyRealm(options: CopyOptions): Promise<Copied> {
  const { definition, source, target } = options;
  const all = realmCollections(definition);
  // Who follows the changes of one store stands nowhere in those of the other.
  const shapes = all.filter(({ name }) => name !== consumerShape.name);
  await source.provision(all);
  await target.provision([...all, marks]);
  const started = await startingMark(options, shapes);
  const { mark, files } = await copyBytes(options, started);
  await copyCollections(options, shapes, mark);
  if (all.length > shapes.length) await forgetConsumers(target);
  const compared = await compareAll(options, shapes);
  // Stores that are shared say what is used in several records, others in one.
  const isCountedAnew = options.intoNonEmpty || source.isShared !== target.isShared;
  if (isCountedAnew && definition.storage !== undefined) await recountFiles(target, options.clock);
  await removeMark(target);
  return { compared, files };
}

async function copyBytes(
  { source, target, files, clock }: CopyOptions,
  started: Mark,
): Promise<{ readonly mark: Mark; readonly files: CopiedFiles | undefined }> {
  if (files === undefined) return { mark: started, files: undefined };
  const { way } = files;
  let mark = started;
  const copied = await copyFiles(source, files, {
    after: mark.files?.way === way ? mark.files.after : "",
    async reached(after) {
      mark = { ...mark, files: { way, after } };
      await writeMark(target, mark, clock);
    },
  });
  return { mark, files: copied };
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
    // A server that has run without anything to store has left standing jobs, and the configuration it ran with.
    const isEmpty = found.every((document) => name === jobCollection && isStanding(readJob(document).record));
    if (!isEmpty && name !== configurationShape.name) return name;
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
  for (const name of [jobCollection, configurationShape.name]) {
    const left = target.collection(name);
    for (const { id, version } of await left.scan(undefined, 20)) await left.remove(id, version);
  }
}

async function copyCollections(
  { definition, source, target, intoNonEmpty, clock, progress }: CopyOptions,
  shapes: readonly CollectionShape[],
  mark: Mark,
): Promise<void> {
  let { done, after } = mark;
  let documents = 0;
  // What stood in the place of a document may have had files.
  const mayNameFiles = intoNonEmpty && definition.storage !== undefined;
  await writeMark(target, mark, clock);
  for (const { name } of shapes.filter(({ name }) => !mark.done.includes(name))) {
    for await (const batch of copyBatches(source.collection(name), after)) {
      await load(target, name, batch);
      if (mayNameFiles) await forgetNames(target, name, batch);
      after = batch.at(-1)?.id;
      documents += batch.length;
      await writeMark(target, { ...mark, done, after }, clock);
      await progress({ step: "copied", collection: name, documents });
    }
    [done, after] = [[...done, name], undefined];
    await writeMark(target, { ...mark, done, after }, clock);
  }
}

async function load(target: Store, name: string, batch: readonly DocumentWrite[]): Promise<void> {
  try {
    await target.collection(name).load(batch);
  } catch (cause) {
    throw new Error(`${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
