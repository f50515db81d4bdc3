import { ApiError } from "../errors.ts";

/** The same for an organization that there is none of, and for those who are no members (Organization endpoints 1). */
export function notOrgMember(): ApiError {
  return new ApiError("not_org_member", "You are not a member of this organization.");
}

export function orgRequiresMfa(): ApiError {
  return new ApiError("org_requires_mfa", "This organization requires a session with a second factor.");
}

export function slugTaken(): ApiError {
  return new ApiError("slug_taken", "Another organization has this slug.");
}
