import type { OpenAPIV3_1 } from "openapi-types";
import { isJsonObject } from "../../../runtime/json.ts";
import type { Collection, Realm } from "../../model/model.ts";
import type { RulesStage } from "../../rules/compiled.ts";
import { Build } from "./build.ts";
import { collectionStems, Names } from "./names.ts";
import { accountPaths, accountsTag } from "./paths/accounts.ts";
import { administrationPaths, administrationTag } from "./paths/administration.ts";
import { batchPaths } from "./paths/batch.ts";
import { collectionPaths } from "./paths/collection.ts";
import type { Described } from "./paths/described.ts";
import { descriptionPaths, descriptionTag } from "./paths/description.ts";
import { accountSchemas } from "./schemas/accounts.ts";
import { collectionSchemas, metaKinds } from "./schemas/collection.ts";
import { placeOf } from "./schemas/place.ts";
import { SchemaPool } from "./schemas/pool.ts";
import { References } from "./schemas/references.ts";
import { securitySchemes } from "./security.ts";

/**
 * The OpenAPI 3.1 document of one realm (spec: Versioning 3): what the generated server answers, and nothing that it does
 * not. Depends on the configuration alone, and of the rules on their facts alone.
 */
export function openapiDocument(realm: Realm, rules: RulesStage): OpenAPIV3_1.Document {
  const stems = collectionStems(realm);
  const references = new References(realm, stems);
  const build = new Build(realm, schemaPool(realm, stems), references, new Names());
  const paths: OpenAPIV3_1.PathsObject = {};
  const tags: OpenAPIV3_1.TagObject[] = [];
  const accounts = realm.auth ? accountSchemas(build.schemas, realm) : undefined;

  for (const database of realm.databases) {
    const collections = database.collections.map((collection): Described => {
      const compiled = rules.collections.get(`${database.name}/${collection.name}`);
      const stem = stems.get(collection) ?? "";
      const schemas = collectionSchemas(build.schemas, realm, collection, compiled, references, stem);
      const tag = `${database.name}/${collection.name}`;
      return { collection, rules: compiled?.rules ?? {}, schemas, stem, tag };
    });
    for (const described of collections) {
      Object.assign(paths, collectionPaths(build, described));
      tags.push({ name: described.tag, description: descriptionOf(described.collection) });
    }
    if (collections.length > 0) {
      Object.assign(paths, batchPaths(build, database, collections));
      tags.push({ name: database.name, description: `Database ${database.name}.` });
    }
  }
  if (accounts) {
    Object.assign(paths, accountPaths(build, accounts), administrationPaths(build, accounts));
    tags.push(accountsTag, administrationTag);
  }
  if (realm.openapi !== "off") {
    Object.assign(paths, descriptionPaths(build));
    tags.push(descriptionTag);
  }

  return {
    openapi: "3.1.1",
    info: { title: realm.name, version: "1", description: about },
    servers: [{ url: "/" }],
    tags,
    paths,
    components: {
      schemas: build.schemas.toObject(),
      responses: build.errors.toObject(),
      parameters: build.parameters.toObject(),
      headers: build.headers.toObject(),
      securitySchemes: securitySchemes(realm),
    },
  };
}

const about = [
  "A document store over HTTP with JSON bodies.",
  "Members `_id`, `_meta` and `_expanded` of request bodies are ignored, in replacements and patches `id` too.",
  "HEAD works wherever GET does. Every query parameter may be given once.",
].join(" ");

/** What names of a collection's schemas end in; none is the end of another, so that those of two collections differ. */
const collectionKinds = [
  "Conditions",
  "Create",
  "Document",
  "Expand",
  "Expanded",
  "GroupBy",
  "GroupOrder",
  "Groups",
  "Metrics",
  "OrderBy",
  "Page",
  "Patch",
  "Replace",
  "Selection",
  "Where",
];

/** A pool in which our own names are kept free of whatever the configuration defines. */
function schemaPool(realm: Realm, stems: ReadonlyMap<Collection, string>): SchemaPool {
  const files = [...stems].map(([collection, stem]) => [collection.schema.path, stem] as const);
  const pool = new SchemaPool(new Map(files));
  for (const kind of metaKinds) pool.reserve(kind);
  for (const [collection, stem] of stems) {
    pool.reserve(`${stem}Input`, placeOf(collection.schema));
    for (const kind of collectionKinds) pool.reserve(stem + kind);
  }
  if (realm.profile) pool.reserve("Profile", placeOf(realm.profile));
  return pool;
}

function descriptionOf({ name, schema: { document } }: Collection): string {
  const described = isJsonObject(document) ? document.description : undefined;
  return typeof described === "string" ? described : `Documents of ${name}.`;
}
