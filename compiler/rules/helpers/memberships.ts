/** Helpers that ask what the caller is in organizations and teams. */
import type { Memberships } from "../../../runtime/realm/memberships.ts";
import {
  hasOrgRole,
  hasTeamRole,
  inOrg,
  inTeam,
  ownOrgs,
  ownOrgsAs,
  ownTeams,
  ownTeamsAs,
} from "../../../runtime/rules/index.ts";
import { namesOf } from "./names.ts";

interface MembershipDeclaration {
  /** What the first argument identifies. */
  readonly in: "organization" | "team";
  /** Names of roles that are held there follow. */
  readonly takesRoles: boolean;
  /** What it says; emitted checks call it, by its name. */
  readonly holds: (memberships: Memberships, id: unknown, ...roles: readonly unknown[]) => boolean;
  /** The ids that satisfy it. */
  readonly places: (memberships: Memberships, ...roles: readonly unknown[]) => readonly string[];
  /** What emitted filters call in its place, by what is a field of the document. */
  readonly filter: typeof ofOrgs;
  /** Whoever satisfies it satisfies this other helper of the same id, too. */
  readonly implies?: string;
}

/**
 * `all`: ids of places; `as`: those where roles are held; `rolesIn`: roles held in one; `named`: both are fields; `held`: the
 * places of each role.
 */
const ofOrgs = {
  all: "ownOrgs",
  as: "ownOrgsAs",
  rolesIn: "ownOrgRoles",
  named: "orgRoleNamed",
  held: "ownRolesByOrg",
};
const ofTeams = {
  all: "ownTeams",
  as: "ownTeamsAs",
  rolesIn: "ownTeamRoles",
  named: "teamRoleNamed",
  held: "ownRolesByTeam",
};

const declared = {
  inOrg: { in: "organization", takesRoles: false, holds: inOrg, places: ownOrgs, filter: ofOrgs },
  hasOrgRole: {
    in: "organization",
    takesRoles: true,
    holds: hasOrgRole,
    places: ownOrgsAs,
    filter: ofOrgs,
    implies: "inOrg",
  },
  inTeam: { in: "team", takesRoles: false, holds: inTeam, places: ownTeams, filter: ofTeams },
  // Roles within a team are held beside membership in it.
  hasTeamRole: { in: "team", takesRoles: true, holds: hasTeamRole, places: ownTeamsAs, filter: ofTeams },
} as const satisfies Readonly<Record<string, MembershipDeclaration>>;

export type MembershipHelper = keyof typeof declared;

export const membershipHelpers: Readonly<Record<MembershipHelper, MembershipDeclaration>> = declared;

export const membershipHelperNames: readonly MembershipHelper[] = namesOf(membershipHelpers);
