import type { Collection, Database, FileSetting } from "../../compiler/model/model.ts";
import type { RulesStage } from "../../compiler/rules/compiled.ts";
import type { Names, RouteContract } from "../../runtime/contract/contract.ts";
import { administered, documentAdministration } from "../../runtime/contract/document-administration.ts";
import { batchRoute, documents, type RouteOfRules } from "../../runtime/contract/documents.ts";
import { fileContracts } from "../../runtime/contract/file-contracts.ts";
import { formContracts } from "../../runtime/contract/file-form.ts";
import { fileLinks } from "../../runtime/contract/file-links.ts";
import { fileObject } from "../../runtime/contract/files.ts";
import { realtime } from "../../runtime/contract/realtime.ts";
import { capitalized, pascalCase } from "../print/names.ts";
import type { Build, Paths } from "./build.ts";
import { contractPaths, type Subject } from "./contracts.ts";
import { aggregationSchemas } from "./schemas/aggregation.ts";
import { batchSchemas } from "./schemas/batch.ts";
import { type CollectionSchemas, collectionSchemas } from "./schemas/collection.ts";
import { whereSchema } from "./schemas/conditions.ts";
import type { MadeSchemas } from "./schemas/contracted.ts";
import { versionSchema } from "./schemas/files.ts";
import { orderSchema } from "./schemas/order.ts";
import { realtimeSchemas } from "./schemas/realtime.ts";
import { expandSchema } from "./schemas/references.ts";
import { queryFields } from "./schemas/values.ts";
import type { RuledCollection } from "./security.ts";

/** A collection and what its routes are described from. */
export interface Described extends RuledCollection {
  readonly stem: string;
  readonly schemas: CollectionSchemas;
  /** What else is made of it. */
  readonly made: MadeSchemas;
}

export function describe(
  build: Build,
  collection: Collection,
  { collections }: RulesStage,
  stem: string,
): Described {
  const { schemas: pool, realm, references } = build;
  const compiled = collections.get(`${collection.database}/${collection.name}`);
  const fields = queryFields(realm, collection);
  const file = (collection.files ?? []).length === 0 ? undefined : build.embedder.component(fileObject);
  const schemas = collectionSchemas(pool, realm, collection, compiled, references, stem, file);
  const Where = whereSchema(pool, collection, fields, stem);
  const Expand = expandSchema(pool, references, collection, stem);
  const OrderBy = orderSchema(pool, fields, collection.text !== undefined, stem);
  const aggregation = collection.aggregate && aggregationSchemas(pool, collection.aggregate, fields, stem);
  const Version = versionSchema(pool, collection.files, stem);
  const made = { Where, OrderBy, ...(Expand && { Expand }), ...(Version && { Version }), ...aggregation };
  return { collection, rules: compiled?.rules ?? {}, stem, schemas, made };
}

/** The same for clients and for administrators. */
export interface BothWays {
  readonly own: Paths;
  readonly administered: Paths;
}

/** The paths of a collection. */
export function collectionPaths(build: Build, described: Described): BothWays {
  const { collection, stem, schemas, made } = described;
  const names = { database: collection.database, collection: collection.name, stem };
  const subject = subjectOf(build, [described], names, { ...schemas, ...made });
  const routes = [...Object.values(documents), ...formContracts];
  const ways = bothWays(build, subject, routes, Object.values(documentAdministration));
  const files = (collection.files ?? []).map((field) => filePaths(build, described, field));
  return {
    own: Object.assign({}, ways.own, ...files.map(({ own }) => own)),
    administered: Object.assign({}, ways.administered, ...files.map(({ administered: each }) => each)),
  };
}

/** The paths of the files in a field of documents. */
function filePaths(build: Build, described: Described, field: FileSetting): BothWays {
  const { collection } = described;
  const stem = `${described.stem}${pascalCase(field.name)}`;
  const names = { database: collection.database, collection: collection.name, field: field.name, stem };
  const Version = versionSchema(build.schemas, [field], stem);
  const subject = subjectOf(build, [described], names, { ...(Version && { Version }) });
  return bothWays(build, { ...subject, traits: { ...subject.traits, file: field } }, fileContracts, []);
}

/** The path of a database's batches. */
export function batchPaths(build: Build, { name }: Database, described: readonly Described[]): BothWays {
  const stem = capitalized(name);
  const made = batchSchemas(build.schemas, stem, described);
  return bothWays(build, subjectOf(build, described, { database: name, stem }, made), [batchRoute], []);
}

/** None where no collection can be followed: the server has the route all the same. */
export function realtimePaths(build: Build, described: readonly Described[]): Paths {
  const followed = described.filter(({ collection }) => collection.realtime !== undefined);
  if (followed.length === 0) return {};
  const made = realtimeSchemas(build.schemas, build.realm, followed);
  return contractPaths(build, realtime, subjectOf(build, followed, {}, made));
}

/** None where documents can have no files. */
export function fileLinkPaths(build: Build, described: readonly Described[]): Paths {
  return build.realm.storage === undefined
    ? {}
    : contractPaths(build, fileLinks, subjectOf(build, described, {}, {}));
}

/** @param further what administrators can do beside */
function bothWays(
  build: Build,
  subject: Subject,
  routes: readonly RouteOfRules[],
  further: readonly RouteContract[],
): BothWays {
  // Nobody may keep what administrators are answered.
  const collections =
    subject.traits.collections?.map(({ publicCache: _, ...collection }) => collection) ?? [];
  const administrators = { ...subject, traits: { ...subject.traits, collections } };
  return {
    own: contractPaths(build, routes, subject),
    administered: contractPaths(build, [...routes.map(administered), ...further], administrators),
  };
}

function subjectOf(
  build: Build,
  collections: readonly Described[],
  names: Names,
  made: MadeSchemas,
): Subject {
  const traits = { ...build.realm, collections: collections.map(({ collection }) => collection) };
  const known = { traits, names, made };
  return { ...known, schemas: build.schemasOf(known), collections };
}
