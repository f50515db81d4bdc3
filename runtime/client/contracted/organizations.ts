// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import { begun, type ProofOptions, pathWith, proved } from "../calls.ts";
import type { Connected } from "../connected.ts";
import type { Connection } from "../connection.ts";
import type { ApiPromise } from "../errors.ts";
import { type EntryPage, type PageOptions, read } from "../pages.ts";
import type { Answered, RealmWithOrganizations } from "../realm.ts";
import type { RequestOptions } from "../request.ts";
import type { Always, AnyBodyError, BodyError, MemberError, Usual } from "../route-errors.ts";
import type {
  InvitationLink,
  InvitationPreview,
  InvitedSession,
  MadeOrganizationInvitation,
  MadeOrganizationKey,
  Member,
  NewOrganization,
  NewOrganizationInvitation,
  NewOrganizationKey,
  Organization,
  OrganizationChange,
  OrganizationInvitation,
  OrganizationKey,
  OwnOrganization,
  SignUpInvited,
} from "./organization-types.ts";
import { Teams } from "./teams.ts";

/** The organizations that the caller is a member of; `org` is an organization's id. */
export class Organizations<R extends RealmWithOrganizations> {
  readonly teams: Teams<R>;
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    this.#connection = connected.connection;
    this.teams = new Teams(connected);
  }

  /**
   * List the organizations that the caller is a member of. Those that require a second factor which this
   * session did not use too, with `mfa_met` false.
   */
  list(options: PageOptions = {}): ApiPromise<EntryPage<OwnOrganization<R>>, Always> {
    return this.#connection.call({ method: "GET", path: "_orgs", ...read(options) });
  }

  /** Create an organization. Its creator gets the roles that the realm gives creators. */
  create(
    body: NewOrganization,
    options?: RequestOptions,
  ): ApiPromise<Organization, Always | BodyError | "slug_taken" | "org_limit_reached" | "write_conflict"> {
    return this.#connection.call({ method: "POST", path: "_orgs", body, options });
  }

  /** Fetch an organization. For its members. */
  get(org: string, options?: RequestOptions): ApiPromise<Organization, MemberError> {
    return this.#connection.call({ method: "GET", path: pathWith`_orgs/${org}`, options, repeatable: true });
  }

  /**
   * Change an organization. Needs `manage: org`. JSON Merge Patch (RFC 7396). To require a second factor
   * takes a session that used one and a fresh proof of identity; to allow keys takes the proof alone.
   */
  patch(
    org: string,
    patch: OrganizationChange,
    options?: ProofOptions,
  ): ApiPromise<Organization, MemberError | BodyError | "slug_taken" | "write_conflict" | "reauth_required"> {
    return this.#connection.call({
      method: "PATCH",
      path: pathWith`_orgs/${org}`,
      body: patch,
      ...proved(options),
    });
  }

  /**
   * Delete an organization. Needs `manage: org`. Access ends at once. Documents of it are erased in the
   * background, or kept for administrators, as each collection says.
   */
  delete(
    org: string,
    options?: ProofOptions,
  ): ApiPromise<void, MemberError | "reauth_required" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_orgs/${org}`, ...proved(options) });
  }

  /**
   * Leave an organization and its teams. Sessions without a second factor that it requires can leave it
   * as well.
   */
  leave(
    org: string,
    options?: RequestOptions,
  ): ApiPromise<
    void,
    Exclude<MemberError, "org_requires_mfa"> | AnyBodyError | "last_org_manager" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: pathWith`_orgs/${org}/leave`, options });
  }

  /** List the members of an organization. Sorted by user id. */
  members(org: string, options: PageOptions = {}): ApiPromise<EntryPage<Member<R>>, MemberError> {
    return this.#connection.call({ method: "GET", path: pathWith`_orgs/${org}/members`, ...read(options) });
  }

  /**
   * Replace a member's direct roles. Needs `manage: members` or `manage: roles`. Nobody gives or takes
   * roles that manage more than they do.
   */
  setRoles(
    org: string,
    user: string,
    roles: readonly R["organizationRole"][],
    options?: RequestOptions,
  ): ApiPromise<Member<R>, MemberError | BodyError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#connection.call({
      method: "PATCH",
      path: pathWith`_orgs/${org}/members/${user}`,
      body: { roles },
      options,
    });
  }

  /**
   * Remove a member from an organization and its teams. Needs `manage: members`. Nobody removes who
   * manages more than they do.
   */
  removeMember(
    org: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "last_org_manager" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_orgs/${org}/members/${user}`, options });
  }

  /** List invitations to an organization. For its managers. Also those that are over; never their tokens. */
  invitations(
    org: string,
    options: PageOptions = {},
  ): ApiPromise<EntryPage<OrganizationInvitation>, MemberError> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_orgs/${org}/invitations`,
      ...read(options),
    });
  }

  /**
   * Invite somebody to an organization. Needs `manage: members`. Nobody invites to roles that manage
   * more than they do; an invitation for whoever has its token never gives roles that manage anything.
   */
  invite(
    org: string,
    body: NewOrganizationInvitation<R>,
    options?: RequestOptions,
  ): ApiPromise<
    MadeOrganizationInvitation,
    MemberError | BodyError | "team_limit_reached" | "invitations_limit" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: pathWith`_orgs/${org}/invitations`, body, options });
  }

  /** Revoke an invitation to an organization. For its managers. One that was accepted cannot be revoked. */
  revokeInvitation(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_orgs/${org}/invitations/${id}`,
      options,
    });
  }

  /** Make another link of an invitation. For managers who could give what it gives. The link before ends. */
  renewLink(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<InvitationLink, MemberError | AnyBodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_orgs/${org}/invitations/${id}/link`,
      options,
    });
  }

  /**
   * Mail an invitation again, with another link. For managers who could give what it gives. Of an
   * address that was mailed three times in an hour the answer is the same, but nothing is mailed and the
   * link before stays.
   */
  sendInvitation(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | AnyBodyError | "not_found" | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_orgs/${org}/invitations/${id}/send`,
      options,
    });
  }

  /** Look at what accepting an invitation would give. For whom it is for. */
  preview(
    token: string,
    options?: RequestOptions,
  ): ApiPromise<InvitationPreview<R>, Always | BodyError | "invalid_invitation" | "invitation_not_for_you"> {
    return this.#connection.call({
      method: "POST",
      path: "_orgs/invitations/preview",
      body: { token },
      options,
    });
  }

  /**
   * Accept an invitation to an organization. Gives roles and teams to who is a member already. Where it
   * changes nothing it uses nothing up.
   */
  accept(
    token: string,
    options?: RequestOptions,
  ): ApiPromise<
    OwnOrganization<R>,
    | Always
    | BodyError
    | "invalid_invitation"
    | "invitation_not_for_you"
    | "org_requires_mfa"
    | "team_limit_reached"
    | "write_conflict"
  > {
    return this.#connection.call({
      method: "POST",
      path: "_orgs/invitations/accept",
      body: { token },
      options,
    });
  }

  /**
   * Register with an invitation that was mailed, and join its organization. Whatever the realm's sign-up
   * says. The account has the address that the invitation was mailed to, which counts as verified.
   */
  signUp(
    body: SignUpInvited<R>,
    options?: RequestOptions,
  ): ApiPromise<
    InvitedSession<R>,
    | Usual
    | BodyError
    | "email_taken"
    | "invalid_invitation"
    | "invitation_not_for_you"
    | "team_limit_reached"
    | "too_many_requests"
    | "write_conflict"
    | R["codes"]["signUpInvited"]
  > {
    return begun(this.#connection, { method: "POST", path: "_orgs/invitations/signup", body, options });
  }

  /**
   * List the keys of an organization. Needs `manage: members`. Those that its members made, oldest
   * first.
   */
  keys(org: string, options: PageOptions = {}): ApiPromise<EntryPage<OrganizationKey<R>>, MemberError> {
    return this.#connection.call({ method: "GET", path: pathWith`_orgs/${org}/keys`, ...read(options) });
  }

  /**
   * Make a key of an organization. Needs `manage: members`. It is a service member of the organization:
   * a member with these roles and teams, there alone, who manages nothing. Nobody gives it roles that
   * manage more than they do. At most 50.
   */
  createKey(
    org: string,
    body: NewOrganizationKey<R>,
    options?: ProofOptions,
  ): ApiPromise<
    MadeOrganizationKey<R>,
    MemberError | BodyError | "reauth_required" | "conflict" | "team_limit_reached" | "write_conflict"
  > {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_orgs/${org}/keys`,
      body,
      ...proved(options),
    });
  }

  /**
   * Rotate a key of an organization. Needs `manage: members`, and that one could give what its service
   * member has. Its id and its end stay; the former key is good for a while still.
   */
  rotateKey(
    org: string,
    id: string,
    body: {
      /** How long the former key is good still, `0s` to `7d`; default `24h`. Never beyond its own end. */
      overlap?: string | null | undefined;
    } = {},
    options?: ProofOptions,
  ): ApiPromise<
    MadeOrganizationKey<R>,
    MemberError | BodyError | "reauth_required" | "not_found" | "conflict" | "write_conflict"
  > {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_orgs/${org}/keys/${id}/rotate`,
      body,
      ...proved(options),
    });
  }

  /**
   * Revoke a key of an organization. Needs `manage: members`. It ends with the next request, and its
   * service member with it.
   */
  revokeKey(
    org: string,
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, MemberError | "not_found" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_orgs/${org}/keys/${id}`, options });
  }
}

/** What of it the realm answers. */
export type OrganizationsOf<R extends RealmWithOrganizations> = Answered<Organizations<R>, "$orgs", R>;

export function organizations<R extends RealmWithOrganizations>(connected: Connected<R>): OrganizationsOf<R> {
  return new Organizations(connected);
}
