import type { PlainSchema } from "./schema.ts";

interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: PlainSchema;
}

export type HeaderName = keyof typeof headers;

/** Headers of answers, by the name of their component. */
export const headers = {
  "X-Request-ID": {
    description: "The request's id: the client's own or a generated one.",
    required: true,
    schema: { type: "string" },
  },
  ETag: {
    description:
      "The document's version in quotes, for `If-Match` and `If-None-Match`. Where fields are hidden from the caller, a suffix tells this view from others; where versions of images are not ready, one tells their states.",
    schema: { type: "string" },
  },
  ListETag: {
    description: "A weak tag of this page, for `If-None-Match`.",
    schema: { type: "string" },
  },
  DescriptionETag: {
    description: "Changes with the description.",
    schema: { type: "string" },
  },
  Location: {
    description: "Path of the new document.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
  },
  FileLocation: {
    description: "Path of the new file.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
  },
  FileETag: {
    description: "The SHA-256 of the bytes in quotes, for `If-None-Match` and `If-Range`.",
    required: true,
    schema: { type: "string" },
  },
  AcceptRanges: {
    description: "`bytes`: parts of it can be asked for.",
    required: true,
    schema: { type: "string", enum: ["bytes"] },
  },
  ContentRange: {
    description: "Which part of how many bytes: `bytes 0-499/1234`.",
    required: true,
    schema: { type: "string" },
  },
  UnsatisfiedRange: {
    description: "Of how many bytes there are parts: `bytes */1234`.",
    schema: { type: "string" },
  },
  ContentDisposition: {
    description:
      "The file's name; `attachment` but for images, audio, video, PDF and plain text, which browsers may show.",
    required: true,
    schema: { type: "string" },
  },
  FileAddress: {
    description: "An address that is valid for ten minutes, and needs no credential.",
    required: true,
    schema: { type: "string", format: "uri" },
  },
  TusResumable: {
    description: "The version of the tus protocol.",
    required: true,
    schema: { type: "string", enum: ["1.0.0"] },
  },
  UploadOffset: {
    description: "Bytes that are there.",
    schema: { type: "integer", minimum: 0 },
  },
  UploadLength: {
    description: "Bytes of the file.",
    required: true,
    schema: { type: "integer", minimum: 0 },
  },
  UploadMetadata: {
    description: "As it was sent at the beginning.",
    schema: { type: "string" },
  },
  UploadExpires: {
    description: "When the upload ends by itself; no longer when the document has the file.",
    schema: { type: "string" },
  },
  UploadLocation: {
    description: "Path of the upload.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
  },
  UploadedFile: {
    description: "Path of the file, when the document has it.",
    schema: { type: "string", format: "uri-reference" },
  },
  JobLocation: {
    description: "Path of the job.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
  },
  IdempotentReplayed: {
    description: "Present when this is the remembered answer to an earlier request with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
  PublicCache: {
    description:
      "`public, max-age=<seconds>` for requests without a credential and a cookie, else `private, no-cache`.",
    required: true,
    schema: { type: "string" },
  },
  RetryAfter: {
    description: "Seconds to wait.",
    required: true,
    schema: { type: "integer", minimum: 1 },
  },
  RetryAfterIfKnown: {
    description: "Seconds to wait, where that is known; always with `index_building`.",
    schema: { type: "integer", minimum: 1 },
  },
  ExpandQueries: {
    description: "Queries made to expand references; with `expand`.",
    schema: { type: "integer", minimum: 0 },
  },
  ExpandDocs: {
    description: "Expanded documents in the answer, as often as they occur in it; with `expand`.",
    schema: { type: "integer", minimum: 0 },
  },
  SetCookie: {
    description: "Sets the session's cookie, where it is asked for, or takes it back with the session.",
    schema: { type: "string" },
  },
} satisfies Record<string, Header>;
