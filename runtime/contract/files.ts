/** files.md, Routes: files of documents. Each field of `files` in collection.yaml has these. */
import { comesBy, mostProxied } from "../realm/files.ts";
import { printSize } from "../units.ts";
import { contract } from "./contract.ts";
import { conditions, type RouteOfRules } from "./documents.ts";
import { closed, id, named, timestamp } from "./schema.ts";
import { type FileTraits, ofFile } from "./traits.ts";

const tag = "{database}/{collection}";
const all = "/{database}/{collection}/{id}/_files/{field}";
const one = `${all}/{file}` as const;
const uploads = `${all}/_uploads` as const;

const reads = { kind: "ruled", to: "see", by: [["read"]] } as const;
const updates = { kind: "ruled", to: "change", by: [["read", "update"]] } as const;

/** What stands in documents under the name of a file field, and what uploads answer. */
export const fileObject = named(
  "FileObject",
  closed(
    {
      id,
      name: { type: "string", maxLength: 255 },
      type: { type: "string", description: "Media type, by what the bytes are." },
      size: { type: "integer", minimum: 0, description: "Bytes." },
      sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
      width: { type: "integer", minimum: 1, description: "Pixels; of images." },
      height: { type: "integer", minimum: 1, description: "Pixels; of images." },
      versions: {
        type: "object",
        description: "By name, where the field has versions.",
        additionalProperties: { type: "string", enum: ["ready", "pending", "failed"] },
      },
      created_at: timestamp,
      created_by: {
        type: "string",
        description: "Who uploaded it: `user:<id>`, `key:<name>` or `anonymous`.",
        when: ({ auth }) => auth,
      },
      url: {
        type: ["string", "null"],
        description: "Only with `file_links=true`; null of a version that is not ready.",
      },
    },
    ["id", "name", "type", "size", "sha256", "created_at"],
  ),
);

export const fileBytes = named("FileBytes", { description: "The bytes of a file, as they are." });

/** A file as HTML forms send it. */
const fileForm = named("FileForm", {
  type: "object",
  description:
    "One part is the file, with its `filename` and `Content-Type`, whatever the field is called; parts without a filename are not looked at.",
  required: ["file"],
  properties: { file: fileBytes },
});

/** Whether images are among what the field takes, whose content is looked at. */
export function takesImages({ accept }: Pick<FileTraits, "accept">): boolean {
  return accept.some((type) => type === "*/*" || type.startsWith("image/"));
}

/**
 * Media types that an upload into a field may claim. Where there are several, `application/octet-stream` comes first:
 * it claims nothing, so that a client that sends the first one it finds is right whatever the file is.
 */
export function claimedTypes({ accept }: Pick<FileTraits, "accept">): readonly string[] {
  const [only] = accept;
  return accept.length === 1 && only !== undefined && !only.includes("*") ? [only] : [unclaimed, ...accept];
}

const unclaimed = "application/octet-stream";

function taken(field: FileTraits): string {
  const { accept, maxFiles } = field;
  const types = accept.includes("*/*") ? "Files of any type" : `Files of ${accept.join(", ")}`;
  const count = maxFiles === 1 ? "one in each document" : `${maxFiles} in each document`;
  return `${types}, of at most ${printSize(mostProxied(field))}, ${count}.`;
}

export const uploadFile = contract({
  id: "upload{stem}",
  method: "POST",
  path: all,
  who: updates,
  query: ["ReplaceFile"],
  headers: [...conditions, "FileName", "ContentDigest"],
  body: {
    schema: fileBytes,
    media: "any",
    types: ofFile(claimedTypes),
    form: fileForm,
    parts: ofFile((file) => ({ file: claimedTypes(file) })),
  },
  answers: {
    201: {
      name: "FileUploaded",
      description: "The file, as the document has it now.",
      schema: fileObject,
      headers: { ETag: "ETag", Location: "FileLocation" },
    },
  },
  errors: ofFile((file) => [
    ...(["not_found", "write_conflict", "version_mismatch", "too_many_files"] as const),
    ...(["quota_exceeded", "unsupported_file_type", "upload_mismatch", "storage_unavailable"] as const),
    ...(["validation_error", "unsupported_media_type"] as const),
    ...(takesImages(file) ? (["invalid_image"] as const) : []),
    ...(comesBy(file, "proxy") ? [] : (["upload_mode_mismatch"] as const)),
  ]),
  tag,
  summary: "Upload a file into {field} of a document of {collection}",
  about: ofFile(
    (file) => `${taken(file)} The body is the file, or a form with one; its type is judged by its bytes.`,
  ),
});

/** Whether files may come past the routes that take them as bodies. */
export const isDirect = (field: Pick<FileTraits, "upload">): boolean => comesBy(field, "direct");

export const startUpload = contract({
  id: "start{stem}Upload",
  method: "POST",
  path: uploads,
  who: updates,
  query: ["ReplaceFile"],
  headers: conditions,
  body: {
    schema: named(
      "FileToUpload",
      closed({
        name: { type: "string", description: "What the file is called.", minLength: 1, maxLength: 4_096 },
        type: {
          type: "string",
          description: "Media type, as `Content-Type` of a proxied upload.",
          pattern: "^[A-Za-z0-9!#$&^_.+-]{1,127}/[A-Za-z0-9!#$&^_.+-]{1,127}(?:[ \\t]*;[ -~]*)?$",
          maxLength: 512,
          told: "must be a media type such as image/png",
        },
        size: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Bytes." },
        sha256: {
          type: "string",
          pattern: "^[0-9a-f]{64}$",
          told: "must be 64 hexadecimal digits in lower case",
        },
      }),
    ),
    media: "json",
  },
  answers: {
    201: {
      name: "FileUpload",
      description: "Where to send the bytes. Then the upload is completed.",
      schema: named(
        "FileUpload",
        closed({
          upload: id,
          method: { type: "string", enum: ["PUT"] },
          url: {
            type: "string",
            format: "uri-reference",
            description: "A path of this server, or an address of the bucket.",
          },
          headers: {
            type: "object",
            description: "To be sent along with the bytes, and no credential.",
            additionalProperties: { type: "string" },
          },
          expires_at: timestamp,
        }),
      ),
    },
  },
  errors: [
    ...(["not_found", "write_conflict", "version_mismatch", "too_many_files", "quota_exceeded"] as const),
    ...([
      "too_many_requests",
      "unsupported_file_type",
      "upload_mode_mismatch",
      "storage_unavailable",
    ] as const),
  ],
  useful: ({ file }) => file !== undefined && isDirect(file),
  tag,
  summary: "Begin an upload past the server into {field} of a document of {collection}",
  about: ofFile(
    ({ maxSize }) =>
      `Of at most ${printSize(maxSize)}. The address is valid for 15 minutes, by when the bytes have to be on their way.`,
  ),
});

export const completeUpload = contract({
  id: "complete{stem}Upload",
  method: "POST",
  path: `${uploads}/{upload}/complete`,
  who: updates,
  headers: conditions,
  answers: uploadFile.answers,
  errors: ofFile((file) => [
    ...(["not_found", "write_conflict", "version_mismatch", "too_many_files"] as const),
    ...(["quota_exceeded", "unsupported_file_type", "file_not_uploaded", "upload_mismatch"] as const),
    ...(["storage_unavailable"] as const),
    ...(takesImages(file) ? (["invalid_image"] as const) : []),
  ]),
  useful: ({ file }) => file !== undefined && isDirect(file),
  tag,
  summary: "Complete an upload into {field} of a document of {collection}",
  about:
    "Judges what was sent: its size, SHA-256 and type. Of what differs nothing is left. By whoever began it; once more it is answered the same.",
});

const tagged = {
  ETag: "FileETag",
  "Accept-Ranges": "AcceptRanges",
  "Content-Disposition": "ContentDisposition",
} as const;

/** What answers of bytes have in common. */
export const download = {
  headers: ["Range", "IfRange", "IfNoneMatch"],
  answers: {
    200: { name: "FileBytes", description: "The file.", schema: fileBytes, media: "*/*", headers: tagged },
    206: {
      name: "FilePart",
      description: "The part of it that `Range` asks for.",
      schema: fileBytes,
      media: "*/*",
      headers: { ...tagged, "Content-Range": "ContentRange" },
    },
    304: { name: "FileNotModified", description: "The client has it.", headers: { ETag: "FileETag" } },
  },
} as const;

export const downloadErrors = [
  "not_found",
  "version_unavailable",
  "file_missing",
  "range_not_satisfiable",
  "storage_unavailable",
] as const;

export const downloadFile = contract({
  ...download,
  id: "download{stem}",
  method: "GET",
  path: one,
  who: reads,
  query: ["ImageVersion", "RedirectFile"],
  answers: {
    ...download.answers,
    302: {
      name: "FileElsewhere",
      description: "With `redirect=true`, of files in a bucket: where the file is for ten minutes.",
      headers: { Location: "FileAddress" },
    },
  },
  errors: downloadErrors,
  tag,
  summary: "Download a file of {field} of a document of {collection}",
  about:
    "For who may read the document and the field. A version of an image that is not ready is made, where that can be done.",
});

export const removeFile = contract({
  id: "remove{stem}",
  method: "DELETE",
  path: one,
  who: updates,
  headers: conditions,
  answers: { 204: { name: "FileRemoved", description: "Removed.", headers: { ETag: "ETag" } } },
  errors: ofFile(({ required }) => [
    ...(["not_found", "write_conflict", "version_mismatch"] as const),
    ...(required ? (["validation_error"] as const) : []),
  ]),
  tag,
  summary: "Remove a file from {field} of a document of {collection}",
  about: "The document is another version then. The bytes go where no other document names them.",
});

/** Of each field, beside those of resumable uploads. */
export const transferContracts: readonly RouteOfRules[] = [
  uploadFile,
  startUpload,
  completeUpload,
  downloadFile,
  removeFile,
];
