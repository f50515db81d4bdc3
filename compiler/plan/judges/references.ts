/** Values of references that no document answers to. */
import { type Field, field } from "../../../runtime/filter/fields.ts";
import { reaches } from "../../../runtime/filter/predicate.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { NAMED } from "../../../runtime/migrations/tally.ts";
import type { Reference } from "../../model/model.ts";
import { fieldAt } from "../../plans/shapes.ts";
import { counted, finding, verb } from "../finding.ts";
import type { Judge } from "../judge.ts";
import { type CollectionSides, spotOf } from "../sides.ts";
import { hashOf, type Spill } from "../spill.ts";

/** What there is of a reference: what is named, by whose ids, and what answers to it. */
export interface ReferenceSpills {
  readonly named: Spill;
  readonly keys: Spill;
}

/** Looks at the documents that refer. */
export function referenceJudge(
  sides: CollectionSides,
  reference: Reference,
  { named }: ReferenceSpills,
): Judge {
  const { realm, collection } = sides.now;
  const source = fieldAt(realm, collection, reference.field);
  return {
    looks: true,
    look(seen) {
      if (seen.isDeleted) return;
      for (const value of valuesAt(seen.given, source)) named.add(hashOf(value), seen.id);
    },
    findings: () => [],
  };
}

/** Looks at the documents that are referred to; of a sample, too, all of them. */
export function referredJudge(
  referring: CollectionSides,
  reference: Reference,
  spills: ReferenceSpills,
  target: CollectionSides | undefined,
): Judge {
  const { name, database, collection, key } = reference;
  const of =
    target === undefined ? field(key, "string") : fieldAt(target.now.realm, target.now.collection, key);
  return {
    looks: true,
    wholly: true,
    look(seen) {
      if (seen.isDeleted) return;
      const values = key === "id" ? [seen.id] : valuesAt(seen.given, of);
      for (const value of values) spills.keys.add(hashOf(value), "");
    },
    findings() {
      const { count, ids } = danglingIn(spills);
      if (count === 0) return [];
      const message = `${counted(count)} ${verb(count, "names", "name")} a document of ${database}/${collection} that is not there: expand=${name} leaves it out`;
      return [
        finding("reference-dangling", spotOf(referring, `references.${name}`), { count, ids }, message),
      ];
    },
  };
}

function valuesAt(document: JsonObject, at: Field): readonly string[] {
  const values: string[] = [];
  const take = (value: unknown): boolean => {
    if (typeof value === "string") values.push(value);
    return false;
  };
  reaches(document, at, take, true);
  return values;
}

function danglingIn({ named, keys }: ReferenceSpills): {
  readonly count: number;
  readonly ids: readonly string[];
} {
  const dangling = new Set<string>();
  const parts = keys.parts();
  for (const part of named.parts()) {
    const next = parts.next();
    const there = new Set(next.done === true ? [] : next.value.map(({ hash }) => hash));
    for (const { hash, id } of part) if (!there.has(hash)) dangling.add(id);
  }
  return { count: dangling.size, ids: [...dangling].sort().slice(0, NAMED) };
}
