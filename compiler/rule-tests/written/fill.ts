/** Completes a document so that it fits the schema of its collection. */
import { valueAt } from "../../../runtime/documents/paths.ts";
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import type { Collection } from "../../model/model.ts";
import { place } from "../../proofs/place.ts";
import { roomOf } from "../../proofs/room.ts";
import type { Misfits } from "../misfits.ts";

/** Members that are added at most. */
const MAX_ADDED = 60;

/** Tried where the schema names no value. */
const values: readonly JsonValue[] = [
  "text",
  1,
  true,
  "2026-01-01T00:00:00.000Z",
  "2026-01-01",
  "somebody@example.com",
  "https://example.com",
  "00000000-0000-4000-8000-000000000000",
  {},
  [],
  ["text"],
  [1],
  null,
];

/** The members with what the schema requires beside them; undefined where no such document is found. */
export function filled(
  collection: Collection,
  members: JsonObject,
  misfits: Misfits,
): JsonObject | undefined {
  let current = members;
  for (let added = 0; added <= MAX_ADDED; added++) {
    const [first] = misfits(collection, current);
    if (first === undefined) return current;
    const next = withMember(collection, current, first.path, misfits);
    if (next === undefined) return undefined;
    current = next;
  }
  return undefined;
}

/** The members with a value at a path where none stands; undefined where none is found that fits there. */
export function withMember(
  collection: Collection,
  members: JsonObject,
  path: string,
  misfits: Misfits,
  isWanted: (value: JsonValue) => boolean = () => true,
): JsonObject | undefined {
  const steps = path.split(".");
  if (path === "" || valueAt(members, steps) !== undefined) return undefined;
  for (const value of samplesAt(collection, steps)) {
    if (!isWanted(value)) continue;
    const next = structuredClone(members);
    place(next, steps, structuredClone(value));
    if (!misfits(collection, next).some((misfit) => misfit.path === path)) return next;
  }
  return undefined;
}

/** Values that may stand at a path, those that the schema names first. */
export function samplesAt(collection: Collection, path: readonly string[]): readonly JsonValue[] {
  return [...roomOf(collection).samples({ root: "document", path }), ...values];
}
