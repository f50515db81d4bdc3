import type { OpenAPIV3_1 } from "openapi-types";
import type { Collection } from "../../../model/model.ts";
import { type Build, needlessBodyErrors, type Operation } from "../build.ts";
import type { OperationError } from "../errors.ts";
import type { HeaderName } from "../headers.ts";
import { queryFields } from "../schemas/values.ts";
import { accessBy, security, sessionsOnly } from "../security.ts";
import { aggregate } from "./aggregate.ts";
import { about, type Described, decided, readHeaders } from "./described.ts";
import { type Queries, queries, searchErrors } from "./queries.ts";

type PathItem = OpenAPIV3_1.PathItemObject;

/** spec: Document endpoints, for one collection. */
export function collectionPaths(build: Build, described: Described): Record<string, PathItem> {
  const { realm, database, name, softDelete } = described.collection;
  const path = `/v1/${realm}/${database}/${name}`;
  const fields = queryFields(build.realm, described.collection);
  const asked = queries(build, described, fields);
  const aggregated = aggregate(build, described, fields, asked);
  return {
    [path]: build.path([], { get: list(build, described, asked), post: create(build, described) }),
    ...(aggregated && { [`${path}/_aggregate`]: build.path([], { get: aggregated }) }),
    [`${path}/{id}`]: build.path(["Id"], {
      get: get(build, described, asked),
      put: replace(build, described),
      patch: patch(build, described),
      delete: remove(build, described),
    }),
    ...(softDelete && { [`${path}/{id}/restore`]: build.path(["Id"], { post: restore(build, described) }) }),
  };
}

function list(
  build: Build,
  { collection, rules, schemas, stem, tag }: Described,
  { where, orderBy, expand, language }: Queries,
): Operation {
  return build.operation({
    id: `list${stem}`,
    tag,
    summary: `List documents of ${collection.name}`,
    about: about("By creation time, then id, unless told otherwise.", decided(build, rules, "read")),
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
      "IfNoneMatch",
    ],
    answers: {
      200: {
        description: "A page.",
        schema: schemas.page,
        headers: { ...readHeaders(collection, "ListETag"), ...expandHeaders(collection) },
      },
      304: { description: "The client has this page.", headers: readHeaders(collection, "ListETag") },
    },
    errors: [...searchErrors(collection), ...expandErrors(collection)],
    security: security(build.realm, accessBy(rules.read)),
  });
}

function create(build: Build, { collection, rules, schemas, stem, tag }: Described): Operation {
  const { customId } = collection;
  const { auth } = build.realm;
  return build.operation({
    id: `create${stem}Document`,
    tag,
    summary: `Create a document in ${collection.name}`,
    about: about(
      customId && `After ${customId.duplicateLimit} taken ids in a minute the caller has to wait.`,
      decided(build, rules, "create"),
    ),
    parameters: auth ? ["IdempotencyKey"] : [],
    body: { schema: schemas.create },
    answers: {
      201: {
        description: "The stored document.",
        schema: schemas.document,
        headers: {
          ETag: "ETag",
          Location: "Location",
          ...(auth && { "Idempotent-Replayed": "IdempotentReplayed" as const }),
        },
      },
    },
    errors: createErrors(build, collection),
    // Keys and anonymous callers have no id of their own to give.
    security:
      customId?.is === "user" ? sessionsOnly(build.realm) : security(build.realm, accessBy(rules.create)),
  });
}

function get(
  build: Build,
  { collection, rules, schemas, stem, tag }: Described,
  { expand }: Queries,
): Operation {
  return build.operation({
    id: `get${stem}Document`,
    tag,
    summary: `Fetch a document of ${collection.name}`,
    about: about(decided(build, rules, "read")),
    parameters: [...expand, ...(collection.softDelete ? (["Deleted"] as const) : []), "IfNoneMatch"],
    answers: {
      200: {
        description: "The document.",
        schema: schemas.document,
        headers: { ...readHeaders(collection, "ETag"), ...expandHeaders(collection) },
      },
      304: { description: "The client has this version.", headers: readHeaders(collection, "ETag") },
    },
    errors: ["not_found", ...expandErrors(collection)],
    security: security(build.realm, accessBy(rules.read)),
  });
}

function replace(build: Build, { collection, rules, schemas, stem, tag }: Described): Operation {
  return build.operation({
    id: `replace${stem}Document`,
    tag,
    summary: `Replace a document of ${collection.name}`,
    about: about("Members left out are removed.", decided(build, rules, "read", "update")),
    parameters: ["IfMatch"],
    body: { schema: schemas.replace },
    answers: {
      200: { description: "The stored document.", schema: schemas.document, headers: { ETag: "ETag" } },
    },
    errors: changeErrors(collection),
    security: security(build.realm, accessBy(rules.read, rules.update)),
  });
}

function patch(build: Build, { collection, rules, schemas, stem, tag }: Described): Operation {
  return build.operation({
    id: `patch${stem}Document`,
    tag,
    summary: `Change a document of ${collection.name}`,
    about: about(
      "JSON Merge Patch (RFC 7396): objects merge, `null` removes a member, the result must fit the schema.",
      decided(build, rules, "read", "update"),
    ),
    parameters: ["IfMatch"],
    body: { schema: schemas.patch, media: ["application/merge-patch+json"] },
    answers: {
      200: { description: "The stored document.", schema: schemas.document, headers: { ETag: "ETag" } },
    },
    errors: changeErrors(collection),
    security: security(build.realm, accessBy(rules.read, rules.update)),
  });
}

function remove(build: Build, { collection, rules, stem, tag }: Described): Operation {
  const { softDelete } = collection;
  const ruled = [
    accessBy(rules.read, rules.delete),
    ...(softDelete ? [accessBy(rules.read, rules.purge)] : []),
  ];
  const widest = (["anyone", "users"] as const).find((access) => ruled.includes(access)) ?? "keys";
  return build.operation({
    id: `delete${stem}Document`,
    tag,
    summary: `Delete a document of ${collection.name}`,
    about: about(
      softDelete && "It can be restored until it is purged.",
      decided(build, rules, "read", "delete"),
    ),
    parameters: [...(softDelete ? (["Purge"] as const) : []), "IfMatch"],
    answers: { 204: { description: "Deleted." } },
    errors: ["not_found", "write_conflict", "version_mismatch"],
    security: security(build.realm, widest),
  });
}

function restore(build: Build, { collection, rules, schemas, stem, tag }: Described): Operation {
  return build.operation({
    id: `restore${stem}Document`,
    tag,
    summary: `Restore a deleted document of ${collection.name}`,
    about: about("It must fit the schema as it is now.", decided(build, rules, "read", "restore")),
    parameters: ["IfMatch"],
    answers: {
      200: { description: "The live document.", schema: schemas.document, headers: { ETag: "ETag" } },
    },
    errors: ["validation_error", ...needlessBodyErrors, ...changeErrors(collection)],
    security: security(build.realm, accessBy(rules.read, rules.restore)),
  });
}

/** Errors of a create beyond those of every body; `_batch` shares them. */
export function createErrors(build: Build, collection: Collection): readonly OperationError[] {
  return [
    ...(collection.customId
      ? (["id_required", "invalid_id", "id_taken", "too_many_requests"] as const)
      : (["id_not_allowed"] as const)),
    // No collection uses organizations yet.
    "org_not_allowed",
    "team_not_allowed",
    ...uniqueErrors(collection),
    ...(build.realm.auth ? (["request_in_progress", "idempotency_key_reused"] as const) : []),
  ];
}

/** Errors of a write to a stored document. */
export function changeErrors(collection: Collection): readonly OperationError[] {
  return ["not_found", "write_conflict", "version_mismatch", ...uniqueErrors(collection)];
}

function uniqueErrors(collection: Collection): readonly OperationError[] {
  return collection.indexes.some(({ unique }) => unique) ? ["conflict"] : [];
}

/** Of reads that can expand. */
function expandHeaders({ references }: Collection): Record<string, HeaderName> {
  if (references.length === 0) return {};
  return { "X-Svc-Expand-Queries": "ExpandQueries", "X-Svc-Expand-Docs": "ExpandDocs" };
}

function expandErrors({ references }: Collection): readonly OperationError[] {
  return ["invalid_expand", ...(references.length > 0 ? (["expand_too_large"] as const) : [])];
}
