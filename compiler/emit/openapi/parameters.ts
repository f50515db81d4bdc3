import type { OpenAPIV3_1 } from "openapi-types";
import { Shared } from "./shared.ts";

type Parameter = OpenAPIV3_1.ParameterObject;

export type ParameterName = keyof typeof definitions;

/** @param roles of the realm */
export function sharedParameters(roles: readonly string[]): Shared<Parameter, ParameterName> {
  const { UserRole } = definitions;
  return new Shared<Parameter, ParameterName>("parameters", {
    ...definitions,
    UserRole: { ...UserRole, schema: { ...UserRole.schema, enum: [...roles] } },
  });
}

const definitions = {
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
  UserQuery: {
    name: "q",
    in: "query",
    description: "Part of the e-mail address.",
    schema: { type: "string" },
  },
  UserRole: { name: "role", in: "query", description: "Users with this role.", schema: { type: "string" } },
  UserStatus: { name: "status", in: "query", schema: { type: "string", enum: ["active", "disabled"] } },
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
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A repeated request with this key and the same body within 24 hours gets the first one's answer again. Needs a signed-in user or an API key.",
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,200}$" },
  },
} satisfies Record<string, Parameter>;
