import { documentParameters, idempotencyKey } from "./document-parameters.ts";
import type { Parameter } from "./parameter.ts";

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
  database: "FunctionDatabase",
  fn: "FunctionName",
  file: "FileId",
  signed: "SignedLink",
  upload: "UploadId",
  number: "MigrationNumber",
} as const satisfies Record<string, ParameterName>;

/** The definition of a parameter. */
export function parameter(name: ParameterName): Parameter {
  return parameters[name];
}

const keyOfCall =
  "A repeated call with this key and the same input within 24 hours gets the first one's answer again, where that was no error. Needs a signed-in user or an API key.";

export const parameters = {
  ...documentParameters,
  Id: {
    name: "id",
    in: "path",
    required: true,
    schema: { type: "string", minLength: 1, maxLength: 128 },
  },
  MigrationNumber: {
    name: "number",
    in: "path",
    required: true,
    description: "Of a migration: four digits.",
    schema: { type: "string" },
  },
  Limit: {
    name: "limit",
    in: "query",
    description: "Entries on a page.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
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
  After: {
    name: "after",
    in: "query",
    description: "`next_cursor` of the previous page.",
    schema: { type: "string" },
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
  InvocationStatus: {
    name: "status",
    in: "query",
    description: "`failed` answers runs that took too long, too; `timeout` those alone.",
    schema: { type: "string", enum: ["succeeded", "failed", "timeout", "cancelled"] },
  },
  FunctionDatabase: {
    name: "database",
    in: "path",
    required: true,
    schema: { type: "string" },
  },
  FunctionName: {
    name: "fn",
    in: "path",
    required: true,
    schema: { type: "string" },
  },
  Async: {
    name: "async",
    in: "query",
    description: "To have a job make the call: the answer is 202 with its id.",
    schema: { type: "boolean", default: false },
  },
  IdempotencyKeyOfCall: {
    name: "Idempotency-Key",
    in: "header",
    description: keyOfCall,
    schema: idempotencyKey,
    when: ({ auth, fn }) => auth && fn?.idempotency === "optional",
  },
  RequiredIdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: true,
    description: keyOfCall,
    schema: idempotencyKey,
    when: ({ auth, fn }) => auth && fn?.idempotency === "required",
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
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "Tags of what the client has; 304 if it would receive the same again.",
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
  ReauthOfOrganization: {
    name: "X-Svc-Reauth",
    in: "header",
    description: "A fresh proof of identity, from `/reauth`: with `require_mfa: true` or `allow_keys: true`.",
    schema: { type: "string" },
  },
} satisfies Record<string, Parameter>;
