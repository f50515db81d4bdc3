/** A realm in the configuration that its store has, in those before, and in the new one. */

import { isJsonObject } from "../../runtime/json.ts";
import type { RecordedConfiguration } from "../../runtime/realm/recorded.ts";
import { analysedFiles } from "../diff/sides.ts";
import { newestAmong } from "../diff/unmigrated.ts";
import type { Collection } from "../model/model.ts";
import type { Files } from "../output/configuration.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { Held } from "./held.ts";
import { type CollectionSide, collectionsOf, type RealmSide } from "./sides.ts";

/** The store was provisioned by a release that recorded nothing, or is no store of ours. */
export class NothingRecorded extends Error {}

export interface RealmSides {
  readonly name: string;
  /** Absent where it was not configured. */
  readonly old?: RealmSide;
  /** Absent where it is configured no longer. */
  readonly now?: RealmSide;
  /** Of the configuration that the store has; absent where `--old` says what it is. */
  readonly fingerprint?: string;
  readonly provisionedAt?: string;
  /** The newest configuration before the old one that had a collection, by its place. */
  readonly before: (place: string) => Promise<CollectionSide | undefined>;
  /** Places of the collections of all of them. */
  readonly places: readonly string[];
}

/**
 * Those for which anything is stored.
 * @param given what was before; default: what stores have recorded
 * @throws NothingRecorded
 */
export async function realmSides(
  held: Held,
  now: readonly AnalysedRealm[],
  given: readonly AnalysedRealm[] | undefined,
  only: string | undefined,
): Promise<readonly RealmSides[]> {
  const configured = [...now, ...(given ?? [])].map(({ realm }) => realm.name);
  const names = new Set([...configured, ...(await held.realms())].sort());
  const found: RealmSides[] = [];
  for (const name of names) {
    if (only !== undefined && name !== only) continue;
    const recorded = await held.recorded(name);
    if (recorded === undefined || (recorded.length === 0 && !configured.includes(name))) continue;
    found.push(await sidesOf(name, recorded, sideIn(now, name), given));
  }
  return found;
}

async function sidesOf(
  name: string,
  recorded: readonly RecordedConfiguration[],
  now: RealmSide | undefined,
  given: readonly AnalysedRealm[] | undefined,
): Promise<RealmSides> {
  const newest = recorded.at(-1);
  if (given === undefined && newest === undefined) throw new NothingRecorded(name);
  const old = given === undefined ? newest && (await recordedSide(name, newest)) : sideIn(given, name);
  const earlier = given === undefined ? recorded.slice(0, -1) : recorded;
  const placesBefore = earlier.flatMap(({ files }) => placesIn(name, Object.keys(files)));
  const places = [old, now].flatMap((side) => (side === undefined ? [] : [...collectionsOf(side).keys()]));
  return {
    name,
    ...(old !== undefined && { old }),
    ...(now !== undefined && { now }),
    ...(given === undefined &&
      newest !== undefined && {
        fingerprint: newest.fingerprint,
        provisionedAt: newest.provisionedAt,
      }),
    places: [...new Set([...places, ...placesBefore])].sort(),
    async before(place) {
      const last = earlier.findLast(({ files }) => placesIn(name, Object.keys(files)).includes(place));
      const side = last && (await recordedSide(name, last));
      return side && collectionSide(side, place);
    },
  };
}

async function recordedSide(name: string, { files }: RecordedConfiguration): Promise<RealmSide | undefined> {
  const own = Object.entries(files).flatMap(([path, value]) =>
    isJsonObject(value) ? [[path, value] as const] : [],
  );
  const { realms } = await analysedFiles(Object.fromEntries(own) satisfies Files);
  const found = realms.find(({ realm }) => realm.name === name);
  return found && { ...found, paths: Object.keys(files) };
}

function sideIn(realms: readonly AnalysedRealm[], name: string): RealmSide | undefined {
  const found = realms.find(({ realm }) => realm.name === name);
  return found && { ...found, paths: found.realm.inputs.map(({ path }) => path) };
}

/** `<database>/<collection>` of the schemas among the files of a realm. */
function placesIn(realm: string, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => {
    const [root, database, collection, file, ...others] = path.split("/");
    const isOne = root === realm && file === "schema.json" && others.length === 0;
    return isOne && !collection?.startsWith("_") ? [`${database}/${collection}`] : [];
  });
}

export function collectionSide(side: RealmSide, place: string): CollectionSide | undefined {
  const collection: Collection | undefined = collectionsOf(side).get(place);
  if (collection === undefined) return undefined;
  return {
    realm: side.realm,
    collection,
    compiled: side.rules.collections.get(place) ?? { rules: {}, fieldRules: [] },
    form: Number(newestAmong(side.paths, collection)),
  };
}
