import type { OpenAPIV3_1 } from "openapi-types";
import type { OperationError } from "../../../runtime/contract/errors.ts";
import type { Build, Operation, OperationDescription } from "../build.ts";
import { sessionsOnly } from "../security.ts";

export const organizationsTag: OpenAPIV3_1.TagObject = {
  name: "organizations",
  description:
    "Organizations of the realm's users, for sessions only. Who is no member of one is answered the same whether or not it is there.",
};

/** Of what changes an organization or anything in it. */
export const changing: readonly OperationError[] = ["write_conflict"];

/** An operation of `_orgs`, for every session. */
export function forUsers(build: Build, description: Omit<OperationDescription, "tag" | "admits">): Operation {
  return build.operation({
    ...description,
    tag: organizationsTag.name,
    admits: sessionsOnly(build.realm),
  });
}

/** An operation on one organization, for its members. */
export function forMembers(
  build: Build,
  { errors = [], ...description }: Omit<OperationDescription, "tag" | "admits">,
): Operation {
  return forUsers(build, { ...description, errors: ["not_org_member", "org_requires_mfa", ...errors] });
}
