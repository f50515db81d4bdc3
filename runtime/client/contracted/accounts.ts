// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import { begun, ended, type ProofOptions, pathWith, proved } from "../calls.ts";
import type { Connected } from "../connected.ts";
import type { Connection } from "../connection.ts";
import type { ApiPromise } from "../errors.ts";
import { type EntryPage, type PageOptions, read } from "../pages.ts";
import type { Answered, RealmWithAccounts } from "../realm.ts";
import type { RequestOptions } from "../request.ts";
import type { Always, AnyBodyError, BodyError, Usual } from "../route-errors.ts";
import type {
  LogIn,
  MadePersonalToken,
  NewPersonalToken,
  PersonalToken,
  Session,
  SessionEntry,
  SignUp,
  User,
  UserPatch,
} from "./account-types.ts";

/** The caller's own account and sessions. A session signed in to is used by this client until `logOut`. */
export class Accounts<R extends RealmWithAccounts> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    this.#connection = connected.connection;
  }

  /** Register and sign in. The session is one as after a login. */
  signUp(
    body: SignUp<R>,
    options?: RequestOptions,
  ): ApiPromise<
    { user: User<R>; session: Session },
    Usual | BodyError | "email_taken" | "invalid_invitation" | "too_many_requests" | R["codes"]["signUp"]
  > {
    return begun(this.#connection, { method: "POST", path: "_auth/signup", body, options });
  }

  /** Sign in. Many failures within 15 minutes close the account to the address, or either, for a while. */
  logIn(
    body: LogIn<R>,
    options?: RequestOptions,
  ): ApiPromise<
    { user: User<R>; session: Session },
    | Usual
    | BodyError
    | "invalid_credentials"
    | "mfa_required"
    | "forbidden"
    | "too_many_requests"
    | "write_conflict"
  > {
    return begun(this.#connection, { method: "POST", path: "_auth/login", body, options });
  }

  /** End this session. Its token is unknown from then on. */
  logOut(options?: RequestOptions): ApiPromise<void, Always | AnyBodyError> {
    return ended(this.#connection, { method: "POST", path: "_auth/logout", options });
  }

  /**
   * Prove again who is signed in. What it answers is sent as `X-Svc-Reauth` with sensitive requests of
   * this session, for 5 minutes. It also restores the session's administration. Failures count as those
   * of a login do.
   */
  reauthenticate(
    body:
      | {
          password: string;
          /** Of the second factor: six digits, or a recovery code, which counts once. */
          code?: string | null | undefined;
        }
      | {
          password?: string | null | undefined;
          /** Of the second factor: six digits, or a recovery code, which counts once. */
          code: string;
        },
    options?: RequestOptions,
  ): ApiPromise<
    {
      /** For `X-Svc-Reauth`, with this session. */
      proof: string;
      expires_at: string;
    },
    Always | BodyError | "invalid_credentials" | "mfa_required" | "too_many_requests" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: "_auth/reauth", body, options });
  }

  /** Fetch the signed-in user. Whom the session belongs to, with their roles. */
  me(options?: RequestOptions): ApiPromise<User<R>, Always> {
    return this.#connection.call({ method: "GET", path: "_auth/me", options, repeatable: true });
  }

  /** Change the signed-in user's locale or profile. JSON Merge Patch (RFC 7396). */
  patchMe(
    patch: UserPatch<R>,
    options?: RequestOptions,
  ): ApiPromise<User<R>, Always | BodyError | "write_conflict"> {
    return this.#connection.call({ method: "PATCH", path: "_auth/me", body: patch, options });
  }

  /** Delete the signed-in user's account. Documents stay, with the user's id as their owner. */
  deleteMe(options?: ProofOptions): ApiPromise<void, Always | "reauth_required"> {
    return ended(this.#connection, { method: "DELETE", path: "_auth/me", ...proved(options) });
  }

  /** List the signed-in user's sessions. Those that have not ended; one of them is the `current` one. */
  sessions(options: PageOptions = {}): ApiPromise<EntryPage<SessionEntry>, Always> {
    return this.#connection.call({ method: "GET", path: "_auth/sessions", ...read(options) });
  }

  /** End all sessions but this one. Their tokens are unknown from then on. */
  endOtherSessions(options?: RequestOptions): ApiPromise<void, Always> {
    return this.#connection.call({ method: "DELETE", path: "_auth/sessions", options });
  }

  /** End a session. One of the signed-in user's own. */
  endSession(id: string, options?: RequestOptions): ApiPromise<void, Always | "not_found"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_auth/sessions/${id}`, options });
  }

  /** Choose another password. Ends the user's other sessions. */
  changePassword(
    body: { current: string; new: string },
    options?: RequestOptions,
  ): ApiPromise<void, Always | BodyError | "invalid_credentials" | "too_many_requests" | "write_conflict"> {
    return this.#connection.call({ method: "POST", path: "_auth/password/change", body, options });
  }

  /**
   * Ask for a mail to choose a new password with. The answer is the same whether anybody has the
   * address.
   */
  forgotPassword(body: { email: string }, options?: RequestOptions): ApiPromise<void, Usual | BodyError> {
    return this.#connection.call({ method: "POST", path: "_auth/password/forgot", body, options });
  }

  /** Choose a new password by a mailed token. Ends all of the user's sessions. */
  resetPassword(
    body: { token: string; password: string },
    options?: RequestOptions,
  ): ApiPromise<void, Usual | BodyError | "invalid_token" | "write_conflict"> {
    return this.#connection.call({ method: "POST", path: "_auth/password/reset", body, options });
  }

  /**
   * Prove an address by the token that was mailed to it. Of the account, or the one that it will have
   * from then on.
   */
  verifyEmail(
    body: { token: string },
    options?: RequestOptions,
  ): ApiPromise<void, Usual | BodyError | "invalid_token" | "email_taken" | "write_conflict"> {
    return this.#connection.call({ method: "POST", path: "_auth/email/verify", body, options });
  }

  /** Ask for another mail to verify the address with. Its token ends the one that was mailed before. */
  sendVerification(options?: RequestOptions): ApiPromise<void, Always | AnyBodyError> {
    return this.#connection.call({ method: "POST", path: "_auth/email/verify/send", options });
  }

  /**
   * Move the account to another address. Takes effect when the new address is verified. The answer is
   * the same for an address that is taken.
   */
  changeEmail(
    body: { email: string },
    options?: ProofOptions,
  ): ApiPromise<void, Always | BodyError | "reauth_required"> {
    return this.#connection.call({ method: "POST", path: "_auth/email/change", body, ...proved(options) });
  }

  /**
   * Ask for a secret for an authenticator app. Needs a verified address. Counts once a code of it is
   * confirmed; until then the second factor that there is stays.
   */
  enrolTotp(options?: ProofOptions): ApiPromise<
    {
      /** Base32, for typing in. */
      secret: string;
      /** `otpauth://…`, for a QR code. */
      uri: string;
    },
    Always | AnyBodyError | "reauth_required" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: "_auth/mfa/totp", ...proved(options) });
  }

  /** Give up the second factor. Its recovery codes end with it. */
  removeTotp(
    options?: ProofOptions,
  ): ApiPromise<void, Always | "reauth_required" | "not_found" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: "_auth/mfa/totp", ...proved(options) });
  }

  /** Make new recovery codes. Those that are left end. */
  renewRecoveryCodes(options?: ProofOptions): ApiPromise<
    {
      /** Shown this once. Each does once instead of a code. */
      recovery_codes: string[];
    },
    Always | AnyBodyError | "reauth_required" | "not_found" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: "_auth/mfa/recovery_codes", ...proved(options) });
  }

  /**
   * Make the new secret the second factor, by a code of it. This session counts as one with a second
   * factor from then on.
   */
  confirmTotp(
    body: { code: string },
    options?: RequestOptions,
  ): ApiPromise<
    {
      /** Shown this once. Each does once instead of a code. */
      recovery_codes: string[];
    },
    Always | BodyError | "invalid_credentials" | "too_many_requests" | "write_conflict"
  > {
    return this.#connection.call({ method: "POST", path: "_auth/mfa/totp/confirm", body, options });
  }

  /** List the signed-in user's personal tokens. Oldest first. */
  tokens(options: PageOptions = {}): ApiPromise<EntryPage<PersonalToken>, Always> {
    return this.#connection.call({ method: "GET", path: "_auth/tokens", ...read(options) });
  }

  /**
   * Make a personal token. An API key that always acts as its user, under the rules. It has no session:
   * of `_auth` and `_orgs` it may nothing. At most 50.
   */
  createToken(
    body: NewPersonalToken<R>,
    options?: ProofOptions,
  ): ApiPromise<MadePersonalToken, Always | BodyError | "reauth_required" | "conflict" | "write_conflict"> {
    return this.#connection.call({ method: "POST", path: "_auth/tokens", body, ...proved(options) });
  }

  /** Rotate a personal token. Its id and its end stay; the former one is good for a while still. */
  rotateToken(
    id: string,
    body: {
      /** How long the former key is good still, `0s` to `7d`; default `24h`. Never beyond its own end. */
      overlap?: string | null | undefined;
    } = {},
    options?: ProofOptions,
  ): ApiPromise<
    MadePersonalToken,
    Always | BodyError | "reauth_required" | "not_found" | "conflict" | "write_conflict"
  > {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_auth/tokens/${id}/rotate`,
      body,
      ...proved(options),
    });
  }

  /** Revoke a personal token. It ends with the next request, and with it what rotations left of it. */
  revokeToken(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, Always | "not_found" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_auth/tokens/${id}`, options });
  }
}

/** What of it the realm answers. */
export type AccountsOf<R extends RealmWithAccounts> = Answered<Accounts<R>, "$auth", R>;

export function accounts<R extends RealmWithAccounts>(connected: Connected<R>): AccountsOf<R> {
  return new Accounts(connected);
}
