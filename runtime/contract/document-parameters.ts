/** Parameters of requests about documents. */
import type { Parameter } from "./parameter.ts";
import type { CollectionTraits, RealmTraits } from "./traits.ts";

/** Where it is said of a collection that the route is about. */
const some =
  (is: (collection: CollectionTraits) => boolean) =>
  ({ collections = [] }: RealmTraits): boolean =>
    collections.some(is);

const belonging = some(({ organization }) => organization !== undefined);
const teams = some(({ organization }) => organization?.teams !== undefined);
const searchable = some(({ text }) => text !== undefined);

export const idempotencyKey = { type: "string", pattern: "^[A-Za-z0-9._:-]{1,200}$" } as const;

export const documentParameters = {
  Where: {
    name: "where",
    in: "query",
    description:
      "Conditions: at most 4,096 bytes of JSON, 32 conditions in all, `$or` and `$and` nested up to 4 levels. Fields that the caller may not always read are unknown to it.",
    form: "json",
    schema: { made: "Where" },
  },
  OrderBy: {
    name: "order_by",
    in: "query",
    description: (traits) =>
      [
        "Fields to order by, `-` for descending; `id` decides last. Null and missing come first.",
        ...(searchable(traits)
          ? ["`_relevance`, alone and with `$search`: best matches first, the first 1,000, paged by `skip`."]
          : []),
      ].join(" "),
    form: "list",
    schema: { made: "OrderBy" },
  },
  Expand: {
    name: "expand",
    in: "query",
    description:
      "References whose documents are put into `_expanded`, each at most once; 5 in all unless the server is set otherwise.",
    form: "list",
    schema: { made: "Expand" },
  },
  GroupBy: {
    name: "group_by",
    in: "query",
    description:
      "Fields to group by, each at most once; a date also by `:hour` to `:year`. Weeks start on Monday. By an array a document is in the group of each different element.",
    form: "list",
    schema: { made: "GroupBy" },
  },
  Metrics: {
    name: "metrics",
    in: "query",
    description: "What is measured in every group; `count` when left out.",
    form: "list",
    schema: { made: "Metrics" },
  },
  GroupOrder: {
    name: "order_by",
    in: "query",
    description:
      "Fields grouped by and metrics asked for, `-` for descending; the fields grouped by when left out.",
    form: "list",
    schema: { made: "GroupOrder" },
  },
  Skip: {
    name: "skip",
    in: "query",
    description: "Documents to pass over before the page.",
    schema: { type: "integer", minimum: 0, maximum: 2_147_483_647, default: 0 },
  },
  Count: {
    name: "count",
    in: "query",
    description: "`true` adds `total`: the number of documents on all pages.",
    schema: { type: "boolean", default: false },
  },
  Deleted: {
    name: "deleted",
    in: "query",
    description:
      "`only`: deleted documents instead of live ones; `include`: both. Needs the `restore` rule as well as `read`.",
    schema: { type: "string", enum: ["only", "include"] },
    when: some(({ softDelete }) => softDelete !== undefined),
  },
  FileLinks: {
    name: "file_links",
    in: "query",
    description:
      "`true` adds `url` to files: where they are had without a credential, for 10 minutes. Nobody may keep such an answer.",
    schema: { type: "boolean", default: false },
    when: some(({ files = [] }) => files.length > 0),
  },
  Version: {
    name: "version",
    in: "query",
    description:
      "With `file_links`: `url` is that of this version of images, null where it is not ready or the field has none such.",
    schema: { made: "Version" },
  },
  OrgOfList: {
    name: "org",
    in: "query",
    description: "Id of an organization: only its documents, as with a condition on `_meta.org`.",
    schema: { type: "string" },
    when: belonging,
  },
  TeamOfList: {
    name: "team",
    in: "query",
    description: "Id of a team: only its documents, as with a condition on `_meta.team`.",
    schema: { type: "string" },
    when: teams,
  },
  OrgOfCreate: {
    name: "org",
    in: "query",
    description:
      "Id of the organization that the new document belongs to, for good; the caller is its member.",
    schema: { type: "string" },
    when: some(({ organization }) => organization?.required === false),
  },
  RequiredOrgOfCreate: {
    name: "org",
    in: "query",
    required: true,
    description:
      "Id of the organization that the new document belongs to, for good; the caller is its member.",
    schema: { type: "string" },
    when: some(({ organization }) => organization?.required === true),
  },
  TeamOfCreate: {
    name: "team",
    in: "query",
    description: "Id of the organization's team that the new document belongs to; the caller is in it.",
    schema: { type: "string" },
    when: some(({ organization }) => organization?.teams === "optional"),
  },
  RequiredTeamOfCreate: {
    name: "team",
    in: "query",
    required: true,
    description: "Id of the organization's team that the new document belongs to; the caller is in it.",
    schema: { type: "string" },
    when: some(({ organization }) => organization?.teams === "required"),
  },
  OrgOfBatch: {
    name: "org",
    in: "query",
    description: "Id of the organization that all new documents of the batch belong to.",
    schema: { type: "string" },
    when: belonging,
  },
  TeamOfBatch: {
    name: "team",
    in: "query",
    description: "Id of the team that all new documents of the batch belong to.",
    schema: { type: "string" },
    when: teams,
  },
  OrgOfUpdate: {
    name: "org",
    in: "query",
    description: "Id of the document's organization, which it cannot leave: another one is refused.",
    schema: { type: "string" },
  },
  DryRun: {
    name: "dry_run",
    in: "query",
    description: "`true` only counts.",
    schema: { type: "boolean", default: false },
  },
  Purge: {
    name: "purge",
    in: "query",
    description: "`true` removes the document, live or deleted, for good. Needs the `purge` rule.",
    schema: { type: "boolean", default: false },
  },
  Cursor: {
    name: "after",
    in: "query",
    description:
      "`next_cursor` of the previous page, sent with the same `where` and `order_by`. Not together with `skip`; not where an order has arrays, objects or values of several types.",
    schema: { type: "string" },
  },
  Language: {
    name: "language",
    in: "query",
    description:
      "Locale code of the language of `$search`. Else that of the signed-in user, of `Accept-Language` without a credential, or of the text index.",
    schema: { type: "string" },
    examples: { English: { value: "en" }, "Swiss German": { value: "de-CH" } },
    when: searchable,
  },
  GroupLimit: {
    name: "limit",
    in: "query",
    description: "Groups in the answer.",
    schema: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
  },
  TimeZone: {
    name: "tz",
    in: "query",
    description: "IANA time zone in which the periods of `group_by` begin.",
    schema: { type: "string", default: "UTC" },
    examples: { Berlin: { value: "Europe/Berlin" }, "St. John's": { value: "America/St_Johns" } },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      'Go on only if the current version is one of these: `"3"`, a list of them, or `*` for any. Takes an `ETag` as it was returned.',
    schema: { type: "string" },
  },
  IfNoneMatchOfWrite: {
    name: "If-None-Match",
    in: "header",
    description: 'Go on only if the current version is none of these: `"3"`, a list of them, or `*` for any.',
    schema: { type: "string" },
  },
  SignedLink: {
    name: "signed",
    in: "path",
    required: true,
    description: "Of `url` of a file.",
    schema: { type: "string" },
  },
  FileId: { name: "file", in: "path", required: true, schema: { type: "string" } },
  UploadId: { name: "upload", in: "path", required: true, schema: { type: "string" } },
  ImageVersion: {
    name: "version",
    in: "query",
    description: "The image in another size, by the name that the field declares.",
    schema: { made: "Version" },
  },
  ReplaceFile: {
    name: "replace",
    in: "query",
    description: "`true` takes the place of all files that the document has there, in the same write.",
    schema: { type: "boolean", default: false },
  },
  RedirectFile: {
    name: "redirect",
    in: "query",
    description:
      "`true` answers an address of the bucket that the file is in, where it is in one, in place of its bytes.",
    schema: { type: "boolean", default: false },
  },
  FileName: {
    name: "X-Svc-Filename",
    in: "header",
    description:
      "What the file is called: plain, or as RFC 8187 has it (`UTF-8''na%C3%AFve.txt`). `file` when left out.",
    schema: { type: "string" },
  },
  ContentDigest: {
    name: "Content-Digest",
    in: "header",
    description:
      "`sha-256=:<base64>:` (RFC 9530) of the bytes that are sent: of others the upload is refused.",
    schema: { type: "string" },
  },
  TusResumable: {
    name: "Tus-Resumable",
    in: "header",
    required: true,
    description: "The version of the tus protocol; not asked of `GET`.",
    schema: { type: "string", enum: ["1.0.0"] },
  },
  UploadLength: {
    name: "Upload-Length",
    in: "header",
    required: true,
    description: "Bytes of the file. `Upload-Defer-Length` is not supported.",
    schema: { type: "integer", minimum: 0 },
  },
  UploadMetadata: {
    name: "Upload-Metadata",
    in: "header",
    description:
      "Pairs of a key and a value in Base64, such as `filename cGhvdG8uanBn,filetype aW1hZ2UvanBlZw==`; these two are looked at.",
    schema: { type: "string", maxLength: 4_096 },
  },
  UploadOffset: {
    name: "Upload-Offset",
    in: "header",
    required: true,
    description: "Bytes that are there, as `HEAD` tells.",
    schema: { type: "integer", minimum: 0 },
  },
  UploadChecksum: {
    name: "Upload-Checksum",
    in: "header",
    description: "`sha1 <base64>` of the bytes of this request; also by `sha256`, `sha512` and `md5`.",
    schema: { type: "string" },
  },
  Range: {
    name: "Range",
    in: "header",
    description: "`bytes=0-499`: one part of it.",
    schema: { type: "string" },
  },
  IfRange: {
    name: "If-Range",
    in: "header",
    description: "The `ETag` that the other parts had: the whole, where that has changed.",
    schema: { type: "string" },
  },
  OnBehalfOf: {
    name: "X-Svc-On-Behalf-Of",
    in: "header",
    description:
      "Id of the user for whom an API key acts, if it may: the rules apply as to that user, and the key's scopes as well.",
    schema: { type: "string" },
    when: ({ auth }) => auth,
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A repeated request with this key and the same body within 24 hours gets the first one's answer again. Needs a signed-in user or an API key.",
    schema: idempotencyKey,
    when: ({ auth }) => auth,
  },
} satisfies Record<string, Parameter>;
