/** spec: Document endpoints, Aggregation, Batch request and response: what clients do with the documents of a collection. */
import { contract, type RouteContract, type Ruled } from "./contract.ts";
import {
  changeErrors,
  createErrors,
  expandErrors,
  expands,
  searchErrors,
  updateErrors,
} from "./document-errors.ts";
import type { HeaderName } from "./headers.ts";
import type { ParameterName } from "./parameters.ts";
import { type CollectionTraits, ofCollection, type RealmTraits } from "./traits.ts";

export type RouteOfRules = RouteContract & { readonly who: Ruled };

const tag = "{database}/{collection}";
const all = "/{database}/{collection}";
const one = `${all}/{id}` as const;

/** Whom the rules let, all of them. */
const reads = { kind: "ruled", to: "see", by: [["read"]] } as const;
const updates = { kind: "ruled", to: "change", by: [["read", "update"]] } as const;

/** What writes to a document that is there may ask of it. */
export const conditions = ["IfMatch", "IfNoneMatchOfWrite"] as const satisfies readonly ParameterName[];

/** What writes to a document that is there answer. */
export const stored = {
  name: "{stem}Stored",
  description: "The document as it is now.",
  schema: { made: "Document" },
  headers: { ETag: "ETag" },
} as const;

/** The name of an answer to reads. */
const read = (name: string) => ofCollection(({ publicCache }) => (publicCache ? `Public${name}` : name));

/** The headers of such an answer. */
const tagged = (ETag: HeaderName) =>
  ofCollection(({ publicCache }) => ({
    ETag,
    ...(publicCache && { "Cache-Control": "PublicCache" as const }),
  }));

/** The addresses of files in what is read. */
const links = ["FileLinks", "Version"] as const satisfies readonly ParameterName[];

const expanded = (ETag: HeaderName) =>
  ofCollection((collection, realm) => ({
    ...tagged(ETag)(realm),
    ...(expands(collection) && {
      "X-Svc-Expand-Queries": "ExpandQueries" as const,
      "X-Svc-Expand-Docs": "ExpandDocs" as const,
    }),
  }));

const unchanged = (name: string, ETag: HeaderName) => ({
  name: read(name),
  description: "The client has it.",
  headers: tagged(ETag),
});

const replayed = ({ auth }: RealmTraits): Record<string, HeaderName> =>
  auth ? { "Idempotent-Replayed": "IdempotentReplayed" } : {};

export const listDocuments = contract({
  id: "list{stem}",
  method: "GET",
  path: all,
  who: reads,
  query: [
    ...(["Where", "OrderBy", "Language", "Limit", "Skip", "Cursor", "Count", "Expand", "Deleted"] as const),
    ...(["OrgOfList", "TeamOfList"] as const),
    ...links,
  ],
  headers: ["IfNoneMatch"],
  answers: {
    200: {
      name: read("{stem}Page"),
      description: "A page.",
      schema: { made: "Page" },
      headers: expanded("ListETag"),
    },
    304: unchanged("PageNotModified", "ListETag"),
  },
  errors: ofCollection((collection) => [...searchErrors(collection), ...expandErrors(collection)]),
  tag,
  summary: "List documents of {collection}",
  about: "By creation time, then id, unless told otherwise.",
});

export const createDocument = contract({
  id: "create{stem}Document",
  method: "POST",
  path: all,
  who: { kind: "ruled", to: "change", by: [["create"]], makes: true },
  query: ["OrgOfCreate", "RequiredOrgOfCreate", "TeamOfCreate", "RequiredTeamOfCreate"],
  headers: ["IdempotencyKey"],
  body: { schema: { made: "Create" }, media: "json" },
  answers: {
    201: {
      name: "{stem}Created",
      description: "The stored document.",
      schema: { made: "Document" },
      headers: (realm) => ({ ETag: "ETag", Location: "Location", ...replayed(realm) }),
    },
  },
  errors: ofCollection((collection, realm) => createErrors(realm, collection)),
  tag,
  summary: "Create a document in {collection}",
  about: ofCollection(({ customId, files = [] }) =>
    [
      customId
        ? `Under the \`id\` that it brings; after ${customId.duplicateLimit} taken ones in a minute the caller has to wait.`
        : "Under an id that the server makes.",
      ...(files.some(({ required }) => required) ? ["Documents need a file: create them by `_form`."] : []),
    ].join(" "),
  ),
});

export const aggregateDocuments = contract({
  id: "aggregate{stem}",
  method: "GET",
  path: `${all}/_aggregate`,
  who: reads,
  query: [
    ...(["GroupBy", "Metrics", "Where", "OrgOfList", "TeamOfList", "Language"] as const),
    ...(["GroupOrder", "GroupLimit", "TimeZone"] as const),
  ],
  headers: ["IfNoneMatch"],
  answers: {
    200: {
      name: read("{stem}Groups"),
      description: "The groups.",
      schema: { made: "Groups" },
      headers: tagged("ListETag"),
    },
    304: unchanged("PageNotModified", "ListETag"),
  },
  errors: ofCollection((collection) => [
    "invalid_aggregate",
    "aggregate_too_expensive",
    ...searchErrors(collection),
  ]),
  tag,
  summary: "Aggregate documents of {collection}",
  about: "Over the documents that the caller may read; without `group_by` one group of all.",
  useful: ofCollection(({ aggregate }) => aggregate !== undefined),
});

export const getDocument = contract({
  id: "get{stem}Document",
  method: "GET",
  path: one,
  who: reads,
  query: ["Expand", "Deleted", ...links],
  headers: ["IfNoneMatch"],
  answers: {
    200: {
      name: read("{stem}Document"),
      description: "The document.",
      schema: { made: "Document" },
      headers: expanded("ETag"),
    },
    304: unchanged("NotModified", "ETag"),
  },
  errors: ofCollection((collection) => ["not_found", ...expandErrors(collection)]),
  tag,
  summary: "Fetch a document of {collection}",
  about: "As it is now, or 304 where the client has that.",
});

/** What replacements and patches have in common. */
const update = {
  path: one,
  who: updates,
  query: ofCollection(({ organization }) => (organization === undefined ? [] : (["OrgOfUpdate"] as const))),
  headers: conditions,
  answers: { 200: stored },
  errors: ofCollection(updateErrors),
  tag,
} as const;

export const replaceDocument = contract({
  ...update,
  id: "replace{stem}Document",
  method: "PUT",
  body: { schema: { made: "Replace" }, media: "json" },
  summary: "Replace a document of {collection}",
  about: "Members left out are removed.",
});

export const patchDocument = contract({
  ...update,
  id: "patch{stem}Document",
  method: "PATCH",
  body: { schema: { made: "Patch" }, media: "patch" },
  summary: "Change a document of {collection}",
  about:
    "JSON Merge Patch (RFC 7396): objects merge, `null` removes a member, the result must fit the schema.",
});

/** What deletions of both kinds have in common. */
const removal = {
  id: "delete{stem}Document",
  method: "DELETE",
  path: one,
  headers: conditions,
  answers: { 204: { description: "Deleted." } },
  errors: ["not_found", "write_conflict", "version_mismatch"],
  tag,
  summary: "Delete a document of {collection}",
} as const;

const softly = ({ softDelete }: CollectionTraits): boolean => softDelete !== undefined;

export const deleteDocument = contract({
  ...removal,
  who: { kind: "ruled", to: "change", by: [["read", "delete"]] },
  about: "For good.",
  of: (collection) => !softly(collection),
});

export const softDeleteDocument = contract({
  ...removal,
  who: {
    kind: "ruled",
    to: "change",
    by: [
      ["read", "delete"],
      ["read", "purge"],
    ],
  },
  query: ["Purge"],
  about: "It can be restored until it is purged.",
  of: softly,
});

export const restoreDocument = contract({
  id: "restore{stem}Document",
  method: "POST",
  path: `${one}/restore`,
  who: { kind: "ruled", to: "change", by: [["read", "restore"]] },
  headers: conditions,
  answers: { 200: stored },
  errors: ofCollection((collection) => ["validation_error", ...changeErrors(collection)]),
  tag,
  summary: "Restore a deleted document of {collection}",
  about: "It must fit the schema as it is now.",
  of: softly,
});

/** Of one database, about its collections. */
export const batchRoute = contract({
  id: "batch{stem}",
  method: "POST",
  path: "/{database}/_batch",
  who: { kind: "ruled", to: "change", by: [["create"], ["read", "update"], ["read", "delete"]] },
  query: ["OrgOfBatch", "TeamOfBatch"],
  headers: ["IdempotencyKey"],
  body: { schema: { made: "BatchRequest" }, media: "json" },
  answers: {
    200: {
      name: "{stem}Batch",
      description: "What the operations left behind.",
      schema: { made: "BatchResponse" },
      headers: replayed,
    },
  },
  errors: ({ auth, collections = [] }) =>
    collections.flatMap((collection) => [...createErrors({ auth }, collection), ...updateErrors(collection)]),
  tag: "{database}",
  summary: "Write several documents of {database} at once",
  about:
    "All operations are applied, in order, or none. An error's `details` name the operation by its position, from 0.",
});

/** Of each collection, in the order of OpenAPI documents; by the name of what serves them in `realmc/runtime`. */
export const documents = {
  ...{ listDocuments, createDocument, aggregateDocuments },
  ...{ getDocument, replaceDocument, patchDocument, deleteDocument, softDeleteDocument },
  restoreDocument,
} as const satisfies Readonly<Record<string, RouteOfRules>>;
