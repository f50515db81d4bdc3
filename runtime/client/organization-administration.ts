import { type ProofOptions, proved } from "./accounts.ts";
import type { AdministrationError } from "./administration.ts";
import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { BodyError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import { type Member, pathOf } from "./members.ts";
import type {
  InvitingError,
  MadeOrganizationInvitation,
  NewOrganization,
  NewOrganizationInvitation,
  Organization,
} from "./organizations.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import { PeopleAdministration } from "./people.ts";
import type { RealmWithOrganizations } from "./realm.ts";

/** An organization as administrators see it. */
export interface AdministeredOrganization extends Omit<Organization, "status"> {
  status: Organization["status"] | "deleted";
  member_count: number;
}

export interface OrganizationOptions extends PageOptions {
  /** Part of the name or slug. */
  q?: string | undefined;
  status?: AdministeredOrganization["status"] | undefined;
}

/** Documents of an organization in one collection, deleted ones too, and what becomes of them when it is deleted. */
export interface OwnedDocuments {
  database: string;
  collection: string;
  count: number;
  policy: "delete" | "keep";
}

/** Of what changes an organization that is not deleted. */
type AdministeredError<R extends RealmWithOrganizations> =
  | AdministrationError<R>
  | "conflict"
  | "write_conflict";

/** Of documents, whichever collection they are in. */
type TransferError<R extends RealmWithOrganizations> =
  | AdministrationError<R>
  | BodyError
  | "team_required"
  | "conflict"
  | "write_conflict"
  | "version_mismatch";
type AssignError<R extends RealmWithOrganizations> =
  | AdministrationError<R>
  | BodyError
  | "search_not_enabled"
  | "search_too_expensive"
  | "index_building";

/** The administration of a realm with organizations; `org` is an organization's id. */
export class OrganizationAdministration<R extends RealmWithOrganizations> extends PeopleAdministration<R> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    super(connected);
    this.#connection = connected.connection;
  }

  /** Oldest first, deleted ones too. */
  listOrganizations(
    options: OrganizationOptions = {},
  ): ApiPromise<EntryPage<AdministeredOrganization>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "", ...read(options) });
  }

  /** @param organization `owner` is the id of the user who gets the roles of creators */
  createOrganization(
    organization: NewOrganization & { owner: string },
    options?: RequestOptions,
  ): ApiPromise<
    AdministeredOrganization,
    AdministrationError<R> | BodyError | "slug_taken" | "write_conflict"
  > {
    return this.#call({ method: "POST", path: "", body: organization, options });
  }

  getOrganization(
    org: string,
    options?: RequestOptions,
  ): ApiPromise<AdministeredOrganization, AdministrationError<R>> {
    return this.#call({ method: "GET", path: pathOf(org), options, repeatable: true });
  }

  deleteOrganization(org: string, options?: ProofOptions): ApiPromise<void, AdministeredError<R>> {
    return this.#call({ method: "DELETE", path: pathOf(org), ...proved(options) });
  }

  /** Without members: give it a manager next. */
  reactivateOrganization(
    org: string,
    body: { slug?: string | undefined } = {},
    options?: RequestOptions,
  ): ApiPromise<AdministeredOrganization, AdministeredError<R> | BodyError | "slug_taken"> {
    return this.#call({ method: "POST", path: pathOf(org, "reactivate"), body, options });
  }

  listOwned(
    org: string,
    options?: RequestOptions,
  ): ApiPromise<{ items: OwnedDocuments[] }, AdministrationError<R>> {
    return this.#call({ method: "GET", path: pathOf(org, "owned"), options, repeatable: true });
  }

  /** Makes a user a member, or replaces a member's direct roles. */
  putMember(
    org: string,
    user: string,
    roles: readonly R["organizationRole"][],
    options?: RequestOptions,
  ): ApiPromise<Member<R>, AdministeredError<R> | BodyError | "last_org_manager"> {
    return this.#call({ method: "PUT", path: pathOf(org, "members", user), body: { roles }, options });
  }

  removeMember(
    org: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministeredError<R> | "last_org_manager"> {
    return this.#call({ method: "DELETE", path: pathOf(org, "members", user), options });
  }

  /** With its token and link, which are shown this once. */
  inviteToOrganization(
    org: string,
    invitation: NewOrganizationInvitation<R>,
    options?: RequestOptions,
  ): ApiPromise<MadeOrganizationInvitation, AdministeredError<R> | BodyError | InvitingError> {
    return this.#call({ method: "POST", path: pathOf(org, "invitations"), body: invitation, options });
  }

  /** Replaces them all. */
  putClaims(
    org: string,
    claims: Record<string, unknown>,
    options?: RequestOptions,
  ): ApiPromise<Record<string, unknown>, AdministeredError<R> | BodyError> {
    return this.#call({ method: "PUT", path: pathOf(org, "claims"), body: claims, options });
  }

  /** Gives a user the roles of creators; an orphaned organization is active again. */
  putManager(
    org: string,
    user: string,
    options?: RequestOptions,
  ): ApiPromise<AdministeredOrganization, AdministeredError<R> | BodyError> {
    return this.#call({ method: "PUT", path: pathOf(org, "manager"), body: { user }, options });
  }

  /**
   * Gives a document to another organization, to none, or to a team.
   * @param ifMatch the version that it is meant for
   */
  transferDocument(
    database: string,
    collection: string,
    id: string,
    to: { org: string | null; team?: string | null | undefined },
    { ifMatch, ...options }: RequestOptions & { ifMatch?: number | undefined } = {},
  ): ApiPromise<Record<string, unknown>, TransferError<R>> {
    const path = `_admin/data${pathOf(database, collection, id, "_transfer")}`;
    const headers = { "If-Match": ifMatch === undefined ? undefined : `"${ifMatch}"` };
    return this.#connection.call({ method: "POST", path, body: to, headers, options });
  }

  /** Gives an organization to the documents that have none and match, in the background: answers the job's id. */
  assignOrganization(
    database: string,
    collection: string,
    body: { org: string; where: object },
    options?: RequestOptions,
  ): ApiPromise<{ job: string }, AssignError<R>> {
    const path = `_admin/data${pathOf(database, collection, "_assign_org")}`;
    return this.#connection.call({ method: "POST", path, body, options });
  }

  /** How many documents {@link assignOrganization} would give it to. */
  countAssignable(
    database: string,
    collection: string,
    body: { org: string; where: object },
    options?: RequestOptions,
  ): ApiPromise<{ count: number }, AssignError<R>> {
    const path = `_admin/data${pathOf(database, collection, "_assign_org")}`;
    return this.#connection.call({ method: "POST", path, query: { dry_run: true }, body, options });
  }

  #call<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_admin/orgs${call.path}` });
  }
}

export function organizationAdministration<R extends RealmWithOrganizations>(
  connected: Connected<R>,
): OrganizationAdministration<R> {
  return new OrganizationAdministration(connected);
}
