/** Who can do what, of every collection: computed from the forms of the rules. */
import { whileReading } from "../diagnostics/internal-error.ts";
import { settingsFile } from "../model/declaring-files.ts";
import type { Realm } from "../model/model.ts";
import type { RulesStage } from "../rules/compiled.ts";
import { accessesOf, type Ruled } from "./accesses.ts";
import { type Cell, Judge } from "./cells.ts";
import { rowsOf } from "./rows.ts";

/** Cells by row and column, each in the order in which they are shown. */
export type CollectionMatrix = Readonly<Record<string, Readonly<Record<string, Cell>>>>;

export interface Matrix {
  /** By realm and `<database>/<collection>`, sorted. */
  readonly realms: Readonly<Record<string, Readonly<Record<string, CollectionMatrix>>>>;
}

/** A realm whose rules have no mistakes. */
export interface RuledRealm {
  readonly realm: Realm;
  readonly rules: RulesStage;
}

/** @param isWanted which collections are asked for; default: all */
export function matrixOf(
  realms: readonly RuledRealm[],
  isWanted: (ruled: Ruled) => boolean = () => true,
): Matrix {
  return {
    realms: Object.fromEntries(
      realms.map((each) => [
        each.realm.name,
        Object.fromEntries(
          collectionsOf(each)
            .filter(isWanted)
            .map((ruled) => [
              placeOf(ruled),
              whileReading(settingsFile(ruled.collection), () => collectionMatrix(ruled)),
            ]),
        ),
      ]),
    ),
  };
}

export function collectionMatrix(ruled: Ruled): CollectionMatrix {
  const judge = new Judge(ruled);
  const accesses = accessesOf(ruled);
  return Object.fromEntries(
    rowsOf(ruled.realm).map((row) => [
      row.name,
      Object.fromEntries(accesses.map((access) => [access.column, judge.cell(row, access)])),
    ]),
  );
}

/** `support/tickets`. */
export function placeOf({ collection }: Pick<Ruled, "collection">): string {
  return `${collection.database}/${collection.name}`;
}

/** Sorted by place. */
export function collectionsOf({ realm, rules }: RuledRealm): readonly Ruled[] {
  return realm.databases
    .flatMap(({ collections }) => collections)
    .map((collection) => {
      const compiled = rules.collections.get(placeOf({ collection }));
      return { realm, collection, compiled: compiled ?? { rules: {}, fieldRules: [] } };
    });
}
