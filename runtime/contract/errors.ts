import type { ErrorCode } from "../errors.ts";
import { named } from "./schema.ts";

/** A code that an operation can answer. */
export type OperationError = keyof typeof meanings;

/** What an error says of one place. */
export const errorDetail = named("ErrorDetail", {
  type: "object",
  required: ["path", "reason"],
  properties: {
    path: { type: "string", description: "Dotted path of the field, parameter or batch operation." },
    reason: { type: "string" },
  },
});

/** spec: Errors, as far as operations answer them, in the words of OpenAPI documents. */
export const meanings = {
  invalid_json: "the body is not a single valid JSON object.",
  validation_error: "the body does not fit its schema; one detail per path.",
  invalid_header: "a header is malformed, or not possible here.",
  realtime_not_enabled: "the collection cannot be followed.",
  too_many_subscriptions: "a stream has fewer subscriptions; open another.",
  invalid_resume_token:
    "the resume token is malformed, of another realm or caller, or signed by a key that is no longer used.",
  id_required: "this collection needs an `id` on create.",
  invalid_id: "the `id` is not one that this collection, or this caller, may use.",
  id_not_allowed: "this collection makes ids itself.",
  invalid_query: "a query parameter is unknown, repeated or malformed.",
  search_not_enabled: "`$search` in a collection without a text index.",
  invalid_expand: "`expand` names what cannot be expanded, or is malformed.",
  expand_too_large:
    "the answer would hold more expanded documents than are allowed; expand less, or a smaller page.",
  invalid_aggregate:
    "a parameter of the aggregation is malformed or names what is not declared; one detail per problem.",
  org_required: "documents here belong to an organization; name it.",
  org_not_allowed: "documents here belong to no organization; leave `org` out.",
  team_required: "documents here belong to a team; name it.",
  team_not_allowed: "documents here belong to no team; leave `team` out.",
  immutable_field: "the document belongs to another organization than the one named, and stays there.",
  idempotency_key_required: "the function needs an `Idempotency-Key`.",
  invalid_invitation: "the invitation is unknown, expired, revoked, used up, or for another address.",
  invalid_token: "the token is unknown, expired or used up.",
  unauthenticated: "the credential is missing, unknown, expired or revoked.",
  invalid_credentials: "wrong e-mail address, password or code.",
  mfa_required: "the account has a second factor; send its `code`.",
  reauth_required: "a fresh proof of identity is needed.",
  forbidden: "the caller may not do this.",
  not_org_member: "the caller is no member of such an organization.",
  org_requires_mfa: "the organization requires a session with a second factor.",
  invitation_not_for_you:
    "the invitation is for somebody else, or for an address that the caller has not verified.",
  invalid_file_link: "the link has ended, was changed, or was signed by a key that is no longer used.",
  not_found: "there is nothing here, or nothing that the caller may see.",
  conflict:
    "a unique index is violated, with one detail per field of it; or what is there does not allow it.",
  id_taken: "a document with this `id` exists.",
  write_conflict: "other writes came first three times; nothing was changed.",
  email_taken: "this address is registered.",
  slug_taken: "another organization has this slug.",
  org_limit_reached: "the caller has created as many organizations as they may.",
  last_org_manager: "nobody else could manage the organization.",
  team_limit_reached: "the organization has, or the member is in, as many teams as may be.",
  team_name_taken: "another team of the organization has this name.",
  invitations_limit: "as many invitations of the organization are pending as may be.",
  too_many_files: "the document has as many files there as it may; remove one, or send `replace=true`.",
  upload_mode_mismatch: "a file of this size is uploaded in another way here.",
  upload_offset_mismatch: "the upload stands elsewhere; ask `HEAD` where, and go on from there.",
  file_not_uploaded: "the file has not been uploaded to the address that it was given.",
  file_missing: "the document names the file, and its bytes are gone from the storage.",
  version_unavailable: "the image has no such version, or it is not ready.",
  request_in_progress: "the first request with this idempotency key is still running.",
  unsupported_tus_version: "`Tus-Resumable` is not `1.0.0`.",
  version_mismatch: "`If-Match` differs from the current version, or `If-None-Match` names it.",
  payload_too_large: "the body is larger than this server allows.",
  quota_exceeded: "the realm's or the organization's files take up all that they may.",
  unsupported_file_type: "what the bytes are is not accepted here, or is not what was said of them.",
  range_not_satisfiable: "the range begins behind the last byte.",
  invalid_image: "the image cannot be read, or has more pixels than are read.",
  upload_locked:
    "another request adds to the upload, or its file is being stored; ask `HEAD` where it stands, and go on from there.",
  checksum_mismatch: "the bytes that came are not those of `Upload-Checksum`; none of them was kept.",
  upload_mismatch: "what was sent has not the digest, or the size, that was said of it.",
  unsupported_media_type:
    "the content type is not the one that this route takes, or the body has a content encoding.",
  idempotency_key_reused: "this idempotency key came with another body before.",
  search_too_expensive: "the search took too long; narrow it.",
  aggregate_too_expensive:
    "the aggregation took too long, or has too many groups or distinct values; narrow it.",
  too_many_requests: "wait as long as `Retry-After` says.",
  internal_error: "an unexpected failure; the server's log has it under the request id.",
  function_failed: "the function failed; the server's log has it under the request id.",
  invalid_output: "the function returned what it must not.",
  secret_missing: "the function lacks a secret that it declares.",
  index_building: "the text index is being built anew; wait as long as `Retry-After` says.",
  storage_unavailable: "the file storage cannot be reached, or the server lacks the keys that links need.",
  realtime_unavailable: "this server has no streams, or is about to stop.",
  unavailable: "the server is not ready, busy beyond its limits, or the query took too long.",
  function_timeout: "the function did not finish in its time.",
} satisfies Partial<Record<ErrorCode, string>>;
