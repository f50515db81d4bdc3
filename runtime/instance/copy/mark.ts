/** How far a copy has come, kept in its target: one that was killed goes on from there. */
import type { Clock } from "../../clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import type { Store } from "../../store/contract/store.ts";

/** The target is not what a copy may write to; the message says why, and what can be done. */
export class TargetRefused extends Error {}

/** The collection of the target that holds the mark of a copy under way. */
export const marks: CollectionShape = { name: "_svc.copies", fields: {}, indexes: [], feed: false };
const markId = "copy";

/** Written after each batch. */
export interface Mark {
  readonly from: string;
  /** Collections. */
  readonly done: readonly string[];
  /** The id of the newest document copied of the collection after those. */
  readonly after?: string | undefined;
  /** Of the bytes of files, which come before all collections. */
  readonly files?: FileMark | undefined;
}

export interface FileMark {
  /** Where from and where to. */
  readonly way: string;
  /** All contents up to this one are there, each with its hash. */
  readonly after: string;
}

/** @throws TargetRefused where it makes no sense */
export async function readMark(target: Store): Promise<Mark | undefined> {
  const found = await target.collection(marks.name).get(markId, "live");
  if (found === undefined) return undefined;
  const mark: unknown = JSON.parse(found.text);
  const { from, done, after, files }: JsonObject = isJsonObject(mark) ? mark : {};
  if (typeof from !== "string" || !Array.isArray(done))
    throw new TargetRefused("the target's mark is broken");
  const names = done.filter((name) => typeof name === "string");
  return { from, done: names, after: typeof after === "string" ? after : undefined, files: readFiles(files) };
}

function readFiles(files: JsonValue | undefined): FileMark | undefined {
  if (!isJsonObject(files)) return undefined;
  const { way, after } = files;
  return typeof way === "string" && typeof after === "string" ? { way, after } : undefined;
}

export function writeMark(target: Store, mark: Mark, clock: Clock): Promise<void> {
  const text = JSON.stringify({ id: markId, ...mark });
  return target.collection(marks.name).load([{ id: markId, version: 1, text, createdAt: clock.now() }]);
}

/** From now on the target is a store like any other: the next copy must not overwrite what was written since. */
export async function removeMark(target: Store): Promise<void> {
  await target.collection(marks.name).remove(markId);
}
