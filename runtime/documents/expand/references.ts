import { documentFields, type Field } from "../../filter/fields.ts";
import type { CollectionDefinition, ExpandLimits, ReferenceDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type Collection, collectionOf } from "../collection.ts";

/** A reference as it runs in a realm. */
export interface Reference {
  readonly name: string;
  readonly source: Collection;
  /** Of the source: holds the value, or the array of values. */
  readonly field: Field;
  readonly target: Collection;
  /** Of the target: equals the value. */
  readonly key: Field;
  readonly many: boolean;
  /** Documents on both sides may belong to organizations: those of one never lead to those of another. */
  readonly apart: boolean;
  /** Values of the array to follow. */
  readonly limit: number;
  /** The target's own references, as far as levels are allowed. */
  readonly nested: References;
}

export type References = ReadonlyMap<string, Reference>;

/**
 * Resolves the references of a collection, by name.
 * @param levels how many levels deep
 * @throws Error for a definition that the compiler does not emit
 */
export function referencesOf(
  realm: RealmInstance,
  definition: CollectionDefinition,
  limits: ExpandLimits,
  levels: number,
): References {
  const references = new Map<string, Reference>();
  if (levels === 0) return references;
  for (const [name, declared] of Object.entries(definition.references ?? {})) {
    const target = targetOf(realm, declared);
    references.set(name, {
      name,
      source: collectionOf(realm, definition),
      field: declared.field,
      target: collectionOf(realm, target),
      key: keyOf(target, declared.key),
      many: declared.many,
      apart: definition.organization !== undefined && target.organization !== undefined,
      limit: Math.min(limits.maxArray, declared.maxExpand ?? limits.maxArray),
      nested: referencesOf(realm, target, limits, levels - 1),
    });
  }
  return references;
}

/** Collections whose documents reads of these may show: themselves, and those that expansion leads to. */
export function reachedFrom(
  realm: RealmInstance,
  definitions: readonly CollectionDefinition[],
): ReadonlySet<CollectionDefinition> {
  const reached = new Set(definitions);
  let level: readonly CollectionDefinition[] = definitions;
  for (let depth = 0; depth < realm.expandLimits.maxDepth; depth += 1) {
    const references = level.flatMap(({ references = {} }) => Object.values(references));
    level = references.map((reference) => targetOf(realm, reference));
    for (const target of level) reached.add(target);
  }
  return reached;
}

function targetOf({ definition }: RealmInstance, reference: ReferenceDefinition): CollectionDefinition {
  const { database, collection } = reference;
  const target = definition.collections.find(
    (each) => each.database === database && each.name === collection,
  );
  if (target === undefined) throw new Error(`no collection ${database}/${collection} to refer to`);
  return target;
}

function keyOf({ database, name, fields }: CollectionDefinition, path: string): Field {
  const key = path === "id" ? documentFields.id : fields[path];
  if (key === undefined) throw new Error(`no field ${path} of ${database}/${name} to refer to`);
  return key;
}
