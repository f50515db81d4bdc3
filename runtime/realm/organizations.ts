import type { RuleContext } from "./rule.ts";

/** `organizations` of realm.yaml. Their rules, roles and limits hold for all organizations of the realm. */
export interface OrganizationSettings {
  /** Who may create one; absent: nobody. */
  readonly create?: (context: RuleContext) => boolean;
  readonly roles: readonly OrganizationRole[];
  /** Given to who creates one. */
  readonly creatorRoles: readonly string[];
  /** Every member has these effectively. */
  readonly defaultRoles: readonly string[];
  readonly teamRoles: readonly TeamRole[];
  /** Absent: any number. */
  readonly maxCreatedPerUser?: number;
  /** Who sees e-mail addresses in the member list; managers are members with any `manage` entry. */
  readonly membersVisibleTo: "members" | "managers" | "nobody";
  /** Names of members of users' profiles that the member list shows. */
  readonly membersShow: readonly string[];
  readonly allowRequireMfa: boolean;
  /** Members with `manage: members` may make API keys of their organization, and those that there are count. */
  readonly keys: boolean;
  /** `{token}` stands for the token. */
  readonly invitationLink?: string;
  /** Mailed invitations make accounts, whatever the realm's sign-up says. */
  readonly invitationsSignUp: boolean;
  /** `names`: mails say who invites, and to which organization. */
  readonly invitationMail: { readonly names: boolean };
  readonly maxTeamsPerOrg: number;
  readonly maxTeamsPerMember: number;
  readonly maxPendingInvitations: number;
}

export const manageEntries = ["org", "members", "roles", "teams"] as const;

/** What members of an organization may manage in it. */
export type Manage = (typeof manageEntries)[number];

export interface OrganizationRole {
  readonly name: string;
  /** Empty: it manages nothing. */
  readonly manage: readonly Manage[];
}

/** A role that is held within a team. */
export interface TeamRole {
  readonly name: string;
  /** Team roles that its holders may give, change and take in their own team. */
  readonly grants: readonly string[];
}

/** What effective roles come from beside teams; no team is called so, which would look the same. */
export const origins = { direct: "direct", byDefault: "default" } as const;

export const originNames: readonly string[] = Object.values(origins);
