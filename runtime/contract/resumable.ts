/** files.md, Routes: uploads that come in pieces, by the tus protocol 1.0. Fields with `upload: resumable` or `any` have them. */
import { comesBy } from "../realm/files.ts";
import { printSize } from "../units.ts";
import { contract } from "./contract.ts";
import { conditions, type RouteOfRules } from "./documents.ts";
import { fileObject, takesImages } from "./files.ts";
import { closed, id, named, timestamp } from "./schema.ts";
import { ofFile, type RealmTraits } from "./traits.ts";

const tag = "{database}/{collection}";
const all = "/{database}/{collection}/{id}/_files/{field}/_tus";
const one = `${all}/{upload}` as const;

const updates = { kind: "ruled", to: "change", by: [["read", "update"]] } as const;

const useful = ({ file }: RealmTraits): boolean => file !== undefined && comesBy(file, "resumable");

/** Of the last bytes: the file is stored then. */
const ofFiles = [
  ...(["not_found", "write_conflict", "version_mismatch", "too_many_files", "quota_exceeded"] as const),
  ...(["unsupported_file_type", "unsupported_media_type", "storage_unavailable"] as const),
  ...(["unsupported_tus_version", "upload_locked", "checksum_mismatch"] as const),
] as const;

const images = ofFile((file) => (takesImages(file) ? (["invalid_image"] as const) : []));

const piece = named("FilePiece", { description: "Bytes of a file, from `Upload-Offset` on." });

const stands = {
  "Tus-Resumable": "TusResumable",
  "Upload-Offset": "UploadOffset",
  "Upload-Expires": "UploadExpires",
  "X-Svc-File": "UploadedFile",
} as const;

export const startResumableUpload = contract({
  id: "start{stem}ResumableUpload",
  method: "POST",
  path: all,
  who: updates,
  query: ["ReplaceFile"],
  headers: [...conditions, "TusResumable", "UploadLength", "UploadMetadata", "UploadChecksum"],
  body: { schema: piece, media: "tus", optional: true },
  answers: {
    201: {
      name: "ResumableUploadStarted",
      description:
        "Where the bytes go. Those that came along are there; if all of them did, the file is, too.",
      headers: { ...stands, Location: "UploadLocation", ETag: "ETag" },
    },
  },
  errors: (traits) => [...ofFiles, "upload_mode_mismatch", ...images(traits)],
  useful,
  tag,
  summary: "Begin a resumable upload into {field} of a document of {collection}",
  about: ofFile(
    ({ maxSize }) =>
      `By the tus protocol 1.0 (tus.io), of at most ${printSize(maxSize)}. Any client of the protocol does all of this by itself.`,
  ),
});

export const getResumableUpload = contract({
  id: "get{stem}ResumableUpload",
  method: "GET",
  path: one,
  who: updates,
  headers: ["TusResumable"],
  answers: {
    200: {
      name: "ResumableUpload",
      description: "Where it stands.",
      schema: named(
        "ResumableUpload",
        closed(
          {
            upload: id,
            size: { type: "integer", minimum: 0, description: "Bytes of the file." },
            offset: {
              type: "integer",
              minimum: 0,
              description: "Bytes that are there: all, when the document has the file.",
            },
            expires_at: timestamp,
            file: fileObject,
          },
          ["upload", "size", "offset", "expires_at"],
        ),
      ),
      headers: {
        ...stands,
        "Upload-Length": "UploadLength",
        "Upload-Metadata": "UploadMetadata",
        ETag: "ETag",
      },
    },
  },
  errors: ["not_found", "unsupported_tus_version", "upload_locked", "storage_unavailable"],
  useful,
  tag,
  summary: "See where a resumable upload into {field} of a document of {collection} stands",
  about:
    "By whoever began it. `HEAD`, as the protocol has it, ends a request that still adds to the upload: what it told stays so.",
});

export const addToResumableUpload = contract({
  id: "continue{stem}ResumableUpload",
  method: "PATCH",
  path: one,
  who: updates,
  headers: [...conditions, "TusResumable", "UploadOffset", "UploadChecksum"],
  body: { schema: piece, media: "tus" },
  answers: {
    204: {
      name: "ResumableUploadContinued",
      description: "The bytes are there. With the last of them the document has the file.",
      headers: { ...stands, ETag: "ETag" },
    },
  },
  errors: (traits) => [...ofFiles, "upload_offset_mismatch", ...images(traits)],
  useful,
  tag,
  summary: "Send bytes of a resumable upload into {field} of a document of {collection}",
  about:
    "By whoever began it. Of what breaks off, what has come is kept, unless `Upload-Checksum` was said of it. The last bytes are there when the document has the file, and not before.",
});

export const cancelResumableUpload = contract({
  id: "cancel{stem}ResumableUpload",
  method: "DELETE",
  path: one,
  who: updates,
  headers: ["TusResumable"],
  answers: {
    204: {
      name: "ResumableUploadCancelled",
      description: "The upload is over. A file that has come of it stays.",
      headers: { "Tus-Resumable": "TusResumable" },
    },
  },
  errors: ["not_found", "unsupported_tus_version", "upload_locked"],
  useful,
  tag,
  summary: "Cancel a resumable upload into {field} of a document of {collection}",
  about: "By whoever began it.",
});

/** Of each field, in the order of OpenAPI documents. */
export const resumableContracts: readonly RouteOfRules[] = [
  startResumableUpload,
  getResumableUpload,
  addToResumableUpload,
  cancelResumableUpload,
];
