/** Who looks at the documents of a realm's collections: only who has something to find, by what changed. */

import type { Reference } from "../model/model.ts";
import { canonicalJson } from "../source/meaning.ts";
import type { Judge } from "./judge.ts";
import { customIdJudges, organizationJudges } from "./judges/belonging.ts";
import { extentJudge, newIndexes } from "./judges/extents.ts";
import { fileJudges } from "./judges/files.ts";
import { migrationsJudge } from "./judges/migrations.ts";
import { readerJudges } from "./judges/readers.ts";
import { referenceJudge, referredJudge } from "./judges/references.ts";
import { unfitJudge } from "./judges/unfit.ts";
import { uniqueJudge } from "./judges/uniques.ts";
import type { CollectionSides } from "./sides.ts";
import { hashOf, type Spill } from "./spill.ts";

/** @returns by the places of collections */
export function judgesOf(
  collections: readonly CollectionSides[],
  spill: (name: string) => Spill,
): ReadonlyMap<string, readonly Judge[]> {
  const judges = new Map(collections.map((sides) => [sides.place, [...ownJudges(sides, spill)]]));
  for (const sides of collections) {
    for (const reference of changedReferences(sides, collections)) {
      const of = hashOf(`${sides.realm}/${sides.place} ${reference.name}`);
      const spills = { named: spill(`n-${of}`), keys: spill(`k-${of}`) };
      const place = `${reference.database}/${reference.collection}`;
      const target = collections.find((each) => each.place === place);
      judges.get(sides.place)?.push(referenceJudge(sides, reference, spills));
      // Of a target that is new nothing is stored.
      const looking = target === undefined ? sides.place : place;
      const referred = referredJudge(sides, reference, spills, target);
      judges.get(looking)?.push(target === undefined ? { ...referred, looks: false } : referred);
    }
  }
  return judges;
}

function ownJudges(sides: CollectionSides, spill: (name: string) => Spill): readonly Judge[] {
  const { old, now, realm, place } = sides;
  const isMigrated = now.form > old.form;
  const isChanged = isSchemaChanged(sides);
  const added = new Set(newIndexes(sides).map(({ name }) => name));
  const uniques = sides.definition.indexes.filter(
    ({ name, unique }) => unique && (isMigrated || added.has(name)),
  );
  const extent = extentJudge(sides);
  return [
    ...(extent === undefined ? [] : [extent]),
    ...(isChanged || now.form > 0 ? [migrationsJudge(sides), unfitJudge(sides, isChanged)] : []),
    ...uniques.map((index) =>
      uniqueJudge(sides, index, spill(`u-${hashOf(`${realm}/${place} ${index.name}`)}`)),
    ),
    ...organizationJudges(sides),
    ...customIdJudges(sides),
    ...fileJudges(sides),
    ...readerJudges(sides),
  ];
}

/** Whether documents are asked to fit another schema than before, by which the plan counts them whatever their form. */
export function isSchemaChanged({ old, now }: Pick<CollectionSides, "old" | "now">): boolean {
  return schemaOf(old) !== schemaOf(now);
}

function schemaOf({ collection: { schema } }: CollectionSides["old"]): string {
  return canonicalJson(schema.files.map(({ path, document }) => ({ path, document })));
}

/** Those that may name others than before, or whose values are others. */
function changedReferences(
  { old, now }: CollectionSides,
  collections: readonly CollectionSides[],
): readonly Reference[] {
  return now.collection.references.filter((reference) => {
    const before = old.collection.references.find(({ name }) => name === reference.name);
    const place = `${reference.database}/${reference.collection}`;
    const target = collections.find((each) => each.place === place);
    const migrates = (sides: Pick<CollectionSides, "old" | "now"> | undefined): boolean =>
      sides === undefined || sides.now.form > sides.old.form;
    if (migrates({ old, now }) || (reference.key !== "id" && migrates(target))) return true;
    return before === undefined || meaningOf(before) !== meaningOf(reference);
  });
}

function meaningOf({ database, collection, field, key, many }: Reference): string {
  return JSON.stringify([database, collection, field, key, many]);
}
