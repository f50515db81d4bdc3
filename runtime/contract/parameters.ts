import type { JsonValue } from "../json.ts";
import type { PlainSchema } from "./schema.ts";
import type { RealmTraits } from "./traits.ts";

/** A parameter that routes share, under the name of its component in OpenAPI documents. */
export interface Parameter {
  /** In requests. */
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description?: string;
  readonly schema: PlainSchema;
  readonly examples?: Readonly<Record<string, { readonly value: JsonValue }>>;
  /** Realms in which it can say anything; absent: all. */
  readonly when?: (traits: RealmTraits) => boolean;
}

export type ParameterName = keyof typeof parameters;

/** Of lists outside documents. */
export const paging = ["Limit", "After"] as const satisfies readonly ParameterName[];

/** The components of what stands in braces in paths. */
export const pathParameters = {
  id: "Id",
  name: "SecretName",
  org: "Organization",
  team: "Team",
  user: "Member",
} as const satisfies Record<string, ParameterName>;

/** The definition of a parameter. */
export function parameter(name: ParameterName): Parameter {
  return parameters[name];
}

export const parameters = {
  Id: {
    name: "id",
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  Limit: {
    name: "limit",
    in: "query",
    description: "Entries on a page.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
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
  },
  OrgOfList: {
    name: "org",
    in: "query",
    description: "Id of an organization: only its documents, as with a condition on `_meta.org`.",
    schema: { type: "string" },
  },
  TeamOfList: {
    name: "team",
    in: "query",
    description: "Id of a team: only its documents, as with a condition on `_meta.team`.",
    schema: { type: "string" },
  },
  OrgOfCreate: {
    name: "org",
    in: "query",
    description:
      "Id of the organization that the new document belongs to, for good; the caller is its member.",
    schema: { type: "string" },
  },
  RequiredOrgOfCreate: {
    name: "org",
    in: "query",
    required: true,
    description:
      "Id of the organization that the new document belongs to, for good; the caller is its member.",
    schema: { type: "string" },
  },
  TeamOfCreate: {
    name: "team",
    in: "query",
    description: "Id of the organization's team that the new document belongs to; the caller is in it.",
    schema: { type: "string" },
  },
  RequiredTeamOfCreate: {
    name: "team",
    in: "query",
    required: true,
    description: "Id of the organization's team that the new document belongs to; the caller is in it.",
    schema: { type: "string" },
  },
  OrgOfBatch: {
    name: "org",
    in: "query",
    description: "Id of the organization that all new documents of the batch belong to.",
    schema: { type: "string" },
  },
  TeamOfBatch: {
    name: "team",
    in: "query",
    description: "Id of the team that all new documents of the batch belong to.",
    schema: { type: "string" },
  },
  OrgOfUpdate: {
    name: "org",
    in: "query",
    description: "Id of the document's organization, which it cannot leave: another one is refused.",
    schema: { type: "string" },
  },
  ResumeFrom: {
    name: "resume_from",
    in: "query",
    description: "The last resume token: the stream goes on from there. It wins over `Last-Event-ID`.",
    schema: { type: "string" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "As `resume_from`.",
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
  After: {
    name: "after",
    in: "query",
    description: "`next_cursor` of the previous page.",
    schema: { type: "string" },
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
  UserQuery: {
    name: "q",
    in: "query",
    description: "Part of the e-mail address.",
    schema: { type: "string" },
  },
  UserRole: {
    name: "role",
    in: "query",
    description: "Users with this role.",
    schema: { type: "string", realm: "role" },
    when: ({ roles }) => roles.length > 0,
  },
  UserStatus: { name: "status", in: "query", schema: { type: "string", enum: ["active", "disabled"] } },
  Organization: {
    name: "org",
    in: "path",
    required: true,
    description: "Id of the organization.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  Team: {
    name: "team",
    in: "path",
    required: true,
    description: "Id of a team of the organization.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  Member: {
    name: "user",
    in: "path",
    required: true,
    description: "Id of the user.",
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  TeamRole: {
    name: "role",
    in: "query",
    description: "Only those who hold this role in the team.",
    schema: { type: "string", realm: "teamRole" },
    when: ({ organizations }) => (organizations?.teamRoles.length ?? 0) > 0,
  },
  OrganizationQuery: {
    name: "q",
    in: "query",
    description: "Part of the name or slug, in upper or lower case.",
    schema: { type: "string" },
  },
  OrganizationStatus: {
    name: "status",
    in: "query",
    schema: { type: "string", enum: ["active", "orphaned", "deleted"] },
  },
  JobStatus: {
    name: "status",
    in: "query",
    schema: { type: "string", enum: ["queued", "running", "succeeded", "failed", "cancelled"] },
  },
  AuditAction: {
    name: "action",
    in: "query",
    description: "Records of this action, such as `user.roles`.",
    schema: { type: "string" },
  },
  AuditActor: {
    name: "actor",
    in: "query",
    description: "Records of what they did: `user:<id>`, `key:<name>`.",
    schema: { type: "string" },
  },
  AuditFrom: {
    name: "from",
    in: "query",
    description: "Records from this instant on.",
    schema: { type: "string", format: "date-time" },
  },
  AuditTo: {
    name: "to",
    in: "query",
    description: "Records before this instant.",
    schema: { type: "string", format: "date-time" },
  },
  SecretName: {
    name: "name",
    in: "path",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_]{0,62}$" },
  },
  RequestId: {
    name: "X-Request-ID",
    in: "header",
    description: "Returned in the answer and in logs; one that does not fit is replaced.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,128}$" },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description:
      'Go on only if the current version is one of these: `"3"`, a list of them, or `*` for any. Takes an `ETag` as it was returned.',
    schema: { type: "string" },
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "Tags of what the client has; 304 if it would receive the same again.",
    schema: { type: "string" },
  },
  IfNoneMatchOfWrite: {
    name: "If-None-Match",
    in: "header",
    description: 'Go on only if the current version is none of these: `"3"`, a list of them, or `*` for any.',
    schema: { type: "string" },
  },
  OnBehalfOf: {
    name: "X-Svc-On-Behalf-Of",
    in: "header",
    description:
      "Id of the user for whom an API key acts, if it may: the rules apply as to that user, and the key's scopes as well.",
    schema: { type: "string" },
  },
  Reauth: {
    name: "X-Svc-Reauth",
    in: "header",
    required: true,
    description: "A fresh proof of identity, from `/reauth`.",
    schema: { type: "string" },
  },
  ReauthOfSessions: {
    name: "X-Svc-Reauth",
    in: "header",
    description: "A fresh proof of identity, from `/reauth`. Of sessions; API keys need none.",
    schema: { type: "string" },
  },
  ReauthToRequireMfa: {
    name: "X-Svc-Reauth",
    in: "header",
    description: "A fresh proof of identity, from `/reauth`: with `require_mfa: true`.",
    schema: { type: "string" },
    when: ({ organizations }) => organizations?.allowRequireMfa === true,
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A repeated request with this key and the same body within 24 hours gets the first one's answer again. Needs a signed-in user or an API key.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,200}$" },
  },
} satisfies Record<string, Parameter>;
