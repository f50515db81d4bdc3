import { readRecord, writeKept } from "../auth/records.ts";
import type { JsonObject } from "../json.ts";
import type { DocumentWrite } from "../store/contract/document.ts";

/**
 * `_svc.orgs`. Whatever changes in an organization, its members and its invitations included, writes this record anew in
 * the same transaction (see `changeOrganization`). Times are RFC 3339, UTC, milliseconds, here and below.
 */
export interface OrganizationRecord {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  /** The slug while it is in use, which is unique; null when the organization is deleted. */
  readonly slug_key: string | null;
  readonly status: OrganizationStatus;
  readonly require_mfa: boolean;
  /** Personal tokens of members who have a second factor count all the same; absent: false. */
  readonly allow_keys?: boolean;
  /** Written by administrators; members read them. */
  readonly claims: JsonObject;
  readonly teams: readonly TeamRecord[];
  readonly created_at: string;
  /** Id of the user who created it, or whom an administrator created it for: counts towards `max_created_per_user`. */
  readonly created_by: string;
  readonly deleted_at: string | null;
  /** The job that erases its documents, until that is done; null: none. */
  readonly cleanup: { readonly job: string } | null;
  /** When they were erased, if they ever were. */
  readonly erased_at?: string;
}

/** `orphaned`: nobody can manage it, since its last manager's account was deleted or disabled. */
export type OrganizationStatus = (typeof organizationStatuses)[number];

export const organizationStatuses = ["active", "orphaned", "deleted"] as const;

export interface TeamRecord {
  readonly id: string;
  /** Unique in its organization. */
  readonly name: string;
  /** Roles of the organization that its members have. */
  readonly roles: readonly string[];
}

/** `_svc.members`. */
export interface MemberRecord {
  /** See {@link memberId}. */
  readonly id: string;
  readonly org: string;
  /** Or the id of the key of a service member. */
  readonly user: string;
  /** The name of the key that is this member: no account, and it manages nothing. Absent: a user. */
  readonly service?: string;
  /** Direct ones. One that the configuration no longer has counts for nothing. */
  readonly roles: readonly string[];
  /** Ids. One that the organization no longer has counts for nothing. */
  readonly teams: readonly string[];
  /** At most one for each team and role. */
  readonly team_roles: readonly TeamRoleRecord[];
  readonly created_at: string;
}

/** A role held within a team, from `from` (included) to `until` (excluded); null: without end there. */
export interface TeamRoleRecord {
  readonly team: string;
  readonly role: string;
  readonly from: string | null;
  readonly until: string | null;
}

/** `_svc.org_invitations`. Kept when they are over, so that lists show what became of them. */
export interface OrganizationInvitationRecord {
  readonly id: string;
  readonly org: string;
  /** SHA-256 of the token that was shown to who invites; null: it is void. */
  readonly token: string | null;
  /**
   * SHA-256 of the token that was mailed, which nobody but the recipient has seen: it proves that its holder has the
   * address. Absent: none was.
   */
  readonly mailed_token?: string;
  /** Who can accept it: a user, whose verified address this is, or whoever has the token. */
  readonly binding: "user" | "email" | "none";
  readonly user: string | null;
  readonly email: string | null;
  readonly roles: readonly string[];
  readonly teams: readonly string[];
  readonly max_uses: number;
  readonly uses: number;
  /** Ids of the users who accepted it. */
  readonly used_by: readonly string[];
  readonly revoked: boolean;
  readonly expires_at: string;
  readonly created_at: string;
  /** `user:<id>` or `key:<name>`. */
  readonly created_by: string;
}

/** The id of the one record of `_svc.org_marks`. */
export const withheldMark = "withheld";

/** `_svc.org_marks`: written anew whenever organizations are deleted, erased or come back. */
export interface WithheldMark {
  readonly id: typeof withheldMark;
  readonly created_at: string;
}

export function memberId(org: string, user: string): string {
  return `${org}.${user}`;
}

export function userOfMember(id: string): string {
  return id.slice(id.indexOf(".") + 1);
}

export const readOrganization = readRecord<OrganizationRecord>;
export const readMember = readRecord<MemberRecord>;
export const readOrganizationInvitation = readRecord<OrganizationInvitationRecord>;

export const writeOrganization = writeKept<OrganizationRecord>;
export const writeMark = writeKept<WithheldMark>;

/** Beside the record it stores a key of each team role (see {@link teamRoleKey}), to be searched by. */
export function writeMember(record: MemberRecord, version: number): DocumentWrite {
  return writeKept({ ...record, team_role_keys: record.team_roles.map(teamRoleKey) }, version);
}

/** What who holds a role in a team is found by. */
export function teamRoleKey({ team, role }: Pick<TeamRoleRecord, "team" | "role">): string {
  return `${team}.${role}`;
}

/** Beside the record it stores until when the invitation is pending, to be counted by; null: it is no longer. */
export function writeOrganizationInvitation(
  record: OrganizationInvitationRecord,
  version: number,
): DocumentWrite {
  const isOver = record.revoked || record.uses >= record.max_uses;
  return writeKept({ ...record, pending_until: isOver ? null : record.expires_at }, version);
}
