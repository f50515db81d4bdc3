// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import type { PageOptions } from "../pages.ts";
import type { KeyScopes, RealmWithOrganizations } from "../realm.ts";
import type { PersonalToken, Session, User } from "./account-types.ts";

export interface EffectiveRole<R extends RealmWithOrganizations> {
  role: R["organizationRole"];
  /** `direct`, `default`, and names of teams. */
  origin: string[];
}

export interface OwnOrganization<R extends RealmWithOrganizations> {
  id: string;
  name: string;
  slug: string;
  /** `orphaned`: nobody can manage it. */
  status: "active" | "orphaned";
  /** Whether its members must use a second factor. */
  require_mfa: boolean;
  /** Whether members who have a second factor come by personal tokens too, where one is required. */
  allow_keys: boolean;
  /** Facts about an organization, written by administrators; rules read them by `orgClaims`. */
  claims: Record<string, unknown>;
  /** The caller's direct ones. */
  roles: R["organizationRole"][];
  /** Sorted by role. */
  effective_roles: EffectiveRole<R>[];
  /** Ids of the caller's teams. */
  teams: string[];
  /** False where the organization requires a second factor that this session did not use. */
  mfa_met: boolean;
}

export interface NewOrganization {
  /** On one line; spaces around it are left out. */
  name: string;
  /** Made of the name unless given. */
  slug?: string | undefined;
}

export interface Organization {
  id: string;
  name: string;
  slug: string;
  /** `orphaned`: nobody can manage it. */
  status: "active" | "orphaned";
  /** Whether its members must use a second factor. */
  require_mfa: boolean;
  /** Whether members who have a second factor come by personal tokens too, where one is required. */
  allow_keys: boolean;
  /** Facts about an organization, written by administrators; rules read them by `orgClaims`. */
  claims: Record<string, unknown>;
}

export interface OrganizationChange {
  /** On one line; spaces around it are left out. */
  name?: string | undefined;
  slug?: string | undefined;
  require_mfa?: boolean | undefined;
  allow_keys?: boolean | undefined;
}

export interface Member<R extends RealmWithOrganizations> {
  /** Id of the user, or of the key of a service member. */
  user: string;
  /** `service`: a key of the organization. */
  kind: "user" | "service";
  /** Direct ones. */
  roles: R["organizationRole"][];
  /** Sorted by role. */
  effective_roles: EffectiveRole<R>[];
  /** Held both directly and through a team. */
  overlap: R["organizationRole"][];
  /** Ids. */
  teams: string[];
  /** Of the key. Of service members. */
  name?: string;
  /** Of users. */
  email?: string | null;
  /** Of users: what the realm shows of their profiles, as far as they have it. */
  profile?: R["memberProfile"];
  /** Whether the account has a second factor. Of users; shown to managers. */
  mfa?: boolean;
}

export interface Team<R extends RealmWithOrganizations> {
  id: string;
  name: string;
  /** Its members have them. */
  roles: R["organizationRole"][];
}

export interface TeamMemberOptions<R extends RealmWithOrganizations> extends PageOptions {
  /** Only those who hold this role in the team. */
  role?: R["teamRole"] | undefined;
}

export interface HeldRole<R extends RealmWithOrganizations> {
  role: R["teamRole"];
  /** The role is held from `from` (included) to `until` (excluded); null: without end there. */
  from: string | null;
  /** The role is held from `from` (included) to `until` (excluded); null: without end there. */
  until: string | null;
}

export interface TeamMember<R extends RealmWithOrganizations> extends Member<R> {
  team_roles: HeldRole<R>[];
}

export interface HeldTeamRole<R extends RealmWithOrganizations> {
  /** Id of a member of the organization. */
  user: string;
  role: R["teamRole"];
  /** The role is held from `from` (included) to `until` (excluded); null: without end there. */
  from?: string | Date | null | undefined;
  /** The role is held from `from` (included) to `until` (excluded); null: without end there. */
  until?: string | Date | null | undefined;
}

export interface TeamRole<R extends RealmWithOrganizations> {
  /** Id of a member of the organization. */
  user: string;
  role: R["teamRole"];
  /** The role is held from `from` (included) to `until` (excluded); null: without end there. */
  from: string | null;
  /** The role is held from `from` (included) to `until` (excluded); null: without end there. */
  until: string | null;
}

export interface OrganizationInvitation {
  id: string;
  /** Whom it is for: a user, who has an e-mail address, verified, or whoever has its token. */
  binding: "user" | "email" | "none";
  user: string | null;
  email: string | null;
  roles: string[];
  /** Ids. */
  teams: string[];
  status: "pending" | "accepted" | "expired" | "revoked";
  uses: number;
  max_uses: number;
  expires_at: string;
  created_at: string;
  /** `user:<id>` or `key:<name>`. */
  created_by: string;
}

export interface NewOrganizationInvitation<R extends RealmWithOrganizations> {
  /** By `email` or `user`, whichever is given, else `none`, unless said. */
  binding?: "user" | "email" | "none" | null | undefined;
  /** With binding `user`: its id. */
  user?: string | null | undefined;
  /** With binding `email`. */
  email?: string | null | undefined;
  roles?: readonly R["organizationRole"][] | undefined;
  /** Ids of teams of the organization. */
  teams?: readonly string[] | undefined;
  /** With binding `none`; 1 unless given. */
  max_uses?: number | null | undefined;
  /** With binding `email`: mails the link, too. */
  send?: boolean | undefined;
  /** A duration of at most `30d`; `7d` unless given. */
  expires_in?: string | null | undefined;
}

export interface MadeOrganizationInvitation extends OrganizationInvitation {
  /** `svi_…`, shown this once. */
  token: string;
  /** The realm's invitation link with the token; null where it has none. */
  link: string | null;
}

export interface InvitationLink {
  id: string;
  /** `svi_…`, shown this once. */
  token: string;
  /** The realm's invitation link with the token; null where it has none. */
  link: string | null;
}

export interface InvitingOrganization {
  id: string;
  name: string;
  slug: string;
  require_mfa: boolean;
}

export interface InvitationPreview<R extends RealmWithOrganizations> {
  org: InvitingOrganization;
  roles: R["organizationRole"][];
  /** Ids. */
  teams: string[];
}

export type SignUpInvited<R extends RealmWithOrganizations> = {
  /** The one in the mail. */
  token: string;
  password: string;
  /** A language tag (BCP 47) such as `de-CH`. */
  locale?: string | null | undefined;
  profile?: R["profile"] | null | undefined;
} & R["bodies"]["signUpInvited"];

export interface InvitedSession<R extends RealmWithOrganizations> {
  user: User<R>;
  session: Session;
  org: OwnOrganization<R>;
}

export interface OrganizationKey<R extends RealmWithOrganizations> extends PersonalToken {
  /** Direct ones of its service member. */
  roles: R["organizationRole"][];
  /** Ids. */
  teams: string[];
}

export interface NewOrganizationKey<R extends RealmWithOrganizations> {
  /**
   * Unique among the organization's keys, without control characters and without space at its ends. What
   * the key writes names it: `key:<name>`.
   */
  name: string;
  roles?: readonly R["organizationRole"][] | undefined;
  /** Ids of teams of the organization. */
  teams?: readonly string[] | undefined;
  /**
   * What it may do: on everything, or on databases and collections named; `{}`: nothing; null:
   * everything, and no administration.
   */
  scopes?: KeyScopes<R> | null | undefined;
  /** A duration such as `30d`, at most what the realm allows, which it is unless given. */
  expires_in?: string | null | undefined;
  /** Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere. */
  networks?: readonly string[] | null | undefined;
}

export interface MadeOrganizationKey<R extends RealmWithOrganizations> extends OrganizationKey<R> {
  /** `svk_…`, shown this once. */
  key: string;
}

export interface OrganizationOptions extends PageOptions {
  status?: "active" | "orphaned" | "deleted" | undefined;
  /** Part of the name or slug, in upper or lower case. */
  q?: string | undefined;
}

export interface AdministeredOrganization {
  id: string;
  name: string;
  slug: string;
  status: "active" | "orphaned" | "deleted";
  /** Whether its members must use a second factor. */
  require_mfa: boolean;
  /** Whether members who have a second factor come by personal tokens too, where one is required. */
  allow_keys: boolean;
  /** Facts about an organization, written by administrators; rules read them by `orgClaims`. */
  claims: Record<string, unknown>;
  member_count: number;
}

export interface NewOrganizationFor {
  /** On one line; spaces around it are left out. */
  name: string;
  /** Made of the name unless given. */
  slug?: string | undefined;
  /** Id of a user. */
  owner: string;
}

export interface OwnedDocuments {
  database: string;
  collection: string;
  /** Documents, deleted ones too. */
  count: number;
  /** What becomes of them when the organization is deleted. */
  policy: "delete" | "keep";
}
