import { type ProofOptions, proved, type SessionEntry, type User, type UserPatch } from "./accounts.ts";
import { Administration, type AdministrationError } from "./administration.ts";
import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { BodyError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { RealmWithAccounts } from "./realm.ts";

/** A user as administrators see it. */
export interface Account<R extends RealmWithAccounts> extends User<R> {
  status: "active" | "disabled";
}

export interface NewAccount<R extends RealmWithAccounts> {
  email: string;
  /** Without one a mail lets the user choose it. */
  password?: string | null | undefined;
  /** The realm's default roles unless given. */
  roles?: readonly R["role"][] | undefined;
  locale?: string | null | undefined;
  profile?: R["profile"] | null | undefined;
  email_verified?: boolean | undefined;
}

export interface AccountPatch<R extends RealmWithAccounts> extends UserPatch<R> {
  /** All of them. */
  roles?: readonly R["role"][] | undefined;
  /** Disabling ends the user's sessions. */
  disabled?: boolean | undefined;
  /** A new one is unverified. */
  email?: string | undefined;
}

export interface UserOptions<R extends RealmWithAccounts> extends PageOptions {
  /** Part of the address. */
  q?: string | undefined;
  role?: R["role"] | undefined;
  status?: Account<R>["status"] | undefined;
}

export interface Invitation<R extends RealmWithAccounts> {
  id: string;
  /** Who may use it; null: whoever has it. */
  email: string | null;
  roles: R["role"][];
  status: "pending" | "accepted" | "expired" | "revoked";
  expires_at: string;
  created_at: string;
  created_by: string;
}

export interface NewInvitation<R extends RealmWithAccounts> {
  email?: string | null | undefined;
  /** Given beside the realm's default roles. */
  roles?: readonly R["role"][] | undefined;
  /** A duration of at most `30d`; `7d` unless given. */
  expires_in?: string | null | undefined;
}

/** The administration of a realm with accounts. */
export class PeopleAdministration<R extends RealmWithAccounts> extends Administration<R> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    super(connected);
    this.#connection = connected.connection;
  }

  listUsers(options: UserOptions<R> = {}): ApiPromise<EntryPage<Account<R>>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "users", ...read(options) });
  }

  createUser(
    user: NewAccount<R>,
    options?: RequestOptions,
  ): ApiPromise<Account<R>, AdministrationError<R> | BodyError | "email_taken"> {
    return this.#call({ method: "POST", path: "users", body: user, options });
  }

  getUser(id: string, options?: RequestOptions): ApiPromise<Account<R>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: userPath(id), options, repeatable: true });
  }

  patchUser(
    id: string,
    patch: AccountPatch<R>,
    options?: RequestOptions,
  ): ApiPromise<Account<R>, AdministrationError<R> | BodyError | "email_taken" | "write_conflict"> {
    return this.#call({ method: "PATCH", path: userPath(id), body: patch, options });
  }

  deleteUser(id: string, options?: ProofOptions): ApiPromise<void, AdministrationError<R>> {
    return this.#call({ method: "DELETE", path: userPath(id), ...proved(options) });
  }

  removeUserFactor(
    id: string,
    options?: ProofOptions,
  ): ApiPromise<void, AdministrationError<R> | "write_conflict"> {
    return this.#call({ method: "DELETE", path: `${userPath(id)}/mfa`, ...proved(options) });
  }

  listUserSessions(
    id: string,
    options: PageOptions = {},
  ): ApiPromise<EntryPage<SessionEntry>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: `${userPath(id)}/sessions`, ...read(options) });
  }

  endUserSessions(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError<R> | "write_conflict"> {
    return this.#call({ method: "DELETE", path: `${userPath(id)}/sessions`, options });
  }

  listInvitations(options: PageOptions = {}): ApiPromise<EntryPage<Invitation<R>>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "invitations", ...read(options) });
  }

  /** With its token, which is shown this once. */
  createInvitation(
    invitation: NewInvitation<R>,
    options?: RequestOptions,
  ): ApiPromise<Invitation<R> & { token: string }, AdministrationError<R> | BodyError> {
    return this.#call({ method: "POST", path: "invitations", body: invitation, options });
  }

  revokeInvitation(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError<R> | "conflict" | "write_conflict"> {
    return this.#call({ method: "DELETE", path: `invitations/${encodeURIComponent(id)}`, options });
  }

  #call<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_admin/${call.path}` });
  }
}

export function peopleAdministration<R extends RealmWithAccounts>(
  connected: Connected<R>,
): PeopleAdministration<R> {
  return new PeopleAdministration(connected);
}

function userPath(id: string): string {
  return `users/${encodeURIComponent(id)}`;
}
