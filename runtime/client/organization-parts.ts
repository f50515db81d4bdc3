/** Names for parts of what methods about organizations take and answer. */
import type { HeldTeamRole } from "./contracted/organization-types.ts";
import type { Organizations } from "./contracted/organizations.ts";
import type { CodeOf } from "./errors.ts";
import type { RealmWithOrganizations } from "./realm.ts";
import type { BodyError, MemberError } from "./route-errors.ts";

/** What an invitation to an organization may be refused for, beside what every request may. */
export type InvitingError = Exclude<
  CodeOf<Organizations<RealmWithOrganizations>["invite"]>,
  MemberError | BodyError
>;

/** A bound that is left out stays as it is. */
export type TeamRoleWindow = Pick<HeldTeamRole<RealmWithOrganizations>, "from" | "until">;
