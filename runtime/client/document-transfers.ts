import { pathWith } from "./calls.ts";
import type { Connected } from "./connected.ts";
import type { Connection } from "./connection.ts";
import { PeopleAdministration } from "./contracted/people-administration.ts";
import type { ApiPromise } from "./errors.ts";
import type { RealmWithOrganizations } from "./realm.ts";
import type { RequestOptions } from "./request.ts";
import type { AdministrationError, BodyError } from "./route-errors.ts";

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

/** Administration of which organization the documents of any collection belong to. */
export class DocumentTransfers<R extends RealmWithOrganizations> extends PeopleAdministration<R> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    super(connected);
    this.#connection = connected.connection;
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
    const path = pathWith`_admin/data/${database}/${collection}/${id}/_transfer`;
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
    const path = pathWith`_admin/data/${database}/${collection}/_assign_org`;
    return this.#connection.call({ method: "POST", path, body, options });
  }

  /** How many documents {@link assignOrganization} would give it to. */
  countAssignable(
    database: string,
    collection: string,
    body: { org: string; where: object },
    options?: RequestOptions,
  ): ApiPromise<{ count: number }, AssignError<R>> {
    const path = pathWith`_admin/data/${database}/${collection}/_assign_org`;
    return this.#connection.call({ method: "POST", path, query: { dry_run: true }, body, options });
  }
}
