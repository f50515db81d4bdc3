import type { MembershipHelper } from "./form.ts";

/** What the first argument of helpers identifies; `roles` where roles held there follow. */
export const membershipHelpers: Readonly<
  Record<
    MembershipHelper,
    { readonly of: "an organization" | "a team"; readonly roles?: "organization" | "team" }
  >
> = {
  inOrg: { of: "an organization" },
  hasOrgRole: { of: "an organization", roles: "organization" },
  inTeam: { of: "a team" },
  hasTeamRole: { of: "a team", roles: "team" },
};
