/** A collection in both configurations, and what its judges are given. */

import type { Clock } from "../../runtime/clock.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import { collectionPlace } from "../diff/collection.ts";
import type { Collection, Realm } from "../model/model.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import type { Spot } from "./finding.ts";

/** A realm in one configuration. */
export interface RealmSide extends AnalysedRealm {
  /** Of all files that make it, in the configuration folder: those of migrations in TypeScript, too. */
  readonly paths: readonly string[];
}

export interface CollectionSide {
  readonly realm: Realm;
  readonly collection: Collection;
  readonly compiled: CompiledRules;
  /** The number of its newest migration; 0 where there is none. */
  readonly form: number;
}

/** A collection that both configurations have. */
export interface CollectionSides {
  readonly realm: string;
  /** `<database>/<collection>`. */
  readonly place: string;
  readonly old: CollectionSide;
  readonly now: CollectionSide;
  /** As a server of the new configuration has it. */
  readonly definition: CollectionDefinition;
  /** Who builds an index keeps all others from writing to the realm. */
  readonly hasOneWriter: boolean;
  readonly clock: Clock;
}

/** Of a collection, or of a part of it: `indexes.mail`. */
export function spotOf({ realm, place }: Pick<CollectionSides, "realm" | "place">, part?: string): Spot {
  return { realm, where: part === undefined ? place : `${place} ${part}` };
}

export function collectionsOf({ realm }: RealmSide): ReadonlyMap<string, Collection> {
  return new Map(
    realm.databases.flatMap(({ collections }) =>
      collections.map((each) => [collectionPlace(each), each] as const),
    ),
  );
}
