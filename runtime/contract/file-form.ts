/** files.md, Routes: a document and its files at once. Collections with fields of files have it. */
import { contract } from "./contract.ts";
import { createErrors } from "./document-errors.ts";
import { createDocument, type RouteOfRules } from "./documents.ts";
import { claimedTypes, fileBytes, takesImages } from "./files.ts";
import { named } from "./schema.ts";
import { ofCollection } from "./traits.ts";

export const createWithFiles = contract({
  id: "create{stem}DocumentWithFiles",
  method: "POST",
  path: `${createDocument.path}/_form`,
  who: createDocument.who,
  query: createDocument.query,
  headers: createDocument.headers,
  body: {
    schema: named("DocumentForm", { type: "object" }),
    shown: named(
      "{stem}Form",
      ofCollection(({ files = [] }) => ({
        type: "object",
        required: ["document", ...files.filter(({ required }) => required).map(({ name }) => name)],
        properties: {
          ...Object.fromEntries(
            files.map(({ name, maxFiles }) => [
              name,
              maxFiles === 1 ? fileBytes : { type: "array", items: fileBytes, maxItems: maxFiles },
            ]),
          ),
          document: { made: "Create" },
        },
        additionalProperties: false,
      })),
    ),
    media: "form",
    parts: ofCollection(({ files = [] }) =>
      Object.fromEntries(files.map((field) => [field.name, claimedTypes(field)])),
    ),
  },
  answers: createDocument.answers,
  errors: ofCollection((collection, realm) => [
    ...createErrors(realm, collection),
    ...(["write_conflict", "too_many_files", "quota_exceeded", "unsupported_file_type"] as const),
    ...(["invalid_json", "validation_error", "unsupported_media_type", "storage_unavailable"] as const),
    ...(collection.files?.some(takesImages) ? (["invalid_image"] as const) : []),
    ...(collection.files?.some(({ upload }) => upload === "direct" || upload === "resumable")
      ? (["upload_mode_mismatch"] as const)
      : []),
  ]),
  tag: createDocument.tag,
  summary: "Create a document in {collection} with its files",
  about:
    "The part `document` is the document, as JSON; parts with a filename are files, of the field that they are named after. All of it is stored, or nothing.",
  of: ({ files = [] }) => files.length > 0,
});

/** Of each collection, beside {@link documents}. */
export const formContracts: readonly RouteOfRules[] = [createWithFiles];
