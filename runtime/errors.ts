/** One entry of `error.details`. */
export interface Detail {
  readonly path: string;
  readonly reason: string;
}

/**
 * Codes of `spec: Errors` that this server answers, with their status; beside them `bad_request`, `request_timeout` and
 * `request_header_fields_too_large` for what is no HTTP request.
 */
export const errorStatus = {
  bad_request: 400,
  invalid_json: 400,
  validation_error: 400,
  invalid_header: 400,
  id_required: 400,
  invalid_id: 400,
  id_not_allowed: 400,
  invalid_query: 400,
  search_not_enabled: 400,
  invalid_expand: 400,
  expand_too_large: 400,
  invalid_aggregate: 400,
  aggregate_not_enabled: 400,
  org_required: 400,
  org_not_allowed: 400,
  team_required: 400,
  team_not_allowed: 400,
  immutable_field: 400,
  invalid_invitation: 400,
  invalid_token: 400,
  realtime_not_enabled: 400,
  too_many_subscriptions: 400,
  invalid_resume_token: 400,
  unauthenticated: 401,
  invalid_credentials: 401,
  mfa_required: 401,
  reauth_required: 401,
  forbidden: 403,
  not_org_member: 403,
  org_requires_mfa: 403,
  invitation_not_for_you: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  id_taken: 409,
  write_conflict: 409,
  email_taken: 409,
  slug_taken: 409,
  org_limit_reached: 409,
  last_org_manager: 409,
  team_limit_reached: 409,
  team_name_taken: 409,
  invitations_limit: 409,
  request_in_progress: 409,
  version_mismatch: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  idempotency_key_reused: 422,
  search_too_expensive: 422,
  aggregate_too_expensive: 422,
  too_many_requests: 429,
  request_header_fields_too_large: 431,
  internal_error: 500,
  index_building: 503,
  realtime_unavailable: 503,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

export interface ApiErrorOptions {
  readonly details?: readonly Detail[];
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** The only error that clients see the content of; everything else answers `internal_error`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    const status = errorStatus[code];
    const { stackTraceLimit } = Error;
    // Refusals are expected, and nobody sees where they were made: a stack trace would cost more than all the rest of one.
    if (status < 500) Error.stackTraceLimit = 0;
    super(message, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.details = options.details ?? [];
    this.headers = options.headers ?? {};
  }
}
