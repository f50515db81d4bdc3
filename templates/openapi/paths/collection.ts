import type { OpenAPIV3_1 } from "openapi-types";
import type { Collection } from "../../../compiler/model/model.ts";
import {
  changeErrors,
  createErrors,
  expandErrors,
  searchErrors,
  updateErrors,
} from "../../../compiler/model/operation-errors.ts";
import type { HeaderName } from "../../../runtime/contract/headers.ts";
import { type Build, needlessBodyErrors, type Operation } from "../build.ts";
import { accessBy } from "../security.ts";
import { aggregate } from "./aggregate.ts";
import { about, type Described, readAnswer, readHeaders } from "./described.ts";
import type { Way } from "./way.ts";
import { conditions, organizationParameters, stored } from "./writes.ts";

type PathItem = OpenAPIV3_1.PathItemObject;

/** spec: Document endpoints, for one collection. */
export function collectionPaths(build: Build, way: Way, described: Described): Record<string, PathItem> {
  const { aggregation, collection } = described;
  const path = `${way.base}/${collection.database}/${collection.name}`;
  const own = way.parameters;
  return {
    [path]: build.path(own, { get: list(build, way, described), post: create(build, way, described) }),
    ...(aggregation && {
      [`${path}/_aggregate`]: build.path(own, { get: aggregate(build, way, described, aggregation) }),
    }),
    [`${path}/{id}`]: build.path(["Id", ...own], {
      get: get(build, way, described),
      put: replace(build, way, described),
      patch: patch(build, way, described),
      delete: remove(build, way, described),
    }),
    ...(collection.softDelete && {
      [`${path}/{id}/restore`]: build.path(["Id", ...own], { post: restore(build, way, described) }),
    }),
  };
}

function list(
  build: Build,
  way: Way,
  { collection, rules, schemas, queries, stem, tag }: Described,
): Operation {
  const { where, orderBy, expand, language } = queries;
  return build.operation({
    id: way.id(`list${stem}`),
    tag: way.tag(tag),
    summary: `List documents of ${collection.name}`,
    about: about("By creation time, then id, unless told otherwise.", way.decides(rules, "read")),
    parameters: [
      where,
      orderBy,
      ...language,
      "Limit",
      "Skip",
      "Cursor",
      "Count",
      ...expand,
      ...(collection.softDelete ? (["Deleted"] as const) : []),
      ...organizationParameters(collection, { org: "OrgOfList", team: "TeamOfList" }),
      "IfNoneMatch",
    ],
    answers: {
      200: {
        name: readAnswer(way, collection, `${stem}Page`),
        description: "A page.",
        schema: schemas.page,
        headers: { ...readHeaders(way, collection, "ListETag"), ...expandHeaders(collection) },
      },
      304: {
        name: readAnswer(way, collection, "PageNotModified"),
        description: "The client has it.",
        headers: readHeaders(way, collection, "ListETag"),
      },
    },
    errors: [...searchErrors(collection), ...expandErrors(collection)],
    admits: way.admits(accessBy(rules.read)),
  });
}

function create(build: Build, way: Way, { collection, rules, schemas, stem, tag }: Described): Operation {
  const { customId, organization } = collection;
  const { auth } = build.realm;
  return build.operation({
    id: way.id(`create${stem}Document`),
    tag: way.tag(tag),
    summary: `Create a document in ${collection.name}`,
    about: about(
      customId
        ? `Under the \`id\` that it brings; after ${customId.duplicateLimit} taken ones in a minute the caller has to wait.`
        : "Under an id that the server makes.",
      way.decides(rules, "create"),
    ),
    parameters: [
      ...organizationParameters(collection, {
        org: organization?.required ? "RequiredOrgOfCreate" : "OrgOfCreate",
        team: organization?.teams === "required" ? "RequiredTeamOfCreate" : "TeamOfCreate",
      }),
      ...(auth ? (["IdempotencyKey"] as const) : []),
    ],
    body: { schema: schemas.create, shared: true },
    answers: {
      201: {
        name: `${stem}Created`,
        description: "The stored document.",
        schema: schemas.document,
        headers: {
          ETag: "ETag",
          Location: "Location",
          ...(auth && { "Idempotent-Replayed": "IdempotentReplayed" as const }),
        },
      },
    },
    errors: createErrors(build.realm, collection),
    admits: way.admits(accessBy(rules.create), customId?.is === "user"),
  });
}

function get(
  build: Build,
  way: Way,
  { collection, rules, schemas, queries, stem, tag }: Described,
): Operation {
  return build.operation({
    id: way.id(`get${stem}Document`),
    tag: way.tag(tag),
    summary: `Fetch a document of ${collection.name}`,
    about: about("As it is now, or 304 where the client has that.", way.decides(rules, "read")),
    parameters: [...queries.expand, ...(collection.softDelete ? (["Deleted"] as const) : []), "IfNoneMatch"],
    answers: {
      200: {
        name: readAnswer(way, collection, `${stem}Document`),
        description: "The document.",
        schema: schemas.document,
        headers: { ...readHeaders(way, collection, "ETag"), ...expandHeaders(collection) },
      },
      304: {
        name: readAnswer(way, collection, "NotModified"),
        description: "The client has it.",
        headers: readHeaders(way, collection, "ETag"),
      },
    },
    errors: ["not_found", ...expandErrors(collection)],
    admits: way.admits(accessBy(rules.read)),
  });
}

function replace(build: Build, way: Way, { collection, rules, schemas, stem, tag }: Described): Operation {
  return build.operation({
    id: way.id(`replace${stem}Document`),
    tag: way.tag(tag),
    summary: `Replace a document of ${collection.name}`,
    about: about("Members left out are removed.", way.decides(rules, "read", "update")),
    parameters: [...organizationParameters(collection, { org: "OrgOfUpdate" }), ...conditions],
    body: { schema: schemas.replace, shared: true },
    answers: {
      200: stored(schemas, stem),
    },
    errors: updateErrors(collection),
    admits: way.admits(accessBy(rules.read, rules.update)),
  });
}

function patch(build: Build, way: Way, { collection, rules, schemas, stem, tag }: Described): Operation {
  return build.operation({
    id: way.id(`patch${stem}Document`),
    tag: way.tag(tag),
    summary: `Change a document of ${collection.name}`,
    about: about(
      "JSON Merge Patch (RFC 7396): objects merge, `null` removes a member, the result must fit the schema.",
      way.decides(rules, "read", "update"),
    ),
    parameters: [...organizationParameters(collection, { org: "OrgOfUpdate" }), ...conditions],
    body: { schema: schemas.patch, shared: true, media: ["application/merge-patch+json"] },
    answers: {
      200: stored(schemas, stem),
    },
    errors: updateErrors(collection),
    admits: way.admits(accessBy(rules.read, rules.update)),
  });
}

function remove(build: Build, way: Way, { collection, rules, stem, tag }: Described): Operation {
  const { softDelete } = collection;
  const ruled = [
    accessBy(rules.read, rules.delete),
    ...(softDelete ? [accessBy(rules.read, rules.purge)] : []),
  ];
  const widest = (["anyone", "users"] as const).find((access) => ruled.includes(access)) ?? "keys";
  return build.operation({
    id: way.id(`delete${stem}Document`),
    tag: way.tag(tag),
    summary: `Delete a document of ${collection.name}`,
    about: about(
      softDelete ? "It can be restored until it is purged." : "For good.",
      way.decides(rules, "read", "delete"),
    ),
    parameters: [...(softDelete ? (["Purge"] as const) : []), ...conditions],
    answers: { 204: { description: "Deleted." } },
    errors: ["not_found", "write_conflict", "version_mismatch"],
    admits: way.admits(widest),
  });
}

function restore(build: Build, way: Way, { collection, rules, schemas, stem, tag }: Described): Operation {
  return build.operation({
    id: way.id(`restore${stem}Document`),
    tag: way.tag(tag),
    summary: `Restore a deleted document of ${collection.name}`,
    about: about("It must fit the schema as it is now.", way.decides(rules, "read", "restore")),
    parameters: conditions,
    answers: {
      200: stored(schemas, stem),
    },
    errors: ["validation_error", ...needlessBodyErrors, ...changeErrors(collection)],
    admits: way.admits(accessBy(rules.read, rules.restore)),
  });
}

/** Of reads that can expand. */
function expandHeaders({ references }: Collection): Record<string, HeaderName> {
  if (references.length === 0) return {};
  return { "X-Svc-Expand-Queries": "ExpandQueries", "X-Svc-Expand-Docs": "ExpandDocs" };
}
