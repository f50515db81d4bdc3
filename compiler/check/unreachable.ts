/** What compiled rules leave to nobody: fields that must be written, and targets of references. */

import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection, Realm } from "../model/model.ts";
import { requiredPaths } from "../proofs/room.ts";
import type { CompiledRules, RulesStage } from "../rules/compiled.ts";
import { placeOf } from "../schema/place.ts";
import { diagnose as diagnoseReference } from "../settings/references/codes.ts";

/** Required fields that nobody may write, where documents may be created. */
export function unwritableFields(collection: Collection, { rules, fieldRules }: CompiledRules): Diagnostic[] {
  if (rules.create === undefined || rules.create.facts.constant === false) return [];
  const closed = fieldRules.filter(({ write }) => write?.facts.constant === false);
  if (closed.length === 0) return [];
  const required = requiredPaths(placeOf(collection.schema));
  return closed.flatMap(({ path }) => {
    const span = collection.fieldRules.find((each) => each.path === path)?.write?.span;
    return span === undefined || !required.has(path)
      ? []
      : [diagnose("field-unwritable", span, { field: path })];
  });
}

/** References to collections without a read rule that may hold. `faulty`: files with errors, of which nothing is known. */
export function unreadableTargets(
  realm: Realm,
  { references, rules: own }: Collection,
  { collections }: RulesStage,
  faulty: ReadonlySet<string>,
): Diagnostic[] {
  // Where nobody reads this collection either, nothing is expanded of it.
  if (!realm.auth || own.read === undefined) return [];
  return references.flatMap(({ name, database, collection, span }) => {
    const label = `${database}/${collection}`;
    const target = realm.databases
      .find((each) => each.name === database)
      ?.collections.find((each) => each.name === collection);
    if (target === undefined || faulty.has(`${realm.name}/${label}/collection.yaml`)) return [];
    const compiled = collections.get(label)?.rules.read;
    const isReadable = target.rules.read !== undefined && compiled?.facts.constant !== false;
    return isReadable ? [] : [diagnoseReference("reference-unreadable", span, { name, collection: label })];
  });
}
