import { type Field, serverOwnedFields } from "../filter/fields.ts";
import type { TextIndex } from "../filter/search/text-index.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { IndexShape } from "../store/contract/shape.ts";
import type { CollectionDefinition, ExpandLimits, RealmDefinition } from "./definition.ts";

/** The collections as they are in effect, by database. `limits` are the instance's, which collections may lower. */
export function effectiveDatabases(
  { collections, effective: { databases } }: RealmDefinition,
  limits: ExpandLimits,
): JsonObject {
  const effective: Record<string, JsonObject> = {};
  for (const definition of collections) {
    const { database, name } = definition;
    const settings = withinLimits(databases[database]?.[name] ?? {}, limits);
    effective[database] = { ...effective[database], [name]: { ...contentOf(definition), ...settings } };
  }
  return effective;
}

function contentOf({ fields, indexes, text }: CollectionDefinition): JsonObject {
  const own = Object.values(fields).filter(({ path }) => !Object.hasOwn(serverOwnedFields, path));
  return {
    schema: Object.fromEntries(own.map((field) => [field.path, fieldSettings(field)])),
    indexes: indexes.map(indexSettings),
    text: text === undefined ? null : textSettings(text),
  };
}

function fieldSettings({ kinds, nullable, arrays, segments }: Field): JsonObject {
  const inArrays = arrays.flatMap((holds, at) => (holds ? [segments.slice(0, at + 1).join(".")] : []));
  return {
    types: nullable ? [...kinds, "null"] : kinds,
    ...(inArrays.length > 0 && { arrays: inArrays }),
  };
}

function indexSettings({ name, keys, unique }: IndexShape): JsonObject {
  const fields = keys.map(({ field, descending }) => (descending ? `-${field.path}` : field.path));
  return { name, fields, unique };
}

function textSettings({ fields, defaultLanguage, languageField }: TextIndex): JsonObject {
  return {
    fields: Object.fromEntries(fields.map(({ field, weight }) => [field.path, weight])),
    default_language: defaultLanguage,
    language_field: languageField?.path ?? null,
  };
}

function withinLimits(settings: JsonObject, limits: ExpandLimits): JsonObject {
  const { maxDepth, maxPaths, maxArray, maxDocs } = limits;
  const own = { max_depth: maxDepth, max_paths: maxPaths, max_array: maxArray, max_docs: maxDocs };
  const lowered: JsonObject = { ...own, ...objectOf(settings.expand) };
  const references = Object.entries(objectOf(settings.references)).map(([name, reference]) => {
    const { many, max_expand: most = lowered.max_array } = objectOf(reference);
    return [name, many === true ? { ...objectOf(reference), max_expand: most } : reference] as const;
  });
  return { ...settings, references: Object.fromEntries(references), expand: lowered };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
