import type { Collection, Index, TextIndex } from "../../compiler/model/model.ts";
import type { CompiledRules } from "../../compiler/rules/compiled.ts";
import { collectionSettings } from "../../compiler/settings/collection.ts";
import { type CompiledCollection, fieldCode, merged, type Parts } from "../../compiler/settings/setting.ts";
import { patternOf, type RouteContract } from "../../runtime/contract/contract.ts";
import { documents } from "../../runtime/contract/documents.ts";
import { kept } from "../../runtime/kept.ts";
import type { CollectionDefinition } from "../../runtime/realm/definition.ts";
import {
  array,
  type Code,
  code,
  declared,
  type EmittedFile,
  emitModule,
  given,
  imported,
  importedType,
  join,
  lines,
  object,
  property,
  when,
} from "../print/code.ts";
import { emittedInOrder } from "../print/emitted.ts";
import { dateFields } from "./fields.ts";
import { collectionName, collectionPath, runtime } from "./names.ts";
import { allRules } from "./rules.ts";
import { dataTypeOf, documentTypeOf } from "./types.ts";

/** `routes.ts`: the collection as the runtime knows it, and the handlers of its paths. */
export function routesModule(of: CompiledCollection): EmittedFile {
  const { collection, auth } = of;
  const name = declared(collectionName(collection));
  const types = join([documentTypeOf(collection), when(auth, () => dataTypeOf(collection))]);
  return emitModule({
    path: `${collectionPath(collection)}/routes.ts`,
    sources: collection.sources,
    body: lines([
      code`export const ${name}: ${importedType("CollectionDefinition", runtime)}<${types}> = ${definition(of)};\n`,
      code`export const routes: ${importedType("RouteTable", runtime)} = ${routeTable(collection, name)};`,
    ]),
  });
}

/** The routes that the collection has, by their contracts. */
function routeTable(collection: Collection, name: Code): Code {
  const { realm, database } = collection;
  const served = Object.entries<RouteContract>(documents).filter(([, { of }]) => of?.(collection) !== false);
  const patterns = new Map<string, Code[]>();
  for (const [handler, { method, path }] of served) {
    const pattern = patternOf(`/v1/${realm}`, path, { database, collection: collection.name });
    const route = property(method, code`${imported(handler, runtime)}(${name})`);
    kept(patterns, pattern, () => []).push(route);
  }
  return object([...patterns].map(([pattern, methods]) => property(pattern, object(methods))));
}

function definition(of: CompiledCollection): Code {
  const { collection, compiled } = of;
  const { indexes, text } = collection;
  const parts: Parts<CollectionDefinition> = {
    realm: collection.realm,
    database: collection.database,
    name: collection.name,
    fields: imported("fields", "./fields.ts"),
    indexes: indexes.map(indexCode),
    text: text && textIndexCode(text),
    validate: imported("validate", "./validate.js"),
    normalizeDates:
      dateFields(collection).length === 0 ? undefined : imported("normalizeDates", "./fields.ts"),
    migrations: collection.migrations === undefined ? undefined : imported("migrations", "./migrations.ts"),
    ...merged(collectionSettings.map((setting) => setting.definition(of))),
    asksMemberships: asksMemberships(compiled) || undefined,
  };
  return emittedInOrder(order, parts);
}

/** In which reviewers read what is declared; what is not among it comes after. */
const order: readonly string[] = [
  ...["realm", "database", "name", "fields", "indexes", "text", "references", "expand", "aggregate"],
  ...[
    "validate",
    "withDefaults",
    "normalizeDates",
    "rules",
    "fieldRules",
    "softDelete",
    "customId",
    "publicMaxAge",
  ],
  ...["realtime", "organization", "files", "asksMemberships", "migrations"],
];

function asksMemberships(compiled: CompiledRules): boolean {
  return allRules(compiled).some(({ facts }) => facts.memberships);
}

function indexCode(index: Index): Code {
  const keys = index.fields.map(
    ({ path, descending }) =>
      code`{ ${property("field", fieldCode(path))}, ${property("descending", descending)} }`,
  );
  return object([
    property("name", index.name),
    property("keys", array(keys)),
    property("unique", index.unique),
  ]);
}

function textIndexCode({ fields: weighted, defaultLanguage, languageField }: TextIndex): Code {
  const entries = weighted.map(
    ({ path, weight }) => code`{ ${property("field", fieldCode(path))}, ${property("weight", weight)} }`,
  );
  const declaration = object([
    property("fields", array(entries)),
    property("defaultLanguage", defaultLanguage),
    given(languageField, (path) => property("languageField", fieldCode(path))),
  ]);
  return code`${imported("textIndex", runtime)}(${declaration})`;
}
