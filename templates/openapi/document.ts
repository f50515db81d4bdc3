import type { OpenAPIV3_1 } from "openapi-types";
import type { Collection, Realm } from "../../compiler/model/model.ts";
import type { RulesStage } from "../../compiler/rules/compiled.ts";
import { placeOf } from "../../compiler/schema/place.ts";
import { writtenSchema } from "../../compiler/settings/defaults.ts";
import { description } from "../../runtime/contract/description.ts";
import { documentAdministration } from "../../runtime/contract/document-administration.ts";
import { fileContracts } from "../../runtime/contract/file-contracts.ts";
import { fileLinks } from "../../runtime/contract/file-links.ts";
import { functionCalls } from "../../runtime/contract/function-calls.ts";
import { functionJobs } from "../../runtime/contract/function-jobs.ts";
import { contractsOf, realmTags } from "../../runtime/contract/index.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { collectionStems } from "../server/names.ts";
import { Build } from "./build.ts";
import {
  type BothWays,
  batchPaths,
  collectionPaths,
  type Described,
  describe,
  fileLinkPaths,
  realtimePaths,
} from "./collections.ts";
import { contractPaths } from "./contracts.ts";
import { functionFileStems, functionPaths, reserveFunctionSchemas } from "./functions.ts";
import { metaKinds } from "./schemas/collection.ts";
import { documentScope, schemaNames } from "./schemas/contracted.ts";
import { SchemaPool } from "./schemas/pool.ts";
import { References } from "./schemas/references.ts";
import { securitySchemes } from "./security.ts";

/**
 * The OpenAPI 3.1 document of one realm (spec: Versioning 3): what the generated server answers, and nothing that it does
 * not. Depends on the configuration alone, and of the rules on their facts alone.
 */
export function openapiDocument(realm: Realm, rules: RulesStage): OpenAPIV3_1.Document {
  const stems = collectionStems(realm);
  const build = new Build(realm, schemaPool(realm, stems), new References(realm, stems));
  const paths: OpenAPIV3_1.PathsObject = {};
  const administered: OpenAPIV3_1.PathsObject = {};
  const tags: OpenAPIV3_1.TagObject[] = [];
  const all: Described[] = [];
  const add = (ways: BothWays): void => {
    Object.assign(paths, ways.own);
    Object.assign(administered, ways.administered);
  };

  for (const database of realm.databases) {
    const described = database.collections.map((collection) =>
      describe(build, collection, rules, stems.get(collection) ?? ""),
    );
    all.push(...described);
    for (const each of described) {
      add(collectionPaths(build, each));
      const { name } = each.collection;
      tags.push({ name: `${database.name}/${name}`, description: descriptionOf(each.collection) });
    }
    if (described.length > 0) add(batchPaths(build, database, described));
    const called = functionPaths(build, database.name, rules);
    Object.assign(paths, called);
    if (described.length > 0 || Object.keys(called).length > 0) {
      tags.push({ name: database.name, description: `Database ${database.name}.` });
    }
  }
  const fixed = contractsOf(realm).filter((route) => !fileLinks.includes(route));
  Object.assign(paths, realtimePaths(build, all), fileLinkPaths(build, all));
  Object.assign(
    paths,
    contractPaths(
      build,
      fixed.filter((route) => !description.includes(route)),
    ),
  );
  Object.assign(
    paths,
    administered,
    contractPaths(
      build,
      fixed.filter((route) => description.includes(route)),
    ),
  );
  const used = tagsIn(paths);
  tags.push(...realmTags.filter(({ name }) => used.has(name)));

  return {
    openapi: "3.1.1",
    info: {
      title: realm.name,
      version: "1",
      description: about,
      contact: { name: `Whoever runs ${realm.name}` },
      license,
      ...realm.apiInfo,
    },
    servers: [{ url: "/" }],
    tags,
    paths,
    components: {
      schemas: build.schemas.toObject(),
      responses: build.responses.toObject(),
      parameters: build.parameters.toObject(),
      requestBodies: build.bodies.toObject(),
      headers: build.headers.toObject(),
      securitySchemes: securitySchemes(realm),
    },
  };
}

/** Those of the operations. */
function tagsIn(paths: OpenAPIV3_1.PathsObject): ReadonlySet<string> {
  const operations = Object.values(paths).flatMap((item = {}) => [
    ...[item.get, item.post, item.put, item.patch, item.delete],
  ]);
  return new Set(operations.flatMap((operation) => operation?.tags ?? []));
}

const about = [
  "A document store over HTTP with JSON bodies.",
  "Members `_id`, `_meta` and `_expanded` of request bodies are ignored, in replacements and patches `id` too.",
  "HEAD works wherever GET does. Every query parameter may be given once.",
].join(" ");

/** Where the configuration names none; in the words that SPDX has for that. */
const license = { name: "None stated", identifier: "NOASSERTION" };

/** What names of a collection's schemas end in; none is the end of another, so that those of two collections differ. */
const collectionKinds = [
  "Assignment",
  "Conditions",
  "Create",
  "Document",
  "Event",
  "Expand",
  "Expanded",
  "Filter",
  "GroupBy",
  "GroupOrder",
  "Groups",
  "Metrics",
  "OrderBy",
  "Page",
  "Patch",
  "Replace",
  "Selection",
  "Subscription",
  "Transfer",
  "Version",
  "Where",
];

/** A pool in which our own names are kept free of whatever the configuration defines. */
function schemaPool(realm: Realm, stems: ReadonlyMap<Collection, string>): SchemaPool {
  const files = [...stems].flatMap(([collection, stem]) =>
    [collection.schema, writtenSchema(collection)].map(({ path }) => [path, stem] as const),
  );
  const pool = new SchemaPool(new Map([...files, ...functionFileStems(realm)]));
  for (const kind of metaKinds) pool.reserve(kind);
  const called = realm.functions.length > 0 ? [...functionCalls, ...functionJobs] : [];
  const filed = realm.storage === undefined ? [] : fileContracts;
  const routes = [...contractsOf(realm), ...Object.values(documentAdministration), ...filed, ...called];
  for (const name of schemaNames(routes, realm)) pool.reserve(name);
  pool.reserve(documentScope);
  for (const [collection, stem] of stems) {
    pool.reserve(`${stem}Input`, placeOf(writtenSchema(collection)));
    for (const kind of collectionKinds) pool.reserve(stem + kind);
  }
  reserveFunctionSchemas(pool, realm);
  if (realm.profile) pool.reserve("Profile", placeOf(realm.profile));
  return pool;
}

function descriptionOf({ name, schema: { document } }: Collection): string {
  const described = isJsonObject(document) ? document.description : undefined;
  return typeof described === "string" ? described : `Documents of ${name}.`;
}
