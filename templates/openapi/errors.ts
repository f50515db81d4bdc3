import type { OpenAPIV3_1 } from "openapi-types";
import { type ErrorCode, errorStatus } from "../../runtime/errors.ts";
import { kept } from "../../runtime/kept.ts";
import { pascalCase } from "../print/names.ts";
import type { HeaderName } from "./headers.ts";
import type { Named } from "./named.ts";
import type { Ref, SchemaPool } from "./schemas/pool.ts";
import type { Shared } from "./shared.ts";

type Response = OpenAPIV3_1.ResponseObject;

/** By status. */
type Responses = Readonly<Record<string, Ref>>;

/** The error responses of operations: one component for every set of codes that some operation answers with a status. */
export class ErrorResponses {
  readonly #responses: Named<Response>;
  readonly #headers: Shared<OpenAPIV3_1.HeaderObject, HeaderName>;
  readonly #envelope: Ref;
  /** By codes, in the order that they were asked for: most operations answer what others do. */
  readonly #known = new Map<string, Responses>();
  /** The schema of what an error says of one place. */
  readonly detail: Ref;

  constructor(
    schemas: SchemaPool,
    headers: Shared<OpenAPIV3_1.HeaderObject, HeaderName>,
    responses: Named<Response>,
  ) {
    this.#headers = headers;
    this.#responses = responses;
    this.detail = schemas.add("ErrorDetail", {
      type: "object",
      required: ["path", "reason"],
      properties: {
        path: { type: "string", description: "Dotted path of the field, parameter or batch operation." },
        reason: { type: "string" },
      },
    });
    this.#envelope = schemas.add("Error", {
      type: "object",
      required: ["error"],
      properties: {
        error: {
          type: "object",
          required: ["code", "message", "request_id"],
          properties: {
            code: { type: "string", description: "Stable, for programs." },
            message: { type: "string", description: "For people." },
            details: { type: "array", items: this.detail, minItems: 1 },
            request_id: { type: "string" },
          },
        },
      },
    });
  }

  /** Responses by status for the codes that an operation answers. */
  of(codes: readonly OperationError[]): Responses {
    return kept(this.#known, codes.join(), () => this.#make(codes));
  }

  #make(codes: readonly OperationError[]): Responses {
    const byStatus = new Map<number, OperationError[]>();
    for (const code of [...new Set(codes)].sort()) {
      byStatus.set(errorStatus[code], [...(byStatus.get(errorStatus[code]) ?? []), code]);
    }
    return Object.fromEntries(
      [...byStatus].map(([status, some]) => [
        String(status),
        this.#responses.add(nameOf(some), this.#response(some)),
      ]),
    );
  }

  #response(codes: readonly OperationError[]): Response {
    const status = codes[0] === undefined ? 500 : errorStatus[codes[0]];
    return {
      description: codes.map((code) => `\`${code}\`: ${meaning[code]}`).join("\n\n"),
      headers: {
        "X-Request-ID": this.#headers.use("X-Request-ID"),
        ...(status === 412 && { ETag: this.#headers.use("ETag") }),
        ...(status === 429 && { "Retry-After": this.#headers.use("RetryAfter") }),
        ...(status === 503 && { "Retry-After": this.#headers.use("RetryAfterIfKnown") }),
      },
      content: {
        "application/json": {
          schema: {
            allOf: [
              this.#envelope,
              {
                type: "object",
                required: ["error"],
                properties: {
                  error: {
                    type: "object",
                    required: ["code"],
                    properties: { code: { type: "string", enum: [...codes] } },
                  },
                },
              },
            ],
          },
        },
      },
    };
  }
}

/** What many operations answer together has one name. */
const groups: readonly (readonly [name: string, codes: readonly OperationError[]])[] = [
  [
    "BadCreate",
    [
      "invalid_header",
      "invalid_json",
      "invalid_query",
      "org_not_allowed",
      "team_not_allowed",
      "validation_error",
    ],
  ],
  ["BadBody", ["invalid_header", "invalid_json", "invalid_query", "validation_error"]],
  ["BadRequest", ["invalid_header", "invalid_query"]],
];

/** Of the response with these codes: `BadRequestOrInvalidExpand`. */
function nameOf(codes: readonly OperationError[]): string {
  const [group, together] = groups.find(([, some]) => some.every((code) => codes.includes(code))) ?? [];
  const others = codes.filter((code) => !together?.includes(code)).map(pascalCase);
  return [...(group === undefined ? [] : [group]), ...others].join("Or");
}

/** A code that an operation of the document can answer. */
export type OperationError = keyof typeof meaning;

/** spec: Errors, as far as operations of the document answer them. */
const meaning = {
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
  request_in_progress: "the first request with this idempotency key is still running.",
  version_mismatch: "`If-Match` differs from the current version, or `If-None-Match` names it.",
  payload_too_large: "the body is larger than this server allows.",
  unsupported_media_type:
    "the content type is not the one that this route takes, or the body has a content encoding.",
  idempotency_key_reused: "this idempotency key came with another body before.",
  search_too_expensive: "the search took too long; narrow it.",
  aggregate_too_expensive:
    "the aggregation took too long, or has too many groups or distinct values; narrow it.",
  too_many_requests: "wait as long as `Retry-After` says.",
  internal_error: "an unexpected failure; the server's log has it under the request id.",
  index_building: "the text index is being built anew; wait as long as `Retry-After` says.",
  realtime_unavailable: "this server has no streams, or is about to stop.",
  unavailable: "the server is not ready, busy beyond its limits, or the query took too long.",
} satisfies Partial<Record<ErrorCode, string>>;
