/** Documents that a unique index would not have beside one another. */

import { reaches } from "../../../runtime/filter/predicate.ts";
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import { NAMED } from "../../../runtime/migrations/tally.ts";
import { isScalar } from "../../../runtime/rules/values.ts";
import type { IndexShape } from "../../../runtime/store/contract/shape.ts";
import { counted, finding } from "../finding.ts";
import type { Judge } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";
import { hashOf, type Spill } from "../spill.ts";

/** @param spill of this index alone */
export function uniqueJudge(sides: CollectionSides, index: IndexShape, spill: Spill): Judge {
  return {
    looks: true,
    look(seen, _) {
      if (seen.isDeleted) return;
      const key = keyOf(index, seen.given);
      if (key !== undefined) spill.add(hashOf(key), seen.id);
    },
    findings() {
      const { ids, count } = clashesIn(spill);
      if (count === 0) return [];
      const fields = index.keys.map(({ field }) => field.path).join(", ");
      const message = `${counted(count)} have values of ${fields} that another one has, too: the server would not start`;
      return [finding("unique-clash", spotOf(sides, `indexes.${index.name}`), { count, ids }, message)];
    },
  };
}

/** Documents without a value in each of its fields take no part. */
function keyOf({ keys }: IndexShape, document: JsonObject): string | undefined {
  const values: JsonValue[] = [];
  for (const { field } of keys) {
    const isThere = reaches(
      document,
      field,
      (value) => {
        if (isScalar(value)) values.push(value);
        return isScalar(value);
      },
      false,
    );
    if (!isThere) return undefined;
  }
  return JSON.stringify(values);
}

function clashesIn(spill: Spill): { readonly count: number; readonly ids: readonly string[] } {
  let count = 0;
  const ids: string[] = [];
  for (const part of spill.parts()) {
    const firsts = new Map<string, string>();
    const told = new Set<string>();
    for (const { hash, id } of part) {
      const first = firsts.get(hash);
      if (first === undefined) firsts.set(hash, id);
      else {
        ids.push(...(told.has(hash) ? [id] : [first, id]));
        count += told.has(hash) ? 1 : 2;
        told.add(hash);
      }
    }
    // Of many, the first.
    if (ids.length > 1_000) ids.sort().splice(NAMED);
  }
  return { count, ids: ids.sort().slice(0, NAMED) };
}
