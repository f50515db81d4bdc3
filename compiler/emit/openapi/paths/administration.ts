import type { OpenAPIV3_1 } from "openapi-types";
import type { Build } from "../build.ts";
import type { AccountSchemas } from "../schemas/accounts.ts";
import { administratorKey } from "../security.ts";

export const administrationTag: OpenAPIV3_1.TagObject = {
  name: "administration",
  description: "For API keys with administration. Not there (404) where the server has it switched off.",
};

/** api-decisions: Administrator routes, as far as built. */
export function administrationPaths(
  build: Build,
  schemas: AccountSchemas,
): Record<string, OpenAPIV3_1.PathItemObject> {
  const path = `/v1/${build.realm.name}/_admin/users`;
  const tag = administrationTag.name;
  return {
    [path]: build.path([], {
      get: build.operation({
        id: "adminListUsers",
        tag,
        summary: "List users",
        parameters: [
          "Limit",
          "After",
          "UserQuery",
          ...(build.realm.roles.length > 0 ? (["UserRole"] as const) : []),
          "UserStatus",
        ],
        answers: { 200: { description: "A page.", schema: schemas.accounts } },
        errors: ["not_found"],
        security: administratorKey(),
      }),
    }),
    [`${path}/{id}`]: build.path(["Id"], {
      get: build.operation({
        id: "adminGetUser",
        tag,
        summary: "Fetch a user",
        answers: { 200: { description: "The user.", schema: schemas.account } },
        errors: ["not_found"],
        security: administratorKey(),
      }),
      patch: build.operation({
        id: "adminPatchUser",
        tag,
        summary: "Change a user's roles, disable or enable a user",
        about: "`roles` replaces them all. The audit trail records who changed what.",
        body: { schema: schemas.accountChange, media: ["application/json", "application/merge-patch+json"] },
        answers: { 200: { description: "The user.", schema: schemas.account } },
        errors: ["not_found", "write_conflict"],
        security: administratorKey(),
      }),
    }),
  };
}
