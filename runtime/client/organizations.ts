import { type ProofOptions, proved } from "./accounts.ts";
import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { Always, AnyBodyError, BodyError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import { type EffectiveRole, type Member, type MemberError, pathOf } from "./members.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { RealmWithOrganizations } from "./realm.ts";
import { Teams } from "./teams.ts";

export interface Organization {
  id: string;
  name: string;
  slug: string;
  /** `orphaned`: nobody can manage it. */
  status: "active" | "orphaned";
  /** Whether its members must use a second factor. */
  require_mfa: boolean;
  /** Facts that administrators wrote. */
  claims: Record<string, unknown>;
}

export interface NewOrganization {
  name: string;
  /** Made of the name unless given. */
  slug?: string | undefined;
}

/** An organization with what the caller is in it. */
export interface OwnOrganization<R extends RealmWithOrganizations> extends Organization {
  /** Direct ones. */
  roles: R["organizationRole"][];
  effective_roles: EffectiveRole<R>[];
  /** Ids. */
  teams: string[];
  /** False where a second factor is required that this session did not use. */
  mfa_met: boolean;
}

export interface OrganizationInvitation {
  id: string;
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
  created_by: string;
}

export interface NewOrganizationInvitation<R extends RealmWithOrganizations> {
  /** By `email` or `user`, whichever is given, else `none`. */
  binding?: OrganizationInvitation["binding"] | null | undefined;
  user?: string | null | undefined;
  email?: string | null | undefined;
  roles?: readonly R["organizationRole"][] | undefined;
  /** Ids. */
  teams?: readonly string[] | undefined;
  /** With binding `none`; 1 unless given. */
  max_uses?: number | null | undefined;
  /** With binding `email`: mails the link, too. */
  send?: boolean | undefined;
  /** A duration of at most `30d`; `7d` unless given. */
  expires_in?: string | null | undefined;
}

/** The token of an invitation, shown once; the link is null where the realm has none. */
export interface InvitationLink {
  id: string;
  token: string;
  link: string | null;
}

export type MadeOrganizationInvitation = OrganizationInvitation & InvitationLink;

export interface InvitationPreview<R extends RealmWithOrganizations> {
  org: Pick<Organization, "id" | "name" | "slug" | "require_mfa">;
  roles: R["organizationRole"][];
  /** Ids. */
  teams: string[];
}

export type InvitingError = "team_limit_reached" | "invitations_limit" | "write_conflict";
type NotYoursError = "invalid_invitation" | "invitation_not_for_you";

/** The organizations that the caller is a member of; `org` is an organization's id. */
export class Organizations<R extends RealmWithOrganizations> {
  readonly teams: Teams<R>;
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    this.#connection = connected.connection;
    this.teams = new Teams(connected);
  }

  list(options: PageOptions = {}): ApiPromise<EntryPage<OwnOrganization<R>>, Always> {
    return this.#call({ method: "GET", path: "", ...read(options) });
  }

  create(
    organization: NewOrganization,
    options?: RequestOptions,
  ): ApiPromise<Organization, Always | BodyError | "slug_taken" | "org_limit_reached" | "write_conflict"> {
    return this.#call({ method: "POST", path: "", body: organization, options });
  }

  get(org: string, options?: RequestOptions): ApiPromise<Organization, MemberError> {
    return this.#call({ method: "GET", path: pathOf(org), options, repeatable: true });
  }

  /** To require a second factor takes a proof. */
  patch(
    org: string,
    patch: { name?: string | undefined; slug?: string | undefined; require_mfa?: boolean | undefined },
    options?: ProofOptions,
  ): ApiPromise<Organization, MemberError | BodyError | "slug_taken" | "reauth_required" | "write_conflict"> {
    return this.#call({ method: "PATCH", path: pathOf(org), body: patch, ...proved(options) });
  }

  delete(
    org: string,
    options?: ProofOptions,
  ): ApiPromise<void, MemberError | "reauth_required" | "write_conflict"> {
    return this.#call({ method: "DELETE", path: pathOf(org), ...proved(options) });
  }

  leave(
    org: string,
    options?: RequestOptions,
  ): ApiPromise<
    void,
    Exclude<MemberError, "org_requires_mfa"> | AnyBodyError | "last_org_manager" | "write_conflict"
  > {
    return this.#call({ method: "POST", path: pathOf(org, "leave"), options });
  }

  /** Sorted by user id. */
  members(org: string, options: PageOptions = {}): ApiPromise<EntryPage<Member<R>>, MemberError> {
    return this.#call({ method: "GET", path: pathOf(org, "members"), ...read(options) });
  }

  /** Replaces a member's direct roles. */
  setRoles(
    org: string,
    user: string,
    roles: readonly R["organizationRole"][],
    options?: RequestOptions,
  ): ApiPromise<Member<R>, MemberError | BodyError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#call({ method: "PATCH", path: pathOf(org, "members", user), body: { roles }, options });
  }

  removeMember(
    org: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#call({ method: "DELETE", path: pathOf(org, "members", user), options });
  }

  invitations(
    org: string,
    options: PageOptions = {},
  ): ApiPromise<EntryPage<OrganizationInvitation>, MemberError> {
    return this.#call({ method: "GET", path: pathOf(org, "invitations"), ...read(options) });
  }

  /** With its token and link, which are shown this once. */
  invite(
    org: string,
    invitation: NewOrganizationInvitation<R>,
    options?: RequestOptions,
  ): ApiPromise<MadeOrganizationInvitation, MemberError | BodyError | InvitingError> {
    return this.#call({ method: "POST", path: pathOf(org, "invitations"), body: invitation, options });
  }

  revokeInvitation(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "conflict" | "write_conflict"> {
    return this.#call({ method: "DELETE", path: pathOf(org, "invitations", id), options });
  }

  /** A new link; the one before ends. */
  renewLink(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<InvitationLink, MemberError | AnyBodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#call({ method: "POST", path: pathOf(org, "invitations", id, "link"), options });
  }

  /** Mails an invitation again, with a new link. */
  sendInvitation(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | AnyBodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#call({ method: "POST", path: pathOf(org, "invitations", id, "send"), options });
  }

  /** What accepting would give. */
  preview(
    token: string,
    options?: RequestOptions,
  ): ApiPromise<InvitationPreview<R>, Always | BodyError | NotYoursError> {
    return this.#call({ method: "POST", path: "/invitations/preview", body: { token }, options });
  }

  accept(
    token: string,
    options?: RequestOptions,
  ): ApiPromise<
    OwnOrganization<R>,
    Always | BodyError | NotYoursError | "org_requires_mfa" | "team_limit_reached" | "write_conflict"
  > {
    return this.#call({ method: "POST", path: "/invitations/accept", body: { token }, options });
  }

  #call<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_orgs${call.path}` });
  }
}

export function organizations<R extends RealmWithOrganizations>(connected: Connected<R>): Organizations<R> {
  return new Organizations(connected);
}
