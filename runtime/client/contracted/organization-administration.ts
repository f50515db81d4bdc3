// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import { type ProofOptions, pathWith, proved } from "../calls.ts";
import type { Connected } from "../connected.ts";
import type { Connection } from "../connection.ts";
import { DocumentTransfers } from "../document-transfers.ts";
import type { ApiPromise } from "../errors.ts";
import { type EntryPage, read } from "../pages.ts";
import type { RealmWithOrganizations } from "../realm.ts";
import type { RequestOptions } from "../request.ts";
import type { AdministrationError, BodyError } from "../route-errors.ts";
import type {
  AdministeredOrganization,
  MadeOrganizationInvitation,
  Member,
  NewOrganizationFor,
  NewOrganizationInvitation,
  OrganizationOptions,
  OwnedDocuments,
} from "./organization-types.ts";

/** The administration of a realm with organizations; `org` is an organization's id. */
export class OrganizationAdministration<R extends RealmWithOrganizations> extends DocumentTransfers<R> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    super(connected);
    this.#connection = connected.connection;
  }

  /** List organizations. Oldest first, deleted ones too. */
  listOrganizations(
    options: OrganizationOptions = {},
  ): ApiPromise<EntryPage<AdministeredOrganization>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/orgs", ...read(options) });
  }

  /** Create an organization for a user. They get the roles that the realm gives creators. */
  createOrganization(
    body: NewOrganizationFor,
    options?: RequestOptions,
  ): ApiPromise<
    AdministeredOrganization,
    AdministrationError<R> | BodyError | "slug_taken" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: "_admin/orgs", body, options });
  }

  /** Fetch an organization. */
  getOrganization(
    org: string,
    options?: RequestOptions,
  ): ApiPromise<AdministeredOrganization, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/orgs/${org}`,
      options,
      repeatable: true,
    });
  }

  /** Delete an organization. Sessions need a fresh proof of identity. */
  deleteOrganization(
    org: string,
    options?: ProofOptions,
  ): ApiPromise<void, AdministrationError<R> | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_admin/orgs/${org}`,
      ...proved(options),
    });
  }

  /** Count the documents of an organization. */
  listOwned(
    org: string,
    options?: RequestOptions,
  ): ApiPromise<{ items: OwnedDocuments[] }, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/orgs/${org}/owned`,
      options,
      repeatable: true,
    });
  }

  /**
   * Bring a deleted organization back. Without members: assign a manager next. What its deletion erases
   * is erased.
   */
  reactivateOrganization(
    org: string,
    body: {
      /** The one that it had unless given. */
      slug?: string | undefined;
    } = {},
    options?: RequestOptions,
  ): ApiPromise<
    AdministeredOrganization,
    AdministrationError<R> | BodyError | "slug_taken" | "conflict" | "write_conflict"
  > {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_admin/orgs/${org}/reactivate`,
      body,
      options,
    });
  }

  /** Replace an organization's claims. At most 16,384 characters of JSON. Its members read them. */
  putClaims(
    org: string,
    body: Record<string, unknown>,
    options?: RequestOptions,
  ): ApiPromise<Record<string, unknown>, AdministrationError<R> | BodyError | "conflict" | "write_conflict"> {
    return this.#connection.call({ method: "PUT", path: pathWith`_admin/orgs/${org}/claims`, body, options });
  }

  /**
   * Give an organization a manager. The user gets the roles that the realm gives creators. One that is
   * `orphaned` is `active` again.
   */
  putManager(
    org: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<
    AdministeredOrganization,
    AdministrationError<R> | BodyError | "conflict" | "write_conflict"
  > {
    return this.#connection.call({
      method: "PUT",
      path: pathWith`_admin/orgs/${org}/manager`,
      body: { user },
      options,
    });
  }

  /** Make a user a member, or replace a member's direct roles. */
  putMember(
    org: string,
    user: string,
    roles: readonly R["organizationRole"][],
    options?: RequestOptions,
  ): ApiPromise<
    Member<R>,
    AdministrationError<R> | BodyError | "last_org_manager" | "conflict" | "write_conflict"
  > {
    return this.#connection.call({
      method: "PUT",
      path: pathWith`_admin/orgs/${org}/members/${user}`,
      body: { roles },
      options,
    });
  }

  /** Remove a member from an organization and its teams. */
  removeMember(
    org: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError<R> | "last_org_manager" | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_admin/orgs/${org}/members/${user}`,
      options,
    });
  }

  /**
   * Invite somebody to an organization. To any role; one for whoever has its token never gives roles
   * that manage anything.
   */
  inviteToOrganization(
    org: string,
    body: NewOrganizationInvitation<R>,
    options?: RequestOptions,
  ): ApiPromise<
    MadeOrganizationInvitation,
    | AdministrationError<R>
    | BodyError
    | "conflict"
    | "team_limit_reached"
    | "invitations_limit"
    | "write_conflict"
  > {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_admin/orgs/${org}/invitations`,
      body,
      options,
    });
  }
}

export function organizationAdministration<R extends RealmWithOrganizations>(
  connected: Connected<R>,
): OrganizationAdministration<R> {
  return new OrganizationAdministration(connected);
}
