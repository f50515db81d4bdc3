// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import { type ProofOptions, pathWith, proved } from "../calls.ts";
import type { Connected } from "../connected.ts";
import type { Connection } from "../connection.ts";
import type { ApiPromise } from "../errors.ts";
import { type EntryPage, type PageOptions, read } from "../pages.ts";
import type { RealmWithAccounts } from "../realm.ts";
import type { RequestOptions } from "../request.ts";
import type { AdministrationError, BodyError } from "../route-errors.ts";
import type {
  Account,
  AccountPatch,
  Invitation,
  MadeInvitation,
  NewAccount,
  NewInvitation,
  SessionEntry,
  UserAccess,
  UserOptions,
} from "./account-types.ts";
import { Administration } from "./administration.ts";

/** The administration of a realm with accounts. */
export class PeopleAdministration<R extends RealmWithAccounts> extends Administration<R> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    super(connected);
    this.#connection = connected.connection;
  }

  /** List users. */
  listUsers(options: UserOptions<R> = {}): ApiPromise<EntryPage<Account<R>>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/users", ...read(options) });
  }

  /** Make an account. */
  createUser(
    body: NewAccount<R>,
    options?: RequestOptions,
  ): ApiPromise<Account<R>, AdministrationError<R> | BodyError | "email_taken"> {
    return this.#connection.call({ method: "POST", path: "_admin/users", body, options });
  }

  /** Fetch a user. */
  getUser(id: string, options?: RequestOptions): ApiPromise<Account<R>, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/users/${id}`,
      options,
      repeatable: true,
    });
  }

  /**
   * What access rules see of a user now. For finding out why a rule decides as it does (`realmc explain
   * --url`). As of a session that used the second factor of a user who has one.
   */
  getUserAccess(id: string, options?: RequestOptions): ApiPromise<UserAccess<R>, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/users/${id}/access`,
      options,
      repeatable: true,
    });
  }

  /**
   * Change a user, disable or enable them. JSON Merge Patch (RFC 7396); `roles` replaces them all.
   * Nobody gives roles, or changes the roles, the status or the address of users, that administer more
   * than they do.
   */
  patchUser(
    id: string,
    patch: AccountPatch<R>,
    options?: RequestOptions,
  ): ApiPromise<Account<R>, AdministrationError<R> | BodyError | "email_taken" | "write_conflict"> {
    return this.#connection.call({
      method: "PATCH",
      path: pathWith`_admin/users/${id}`,
      body: patch,
      options,
    });
  }

  /**
   * Delete a user. Documents stay, with the user's id as their owner. Sessions need a fresh proof of
   * identity.
   */
  deleteUser(id: string, options?: ProofOptions): ApiPromise<void, AdministrationError<R>> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_admin/users/${id}`,
      ...proved(options),
    });
  }

  /**
   * Take away a user's second factor. For who lost it; the user may enrol another. Not of users that
   * administer more. Sessions need a fresh proof of identity.
   */
  removeUserFactor(
    id: string,
    options?: ProofOptions,
  ): ApiPromise<void, AdministrationError<R> | "write_conflict"> {
    return this.#connection.call({
      method: "DELETE",
      path: pathWith`_admin/users/${id}/mfa`,
      ...proved(options),
    });
  }

  /** List a user's sessions. */
  listUserSessions(
    id: string,
    options: PageOptions = {},
  ): ApiPromise<EntryPage<SessionEntry>, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/users/${id}/sessions`,
      ...read(options),
    });
  }

  /** End all sessions of a user. */
  endUserSessions(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError<R> | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_admin/users/${id}/sessions`, options });
  }

  /** List invitations to the realm. */
  listInvitations(options: PageOptions = {}): ApiPromise<EntryPage<Invitation<R>>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/invitations", ...read(options) });
  }

  /** Invite somebody to the realm. Nobody invites to roles that administer more than they do. */
  createInvitation(
    body: NewInvitation<R>,
    options?: RequestOptions,
  ): ApiPromise<MadeInvitation<R>, AdministrationError<R> | BodyError> {
    return this.#connection.call({ method: "POST", path: "_admin/invitations", body, options });
  }

  /** Revoke an invitation. One that was accepted cannot be revoked. */
  revokeInvitation(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError<R> | "conflict" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_admin/invitations/${id}`, options });
  }
}

export function peopleAdministration<R extends RealmWithAccounts>(
  connected: Connected<R>,
): PeopleAdministration<R> {
  return new PeopleAdministration(connected);
}
