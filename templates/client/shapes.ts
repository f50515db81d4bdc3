/** What each collection holds and can do, as types. */
import { storedFields } from "../../compiler/model/file-fields.ts";
import { type KnownField, knownField } from "../../compiler/model/known-fields.ts";
import type { Aggregation, Collection, FileSetting, Realm } from "../../compiler/model/model.ts";
import { serverFieldTables } from "../../compiler/model/server-fields.ts";
import { collectionSettings } from "../../compiler/settings/collection.ts";
import {
  type Code,
  code,
  docComment,
  given,
  identifier,
  join,
  lines,
  literal,
  propertyKey,
  when,
} from "../print/code.ts";
import { documentTypes, inputType } from "../server/types.ts";
import { conditionType, valueType } from "./conditions.ts";
import { ordersOf } from "./following.ts";
import { type ClientNames, collectionsOf, shapeName, stemOf } from "./names.ts";
import { shared, type TypeNamed, unionOf } from "./printing.ts";

/**
 * A collection for the types that do not vary: what it holds, and what it can do.
 * @param type one of them by its name
 */
export function shape(
  realm: Realm,
  collection: Collection,
  names: ClientNames,
  type: TypeNamed = shared,
): Code {
  const stem = stemOf(names, collection);
  const references = collection.references.flatMap(({ name, database, collection: target, many }) => {
    const found = collectionsOf(realm).find((each) => each.database === database && each.name === target);
    if (found === undefined) return [];
    return code`${propertyKey(name)}: ${type(many ? "Many" : "One")}<${shapeName(names, found)}>;`;
  });
  return code`export interface ${identifier(`${stem}Shape`)} {
    document: ${identifier(`${stem}Document`)};
    content: ${inputType(collection, stem)};
    create: ${identifier(`${stem}Create`)};
    patch: ${identifier(`${stem}Patch`)};
    fields: ${identifier(`${stem}Fields`)};
    references: ${references.length === 0 ? code`object` : code`{ ${lines(references)} }`};
    traits: ${unionOf(traits(realm, collection).map(literal))};
    ${given(collection.files, (files) => code`files: { ${lines(files.map(versionsType))} };\n`)}${given(collection.realtime, () => code`orders: ${unionOf(ordersOf(realm, collection).map(literal))};\n`)}aggregation: ${aggregationType(realm, collection, type)};
  }

  ${docComment("What queries may say of each field.")}export interface ${identifier(`${stem}Fields`)} extends ${serverFieldTypes(realm, collection, type)} {
    ${lines(storedFields(collection).map((field) => code`${propertyKey(field.path)}: ${conditionType(field, type)};`))}
  }\n`;
}

/** The versions of a file field, by their names. */
function versionsType({ name, versions = {} }: FileSetting): Code {
  return code`${propertyKey(name)}: ${unionOf(Object.keys(versions).map(literal))};`;
}

function traits(realm: Realm, collection: Collection): readonly string[] {
  return [
    ...collectionSettings.flatMap((setting) => setting.traits(collection, realm)),
    ...(collection.text ? ["search"] : []),
    ...(collection.indexes.some(({ unique }) => unique) ? ["unique"] : []),
  ].sort();
}

function serverFieldTypes(realm: Realm, collection: Collection, type: TypeNamed): Code {
  const tables = serverFieldTables(realm, collection);
  const [last] = chained.filter(([table]) => tables.includes(table));
  return join([
    given(last, ([, name]) => type(name)),
    when(tables.includes("deletionFields"), () => type("DeletionFields")),
    when(
      tables.includes("unownedDeletionFields"),
      () => code`Omit<${type("DeletionFields")}, "_meta.deleted_by">`,
    ),
    when(tables.includes("chainFields"), () => type("ChainFields")),
  ]);
}

/** Each of them has those after it. */
const chained = [
  ["teamFields", "TeamFields"],
  ["organizationFields", "OrganizationFields"],
  ["ownershipFields", "OwnershipFields"],
  ["documentFields", "DocumentFields"],
] as const;

function aggregationType(realm: Realm, collection: Collection, type: TypeNamed): Code {
  const { aggregate } = collection;
  if (aggregate === undefined) return code`{ keys: object; by: never; metrics: object }`;
  const fieldAt = (path: string): KnownField | undefined => knownField(realm, collection, path);
  const keys = aggregate.groupBy.flatMap((path) => {
    const field = fieldAt(path);
    return field === undefined ? [] : [{ path, field }];
  });
  return code`{
    keys: ${members(keys.map(({ path, field }) => [path, valueType(field)] as const))};
    by: ${unionOf(keys.flatMap(({ path, field }) => groupings(path, field, type)))};
    metrics: ${members(metrics(aggregate, fieldAt))};
  }`;
}

function groupings(path: string, { kinds, arrays }: KnownField, type: TypeNamed): readonly Code[] {
  const instants = kinds.includes("date-time");
  if (arrays.length > 0 || (!instants && !kinds.includes("date"))) return [literal(path)];
  return [code`${type("Periods")}<${path}>`, ...(instants ? [literal(`${path}:hour`)] : [])];
}

function metrics(
  { metrics: measured }: Aggregation,
  fieldAt: (path: string) => KnownField | undefined,
): readonly (readonly [string, Code])[] {
  const each = measured.flatMap(({ path, functions }) =>
    functions.map((name) => {
      const whole = name === "sum" || name === "distinct";
      const value =
        name === "min" || name === "max" ? valueType(fieldAt(path) ?? { kinds: [] }) : code`number`;
      return [`${name}:${path}`, whole ? code`number` : code`${value} | null`] as const;
    }),
  );
  return [["count", code`number`], ...each];
}

function members(entries: readonly (readonly [string, Code])[]): Code {
  if (entries.length === 0) return code`object`;
  return code`{ ${lines(entries.map(([name, type]) => code`${propertyKey(name)}: ${type};`))} }`;
}

export function documents(realm: Realm, collection: Collection, names: ClientNames): Code {
  const stem = stemOf(names, collection);
  const declared = new Set(collection.fields.map(({ path }) => path));
  const hidden = collection.fieldRules
    .filter(({ path, read }) => read !== undefined && declared.has(path))
    .map(({ path }) => path);
  const seen =
    hidden.length === 0
      ? identifier(stem)
      : code`${shared("Partly")}<${identifier(stem)}, ${unionOf(hidden.map(literal))}>`;
  return documentTypes(collection, realm, stem, shared, seen);
}
