import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { EffectiveConfiguration, ExpandLimits } from "./definition.ts";

/** With the limits of the instance, which collections may lower. */
export function withinLimits(
  { databases }: EffectiveConfiguration,
  limits: ExpandLimits,
): EffectiveConfiguration["databases"] {
  return mapped(databases, (collections) => mapped(collections, (each) => collectionWithin(each, limits)));
}

function collectionWithin(collection: JsonObject, limits: ExpandLimits): JsonObject {
  const { maxDepth, maxPaths, maxArray, maxDocs } = limits;
  const own = { max_depth: maxDepth, max_paths: maxPaths, max_array: maxArray, max_docs: maxDocs };
  const lowered: JsonObject = { ...own, ...objectOf(collection.expand) };
  const within = mapped(objectOf(collection.references), (reference) => {
    const { many, max_expand: most = lowered.max_array } = objectOf(reference);
    return many === true ? { ...objectOf(reference), max_expand: most } : reference;
  });
  return { ...collection, references: within, expand: lowered };
}

function mapped<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
