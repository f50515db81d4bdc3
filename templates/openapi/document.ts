import type { OpenAPIV3_1 } from "openapi-types";
import type { Collection, Realm } from "../../compiler/model/model.ts";
import type { RulesStage } from "../../compiler/rules/compiled.ts";
import { placeOf } from "../../compiler/schema/place.ts";
import { accounts, accountsTag } from "../../runtime/contract/accounts.ts";
import { administration } from "../../runtime/contract/administration.ts";
import { credentials } from "../../runtime/contract/credentials.ts";
import { description, descriptionTag } from "../../runtime/contract/description.ts";
import { dataTag, documentAdministration } from "../../runtime/contract/document-administration.ts";
import { contractsOf } from "../../runtime/contract/index.ts";
import { invitations } from "../../runtime/contract/invitations.ts";
import { administrationTag, jobs } from "../../runtime/contract/jobs.ts";
import { keys } from "../../runtime/contract/keys.ts";
import { organizationsTag } from "../../runtime/contract/members.ts";
import { organizationAdministration } from "../../runtime/contract/organization-administration.ts";
import { organizationInvitations } from "../../runtime/contract/organization-invitations.ts";
import { organizations } from "../../runtime/contract/organizations.ts";
import { realtimeTag } from "../../runtime/contract/realtime.ts";
import { teams } from "../../runtime/contract/teams.ts";
import { userAdministration } from "../../runtime/contract/user-administration.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { collectionStems } from "../server/names.ts";
import { Build } from "./build.ts";
import {
  type BothWays,
  batchPaths,
  collectionPaths,
  type Described,
  describe,
  realtimePaths,
} from "./collections.ts";
import { contractPaths } from "./contracts.ts";
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
    if (described.length > 0) {
      add(batchPaths(build, database, described));
      tags.push({ name: database.name, description: `Database ${database.name}.` });
    }
  }
  const streams = realtimePaths(build, all);
  if (Object.keys(streams).length > 0) {
    Object.assign(paths, streams);
    tags.push({
      name: realtimeTag,
      description: "Changes as they happen, of the collections that can be followed.",
    });
  }
  if (realm.auth) {
    Object.assign(
      paths,
      contractPaths(build, [...accounts, ...credentials, ...userAdministration, ...invitations]),
    );
    tags.push({ name: accountsTag, description: "The caller's own account and sessions." });
  }
  if (realm.organizations !== undefined) {
    Object.assign(paths, contractPaths(build, [...organizations, ...teams, ...organizationInvitations]));
    Object.assign(paths, contractPaths(build, organizationAdministration));
    tags.push({
      name: organizationsTag,
      description:
        "Organizations of the realm's users, for sessions only. Who is no member of one is answered the same whether or not it is there.",
    });
  }
  Object.assign(paths, contractPaths(build, [...keys, ...administration, ...jobs]), administered);
  const administers = {
    name: administrationTag,
    description:
      "For API keys and sessions that administer the area named. Not there (404) where the server has it switched off. Every change leaves an audit record.",
  };
  const administersData = {
    name: dataTag,
    description:
      "All documents, past the access rules, for administrators of the area `data`; API keys stay within their scopes. Every write leaves an audit record.",
  };
  tags.push(administers, ...(Object.keys(administered).length > 0 ? [administersData] : []));
  if (realm.openapi !== "off") {
    Object.assign(paths, contractPaths(build, description));
    tags.push({ name: descriptionTag, description: "This document." });
  }

  return {
    openapi: "3.1.1",
    info: {
      title: realm.name,
      version: "1",
      description: about,
      contact: { name: `Whoever runs ${realm.name}` },
      license,
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

const about = [
  "A document store over HTTP with JSON bodies.",
  "Members `_id`, `_meta` and `_expanded` of request bodies are ignored, in replacements and patches `id` too.",
  "HEAD works wherever GET does. Every query parameter may be given once.",
].join(" ");

/** Configurations name none; in the words that SPDX has for that. */
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
  "Where",
];

/** A pool in which our own names are kept free of whatever the configuration defines. */
function schemaPool(realm: Realm, stems: ReadonlyMap<Collection, string>): SchemaPool {
  const files = [...stems].map(([collection, stem]) => [collection.schema.path, stem] as const);
  const pool = new SchemaPool(new Map(files));
  for (const kind of metaKinds) pool.reserve(kind);
  const routes = [...contractsOf(realm), ...Object.values(documentAdministration)];
  for (const name of schemaNames(routes, realm)) pool.reserve(name);
  pool.reserve(documentScope);
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
