import type { MergePatch } from "../documents/shape.ts";
import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Connection, RequestOptions } from "./connection.ts";
import type { Always, AnyBodyError, BodyError } from "./documents.ts";
import { type ApiPromise, isApiError } from "./errors.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { RealmWithAccounts } from "./realm.ts";

export interface User<R extends RealmWithAccounts> {
  id: string;
  email: string;
  email_verified: boolean;
  /** A language tag such as `de-CH`. */
  locale: string | null;
  roles: R["role"][];
  profile: R["profile"] | null;
  /** Whether there is a second factor. */
  mfa: boolean;
  created_at: string;
}

export interface Session {
  id: string;
  /** Absent where the session is kept in a cookie. */
  token?: string;
  expires_at: string;
}

export interface SessionEntry {
  id: string;
  created_at: string;
  last_used_at: string;
  expires_at: string;
  current: boolean;
  user_agent: string | null;
  address: string;
}

/** What users change of themselves and administrators of them; null removes. */
export interface UserPatch<R extends RealmWithAccounts> {
  locale?: string | null | undefined;
  profile?: MergePatch<R["profile"]> | null | undefined;
}

export type SignUp<R extends RealmWithAccounts> = {
  email: string;
  password: string;
  locale?: string | null | undefined;
  profile?: R["profile"] | null | undefined;
} & R["signUp"] &
  R["session"];

export type LogIn<R extends RealmWithAccounts> = {
  email: string;
  password: string;
  /** Of the second factor. */
  code?: string | undefined;
} & R["session"];

/** For operations that need a fresh proof of identity. */
export interface ProofOptions extends RequestOptions {
  /** From `reauthenticate`. */
  proof?: string | undefined;
}

interface SignedIn<R extends RealmWithAccounts> {
  user: User<R>;
  session: Session;
}

/** The caller's own account and sessions. A session signed in to is used by this client until `logOut`. */
export class Accounts<R extends RealmWithAccounts> {
  readonly #connection: Connection;

  constructor({ connection }: Connected<R>) {
    this.#connection = connection;
  }

  signUp(
    body: SignUp<R>,
    options?: RequestOptions,
  ): ApiPromise<
    SignedIn<R>,
    Open | BodyError | "email_taken" | "invalid_invitation" | "too_many_requests" | SignUpRefusal<R>
  > {
    return this.#signIn("signup", body, options);
  }

  logIn(
    body: LogIn<R>,
    options?: RequestOptions,
  ): ApiPromise<
    SignedIn<R>,
    | Open
    | BodyError
    | "invalid_credentials"
    | "mfa_required"
    | "forbidden"
    | "too_many_requests"
    | "write_conflict"
  > {
    return this.#signIn("login", body, options);
  }

  logOut(options?: RequestOptions): ApiPromise<void, Always | AnyBodyError> {
    return this.#post<void, never>("logout", undefined, options).then(
      () => this.#forget(),
      (error: unknown) => {
        // It has ended before.
        if (isApiError(error, "unauthenticated")) this.#forget();
        throw error;
      },
    );
  }

  me(options?: RequestOptions): ApiPromise<User<R>, Always> {
    return this.#connection.call({ method: "GET", path: "_auth/me", options, repeatable: true });
  }

  patchMe(
    patch: UserPatch<R>,
    options?: RequestOptions,
  ): ApiPromise<User<R>, Always | BodyError | "write_conflict"> {
    return this.#connection.call({ method: "PATCH", path: "_auth/me", body: patch, options });
  }

  deleteMe(options?: ProofOptions): ApiPromise<void, Always | "reauth_required"> {
    return this.#connection
      .call<void, never>({ method: "DELETE", path: "_auth/me", ...proved(options) })
      .then(() => this.#forget());
  }

  /** Proves again who is signed in, for five minutes: by the password, or the code of a second factor. */
  reauthenticate(
    body: { password: string; code?: string | undefined } | { password?: string | undefined; code: string },
    options?: RequestOptions,
  ): ApiPromise<
    { proof: string; expires_at: string },
    Always | BodyError | "invalid_credentials" | "mfa_required" | "too_many_requests" | "write_conflict"
  > {
    return this.#post("reauth", body, options);
  }

  sessions(options?: PageOptions): ApiPromise<EntryPage<SessionEntry>, Always> {
    return this.#connection.call({ method: "GET", path: "_auth/sessions", ...read(options ?? {}) });
  }

  endSession(id: string, options?: RequestOptions): ApiPromise<void, Always | "not_found"> {
    const path = `_auth/sessions/${encodeURIComponent(id)}`;
    return this.#connection.call({ method: "DELETE", path, options });
  }

  endOtherSessions(options?: RequestOptions): ApiPromise<void, Always> {
    return this.#connection.call({ method: "DELETE", path: "_auth/sessions", options });
  }

  /** Ends the other sessions. */
  changePassword(
    body: { current: string; new: string },
    options?: RequestOptions,
  ): ApiPromise<void, Always | BodyError | "invalid_credentials" | "too_many_requests" | "write_conflict"> {
    return this.#post("password/change", body, options);
  }

  /** Asks for a mail to choose a new password with. */
  forgotPassword(body: { email: string }, options?: RequestOptions): ApiPromise<void, Open | BodyError> {
    return this.#post("password/forgot", body, options);
  }

  resetPassword(
    body: { token: string; password: string },
    options?: RequestOptions,
  ): ApiPromise<void, Open | BodyError | "invalid_token" | "write_conflict"> {
    return this.#post("password/reset", body, options);
  }

  verifyEmail(
    body: { token: string },
    options?: RequestOptions,
  ): ApiPromise<void, Open | BodyError | "invalid_token" | "email_taken" | "write_conflict"> {
    return this.#post("email/verify", body, options);
  }

  sendVerification(options?: RequestOptions): ApiPromise<void, Always | AnyBodyError> {
    return this.#post("email/verify/send", undefined, options);
  }

  /** Takes effect when the new address is verified. */
  changeEmail(
    body: { email: string },
    options?: ProofOptions,
  ): ApiPromise<void, Always | BodyError | "reauth_required"> {
    return this.#post("email/change", body, options);
  }

  /** The secret of a second factor, at a verified address; it counts once `confirmTotp` has seen a code of it. */
  enrolTotp(
    options?: ProofOptions,
  ): ApiPromise<
    { secret: string; uri: string },
    Always | AnyBodyError | "reauth_required" | "write_conflict"
  > {
    return this.#post("mfa/totp", undefined, options);
  }

  confirmTotp(
    body: { code: string },
    options?: RequestOptions,
  ): ApiPromise<
    { recovery_codes: string[] },
    Always | BodyError | "invalid_credentials" | "too_many_requests" | "write_conflict"
  > {
    return this.#post("mfa/totp/confirm", body, options);
  }

  /** Those that are left end. */
  renewRecoveryCodes(
    options?: ProofOptions,
  ): ApiPromise<
    { recovery_codes: string[] },
    Always | AnyBodyError | "reauth_required" | "not_found" | "write_conflict"
  > {
    return this.#post("mfa/recovery_codes", undefined, options);
  }

  removeTotp(
    options?: ProofOptions,
  ): ApiPromise<void, Always | "reauth_required" | "not_found" | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: "_auth/mfa/totp", ...proved(options) });
  }

  #post<T, Code extends AnyErrorCode>(
    path: string,
    body: unknown,
    options?: ProofOptions,
  ): ApiPromise<T, Code> {
    return this.#connection.call({ method: "POST", path: `_auth/${path}`, body, ...proved(options) });
  }

  #forget(): void {
    this.#connection.session = undefined;
  }

  async #signIn(path: string, body: SignUp<R> | LogIn<R>, options?: RequestOptions): Promise<SignedIn<R>> {
    const signedIn = await this.#post<SignedIn<R>, never>(path, body, options);
    this.#connection.session = signedIn.session.token;
    return signedIn;
  }
}

/** Those that the realm answers. */
export type AccountsOf<R extends RealmWithAccounts> = Omit<Accounts<R>, R["unanswered"]>;

export function accounts<R extends RealmWithAccounts>(connected: Connected<R>): AccountsOf<R> {
  return new Accounts(connected);
}

/** Where an invitation may be missing, or a cookie be asked for. */
type SignUpRefusal<R extends RealmWithAccounts> =
  | (R["signUp"] extends { invitation: string } ? "forbidden" : never)
  | ("cookie" extends keyof R["session"] ? "forbidden" : never);

/** Routes that look at no credential. */
type Open = Exclude<Always, "unauthenticated" | "forbidden">;

export function proved({ proof, ...options }: ProofOptions = {}) {
  return { headers: { "X-Svc-Reauth": proof }, options };
}
