import type { ErrorCode } from "../errors.ts";
import { type ProofOptions, proved, type SessionEntry, type User, type UserPatch } from "./accounts.ts";
import { Administration, type AdministrationError } from "./administration.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { BodyError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { Profile, Role } from "./realm.ts";

/** A user as administrators see it. */
export interface Account extends User {
  status: "active" | "disabled";
}

export interface NewAccount {
  email: string;
  /** Without one a mail lets the user choose it. */
  password?: string | null | undefined;
  /** The realm's default roles unless given. */
  roles?: readonly Role[] | undefined;
  locale?: string | null | undefined;
  profile?: Profile | null | undefined;
  email_verified?: boolean | undefined;
}

export interface AccountPatch extends UserPatch {
  /** All of them. */
  roles?: readonly Role[] | undefined;
  /** Disabling ends the user's sessions. */
  disabled?: boolean | undefined;
  /** A new one is unverified. */
  email?: string | undefined;
}

export interface UserOptions extends PageOptions {
  /** Part of the address. */
  q?: string | undefined;
  role?: Role | undefined;
  status?: Account["status"] | undefined;
}

export interface Invitation {
  id: string;
  /** Who may use it; null: whoever has it. */
  email: string | null;
  roles: Role[];
  status: "pending" | "accepted" | "expired" | "revoked";
  expires_at: string;
  created_at: string;
  created_by: string;
}

export interface NewInvitation {
  email?: string | null | undefined;
  /** Given beside the realm's default roles. */
  roles?: readonly Role[] | undefined;
  /** A duration of at most `30d`; `7d` unless given. */
  expires_in?: string | null | undefined;
}

/** The administration of a realm with accounts. */
export class PeopleAdministration extends Administration {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  listUsers(options: UserOptions = {}): ApiPromise<EntryPage<Account>, AdministrationError> {
    return this.#call({ method: "GET", path: "users", ...read(options) });
  }

  createUser(
    user: NewAccount,
    options?: RequestOptions,
  ): ApiPromise<Account, AdministrationError | BodyError | "email_taken"> {
    return this.#call({ method: "POST", path: "users", body: user, options });
  }

  getUser(id: string, options?: RequestOptions): ApiPromise<Account, AdministrationError> {
    return this.#call({ method: "GET", path: userPath(id), options, repeatable: true });
  }

  patchUser(
    id: string,
    patch: AccountPatch,
    options?: RequestOptions,
  ): ApiPromise<Account, AdministrationError | BodyError | "email_taken" | "write_conflict"> {
    return this.#call({ method: "PATCH", path: userPath(id), body: patch, options });
  }

  deleteUser(id: string, options?: ProofOptions): ApiPromise<void, AdministrationError> {
    return this.#call({ method: "DELETE", path: userPath(id), ...proved(options) });
  }

  removeUserFactor(
    id: string,
    options?: ProofOptions,
  ): ApiPromise<void, AdministrationError | "write_conflict"> {
    return this.#call({ method: "DELETE", path: `${userPath(id)}/mfa`, ...proved(options) });
  }

  listUserSessions(
    id: string,
    options: PageOptions = {},
  ): ApiPromise<EntryPage<SessionEntry>, AdministrationError> {
    return this.#call({ method: "GET", path: `${userPath(id)}/sessions`, ...read(options) });
  }

  endUserSessions(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError | "write_conflict"> {
    return this.#call({ method: "DELETE", path: `${userPath(id)}/sessions`, options });
  }

  listInvitations(options: PageOptions = {}): ApiPromise<EntryPage<Invitation>, AdministrationError> {
    return this.#call({ method: "GET", path: "invitations", ...read(options) });
  }

  /** With its token, which is shown this once. */
  createInvitation(
    invitation: NewInvitation,
    options?: RequestOptions,
  ): ApiPromise<Invitation & { token: string }, AdministrationError | BodyError> {
    return this.#call({ method: "POST", path: "invitations", body: invitation, options });
  }

  revokeInvitation(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError | "conflict" | "write_conflict"> {
    return this.#call({ method: "DELETE", path: `invitations/${encodeURIComponent(id)}`, options });
  }

  #call<T, Code extends ErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_admin/${call.path}` });
  }
}

function userPath(id: string): string {
  return `users/${encodeURIComponent(id)}`;
}
