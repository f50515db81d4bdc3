/**
 * The rules of the specification that this server keeps, as tests name them: `Concurrency 2`, `Authentication 2, 9`, or
 * the section alone where its sentences have no numbers (`List response: …`). `coverage.test.ts` finds the tests.
 */

export interface Rule {
  /** The heading in the specification, as titles of tests spell it. */
  readonly section: string;
  /** Absent in sections without numbered rules. */
  readonly number?: number;
  readonly text: string;
}

/** Sections with numbered rules: number to what the rule says, in short. */
const numbered: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  Document: {
    1: "_id, _meta and _expanded in bodies are ignored; id too on PUT and PATCH",
    2: "no ownership in realms with auth: disabled; older documents gain only updated_by",
    3: "x-svc-store: date stores a string as a date",
    4: "files are declared in collection settings, not in schema.json, and only with storage",
  },
  "Common request rules": {
    1: "X-Request-ID: taken or generated, returned in the header and in errors",
    2: "Content-Type of POST, PUT and PATCH, else 415",
    3: "the body: at most MAX_BODY_BYTES (413), a single JSON object (400)",
    4: "each query parameter at most once",
    5: "Vary and Cache-Control by class of route, on errors too",
  },
  "Document endpoints": {
    1: "unknown realm, database, collection or id is 404; no upserts",
    2: "create validates: 400 with one detail per failing field",
    3: "create takes an Idempotency-Key; org and team only where collections have them",
    4: "PUT replaces the whole document, keeping id and created_at",
    5: "PATCH merges (RFC 7396); the result is validated",
    6: "DELETE is permanent unless the collection soft-deletes; purge",
    7: "unique index violated: 409 conflict with a detail per field",
    8: "the batch takes an Idempotency-Key too, and org for all its creates",
  },
  "Custom ids": {
    1: "an existing id is 409 id_taken; PUT and PATCH stay update-only",
    2: "id_required, invalid_id, id_not_allowed",
    3: "order: id, create rule with data.id, insert; who is refused is refused for every id",
    4: "429 after duplicate_limit answers in a minute, counted in svc_id_conflicts_total",
    5: "the same in batches",
  },
  "Idempotency-Key": {
    1: "1-200 characters from letters, digits, . _ : -",
    2: "needs a user or API key, and a realm with authentication",
    3: "private to the collection and the caller",
    4: "replay, 422 for another body, 409 while running; only successes are remembered",
  },
  Concurrency: {
    1: "If-Match: versions, lists, *; 412 with the current version; malformed is 400",
    2: "without If-Match three attempts, then 409 write_conflict with nothing applied",
    3: "If-None-Match: 304 when what the caller would receive is unchanged; rules first",
    4: "tags of documents with representation suffix, weak tags of lists",
    5: "public caching of anonymous reads; what the start refuses",
  },
  where: {
    1: "paths in dot notation; several keys and operators are ANDed; a bare value is $eq",
    2: "declared fields and server-owned ones; others are unknown",
    3: "values are checked against the schema's types; null only where allowed; timestamps compare as dates",
    4: "text operators: strings only, all characters literal but % and _; i means case-insensitive",
    5: "$ne, $nin and $eq: null match missing fields, as $isNull does",
    6: "arrays: any element, the whole array in order, properties of objects inside",
    7: "$or and $and: at most 4 levels, limits over all; other $ keys refused; errors name their position",
    8: "400 invalid_query with a detail per problem; paths through references",
  },
  "Cursor paging": {
    1: "next_cursor where has_more; sent as after with the same where and order_by",
    2: "a position that survives edits and deletes; with order_by=id the id itself",
    3: "another order's, made-up, or with skip: 400 on after",
    4: "equal sort values are separated by id",
    5: "only orders over one kind of scalar have cursors",
    6: "where and read rules apply after the cursor; count counts the whole list",
  },
  "Full-text search": {
    1: "needs a text index, else 400 search_not_enabled; what one may declare",
    2: "a top-level key of where; in groups 400 invalid_query",
    3: "words, phrases, exclusions; 256 bytes, 10 terms",
    4: "language: parameter, user's locale, Accept-Language, default; documents by their own",
    5: "_relevance: by score, ties by id, by skip within 1,000 results",
    6: "also in aggregations and with expand; conditional GET",
    7: "422 search_too_expensive, 503 index_building while rebuilt",
  },
  "Reference expansion": {
    1: "entries: name, name(f1,f2), name.nested",
    2: "declared references only, nothing by default",
    3: "_expanded; the document is unchanged",
    4: "only what the caller could read; null, positions, truncation, empty sources",
    5: "400 invalid_expand naming the part; 400 expand_too_large",
    6: "headers tell queries and documents",
    7: "private, never 304, never public; ignored on writes",
  },
  "Organization endpoints": {
    1: "a non-member and an unknown organization: 403 not_org_member; slug_taken, org_limit_reached",
    2: "the last member who can manage the organization stays so: 409 last_org_manager",
    3: "one gives what one could hold, a team as the roles it carries; an open link never manages",
    4: "caps and names of teams: team_limit_reached, team_name_taken",
    5: "invalid_invitation, invitation_not_for_you, invitations_limit; tokens are shown once",
    6: "a required second factor: who may require it, and what sessions without one are",
    7: "effective roles: direct ones and those of teams, read at each request",
  },
  "Errors, note": {
    1: "batch failures abort everything and name the operation's position",
  },
  Authentication: {
    1: "Authorization: Bearer with a session token or an API key",
    2: "auth: disabled checks nothing; API keys bypass the rules",
    3: "scopes, networks and expiry of API keys",
    4: "401 unauthenticated, 401 invalid_credentials, 403 forbidden",
    5: "X-Svc-On-Behalf-Of: a key that may acts for a user; else 400, for a disabled user 403",
    6: "session cookies: opt-in; writes by cookie alone need a listed Origin",
    7: "organization routes need a session; API keys have no memberships",
    8: "sensitive operations need a fresh proof of identity: 401 reauth_required, X-Svc-Reauth",
    9: "anonymous creates record created_by: anonymous",
    10: "administration by role and key: areas, admin: read; nobody grants what they lack",
    11: "rules per operation; an undeclared one denies; restore and purge are not covered by write; helpers",
    13: "sign-up, sign-in, passwords, tokens: api-decisions, Accounts",
  },
  Versioning: {
    1: "client routes are under /v1/, health is outside",
    2: "_meta.version starts at 1, and is what ETag and If-Match hold",
    3: "an OpenAPI 3.1 document per realm",
    4: "a changed schema does not alter stored documents; every write must fit it",
    5: "a changed text index is replaced at the next provisioning",
    6: "/readyz reports the configuration's fingerprint",
  },
};

/** Sections whose sentences have no numbers. */
const named: Readonly<Record<string, string>> = {
  "Hierarchy and naming": "realm, database, collection, document; realm names of at most 54 characters",
  Document: "id, _meta and its members",
  Organization: "its fields, members, teams and team roles; what it is to those who are in it, and to others",
  "Invitation to an organization": "bindings, uses, lifetimes, links and mail; what acceptance grants",
  "List response": "items, limit, skip, has_more, next_cursor, total",
  "List query parameters":
    "where, order_by, limit, skip, after, count, deleted, expand, language; others are 400",
  Aggregation: "groups, buckets and metrics over what the caller may read; invalid_aggregate, too expensive",
  Batch: "up to 100 operations; a result for each, in order",
  "Error envelope": "error with code, message, details and request_id",
  Errors:
    "stable codes with their statuses, those of organizations too; unexpected failures are 500 internal_error",
  References: "declarations are checked at build time, each refusal naming file and reference",
  "States, Document": "live, deleted, restored, purged, expired",
  "States, Organization": "active, orphaned, deleted, reactivated; what becomes of documents",
  "States, idempotency": "none, running, remembered",
  Health: "/healthz and /readyz",
  "Administrator routes":
    "_admin: users, organizations, invitations, keys, secrets, audit, config, jobs and documents past the rules; 404 when off",
  "Audit records": "appended in the transaction of the change; who, what, when, from where; never content",
  Limits: "body size, lists, where, order_by, search, expansion, batches, header values, slugs, invitations",
  Refusals: "configuration.md, What a refusal answers: 401, 403 or 404",
  "Field rules": "configuration.md, collection.yaml: what callers see and set",
};

export const rules: readonly Rule[] = [
  ...Object.entries(numbered).flatMap(([section, texts]) =>
    Object.entries(texts).map(([number, text]) => ({ section, number: Number(number), text })),
  ),
  ...Object.entries(named).map(([section, text]) => ({ section, text })),
];
