import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";

/** What is stored in the end. */
export interface Stored {
  readonly things: readonly JsonObject[];
  readonly counts: readonly JsonObject[];
}

/**
 * What is wrong with what a handler has counted: every change of a document that is there, or was, once, in their order,
 * and nothing of one that was never made.
 * @param acknowledged documents as they were answered to who wrote them; of those that were deleted the id alone
 */
export function unlike(acknowledged: readonly JsonObject[], { things, counts }: Stored): readonly string[] {
  const problems: string[] = [];
  const left = new Map(things.map((thing) => [String(thing["id"]), versionOf(thing)]));
  const counted = new Map(counts.map((count) => [String(count["id"]), count]));
  for (const [id, { last, count, gone, faults }] of counted) {
    const version = left.get(id);
    if (Array.isArray(faults) && faults.length > 0) problems.push(`${id}: told ${faults.join(", ")}`);
    if (version === undefined && gone !== true) problems.push(`${id} is gone, and nobody was told`);
    if (version !== undefined && gone === true) problems.push(`${id} is there, and was told to be gone`);
    if (version !== undefined && last !== version)
      problems.push(`${id} is at ${version}, and was told ${last}`);
    const changes = Number(last) + (gone === true ? 1 : 0);
    if (count !== changes) problems.push(`${id} was changed ${changes} times, and counted ${count}`);
  }
  for (const id of left.keys()) if (!counted.has(id)) problems.push(`${id} was never told`);
  for (const written of acknowledged) {
    const id = String(written["id"]);
    const last = Number(counted.get(id)?.["last"] ?? 0);
    const version = versionOf(written) ?? 1;
    if (last < version) problems.push(`${id}: ${version} was acknowledged, and ${last} told`);
  }
  return problems;
}

function versionOf({ _meta: meta }: JsonObject): number | undefined {
  return isJsonObject(meta) ? Number(meta["version"]) : undefined;
}
