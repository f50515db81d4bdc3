import type { Aggregation, Collection, Index, Reference, TextIndex } from "../../compiler/model/model.ts";
import type { CompiledRules } from "../../compiler/rules/compiled.ts";
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
  member,
  object,
  pattern,
  property,
  when,
} from "../print/code.ts";
import { dateFields } from "./fields.ts";
import { collectionName, collectionPath, runtime } from "./names.ts";
import { allRules } from "./rules.ts";
import { dataTypeOf, documentTypeOf } from "./types.ts";

/** `routes.ts`: the collection as the runtime knows it, and the handlers of its paths. */
export function routesModule(collection: Collection, auth: boolean, compiled: CompiledRules): EmittedFile {
  const name = declared(collectionName(collection));
  const url = `/v1/${collectionPath(collection)}`;
  const handler = (factory: string): Code => code`${imported(factory, runtime)}(${name})`;
  const types = join([documentTypeOf(collection), when(auth, () => dataTypeOf(collection))]);
  return emitModule({
    path: `${collectionPath(collection)}/routes.ts`,
    sources: collection.sources,
    body: lines([
      code`export const ${name}: ${importedType("CollectionDefinition", runtime)}<${types}> = ${definition(collection, auth, compiled)};\n`,
      code`export const routes: ${importedType("RouteTable", runtime)} = ${object([
        property(
          url,
          object([property("GET", handler("listDocuments")), property("POST", handler("createDocument"))]),
        ),
        property(`${url}/_aggregate`, object([property("GET", handler("aggregateDocuments"))])),
        property(
          `${url}/:id`,
          object([
            property("GET", handler("getDocument")),
            property("PUT", handler("replaceDocument")),
            property("PATCH", handler("patchDocument")),
            property("DELETE", handler(collection.softDelete ? "softDeleteDocument" : "deleteDocument")),
          ]),
        ),
        given(collection.softDelete, () =>
          property(`${url}/:id/restore`, object([property("POST", handler("restoreDocument"))])),
        ),
      ])};`,
    ]),
  });
}

function definition(collection: Collection, auth: boolean, compiled: CompiledRules): Code {
  const { indexes, text, references, expand, aggregate, softDelete, customId, publicCache, organization } =
    collection;
  return object([
    property("realm", collection.realm),
    property("database", collection.database),
    property("name", collection.name),
    property("fields", fields),
    property("indexes", indexes.length === 0 ? [] : array(indexes.map(indexCode))),
    given(text, (declaration) => property("text", textIndexCode(declaration))),
    when(references.length > 0, () => property("references", object(references.map(referenceCode)))),
    given(expand, ({ maxDepth, maxPaths, maxArray, maxDocs }) =>
      property("expand", { maxDepth, maxPaths, maxArray, maxDocs }),
    ),
    given(aggregate, (declaration) => property("aggregate", aggregateCode(declaration))),
    property("validate", imported("validate", "./validate.js")),
    when(dateFields(collection).length > 0, () =>
      property("normalizeDates", imported("normalizeDates", "./fields.ts")),
    ),
    when(auth, () => property("rules", imported("rules", "./rules.ts"))),
    when(collection.fieldRules.length > 0, () =>
      property("fieldRules", imported("fieldRules", "./rules.ts")),
    ),
    given(softDelete, ({ retention }) => property("softDelete", { retention })),
    given(customId, (settings) => property("customId", customIdCode(settings))),
    given(publicCache, ({ maxAge }) => property("publicMaxAge", maxAge)),
    given(collection.realtime, () => property("realtime", true)),
    given(organization, ({ required, teams, onDelete }) =>
      property("organization", { required, teams, onDelete }),
    ),
    when(asksMemberships(compiled), () => property("asksMemberships", true)),
  ]);
}

function asksMemberships(compiled: CompiledRules): boolean {
  return allRules(compiled).some(({ facts }) => facts.memberships);
}

const fields = imported("fields", "./fields.ts");

function field(path: string): Code {
  return member(fields, path);
}

function indexCode(index: Index): Code {
  const keys = index.fields.map(
    ({ path, descending }) =>
      code`{ ${property("field", field(path))}, ${property("descending", descending)} }`,
  );
  return object([
    property("name", index.name),
    property("keys", array(keys)),
    property("unique", index.unique),
  ]);
}

function textIndexCode({ fields: weighted, defaultLanguage, languageField }: TextIndex): Code {
  const entries = weighted.map(
    ({ path, weight }) => code`{ ${property("field", field(path))}, ${property("weight", weight)} }`,
  );
  const declaration = object([
    property("fields", array(entries)),
    property("defaultLanguage", defaultLanguage),
    given(languageField, (path) => property("languageField", field(path))),
  ]);
  return code`${imported("textIndex", runtime)}(${declaration})`;
}

function referenceCode({ name, field: path, database, collection, key, many, maxExpand }: Reference): Code {
  return property(
    name,
    object([
      property("database", database),
      property("collection", collection),
      property("field", field(path)),
      property("key", key),
      property("many", many),
      given(maxExpand, (limit) => property("maxExpand", limit)),
    ]),
  );
}

function aggregateCode({ groupBy, metrics }: Aggregation): Code {
  const measured = metrics.map(
    ({ path, functions }) => code`{ ${property("field", field(path))}, ${property("functions", functions)} }`,
  );
  return object([property("groupBy", array(groupBy.map(field))), property("metrics", array(measured))]);
}

function customIdCode(customId: NonNullable<Collection["customId"]>): Code {
  const { is, pattern: allowed, duplicateLimit } = customId;
  return object([
    given(is, (whose) => property("is", whose)),
    given(allowed, (source) => property("pattern", pattern(source))),
    property("duplicateLimit", duplicateLimit),
  ]);
}
