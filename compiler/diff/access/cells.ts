/** Which cells of the matrix a change of a rule is behind. */
import { accessesOf, type Ruled } from "../../matrix/accesses.ts";
import { type CellChange, cellInWords, changedCells } from "../../matrix/compare.ts";
import { collectionsOf, matrixOf, placeOf } from "../../matrix/matrix.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import type { RulePlace } from "../../rules/compiled.ts";
import type { Change, ChangedCell } from "../../settings/change.ts";

/** The changes, those of rules with the cells that are others and that the rule has a part in. */
export function withCells(
  changes: readonly Change[],
  old: readonly AnalysedRealm[],
  now: readonly AnalysedRealm[],
): readonly Change[] {
  const touched = new Set(
    changes.flatMap(({ realm, where }) => {
      const rule = ruleIn(where);
      return rule === undefined ? [] : [`${realm} ${rule.collection}`];
    }),
  );
  if (touched.size === 0) return changes;
  const isTouched = (ruled: Ruled) => touched.has(`${ruled.realm.name} ${placeOf(ruled)}`);
  const moved = changedCells(matrixOf(old, isTouched), matrixOf(now, isTouched)).filter(
    ({ was, is }) => was && is,
  );
  const columns = columnsByRule([...old, ...now]);
  return changes.map((change) => {
    const rule = ruleIn(change.where);
    const own = columns.get(`${change.realm} ${change.where}`);
    if (rule === undefined || own === undefined) return change;
    const cells = moved.filter(
      ({ realm, collection, column }) =>
        realm === change.realm && collection === rule.collection && own.has(column),
    );
    return cells.length === 0 ? change : { ...change, cells: cells.map(told) };
  });
}

function told({ row, column, was, is }: CellChange): ChangedCell {
  return { row, column, was: cellInWords(was), is: cellInWords(is) };
}

/** Of `support/tickets rules.read`, and of nothing else. */
function ruleIn(where: string): { readonly collection: string } | undefined {
  const [, collection] = /^(\S+) (?:rules\.\w+|fields\..+\.(?:read|write))$/.exec(where) ?? [];
  return collection === undefined ? undefined : { collection };
}

/** The columns that a rule has a part in, by its realm and place. */
function columnsByRule(realms: readonly AnalysedRealm[]): ReadonlyMap<string, ReadonlySet<string>> {
  const columns = new Map<string, Set<string>>();
  for (const ruled of realms.flatMap(collectionsOf)) {
    for (const { column, ways } of accessesOf(ruled)) {
      for (const { place } of ways.flatMap(({ rules }) => rules)) {
        const key = `${ruled.realm.name} ${placeOf(ruled)} ${keyOf(place)}`;
        const known = columns.get(key) ?? new Set();
        columns.set(key, known.add(column));
      }
    }
  }
  return columns;
}

function keyOf(place: RulePlace): string {
  return typeof place === "string" ? `rules.${place}` : `fields.${place.field}.${place.of}`;
}
