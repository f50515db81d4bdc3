/** What varies by realm in the types of its client: every `client.ts` says what it is there. */
import type { AnyErrorCode } from "./codes.ts";
import type { Shape } from "./queries.ts";

export interface RealmTypes {
  /** What its collections hold and can do, by database and name. */
  shapes: Record<string, Record<string, Shape>>;
  /** Whether it has accounts. */
  accounts: boolean;
  /** What an API key may be limited to: databases, and collections as `database/collection`. */
  scope: string;
}

export interface RealmWithAccounts extends RealmTypes {
  accounts: true;
  role: string;
  /** What users say about themselves. */
  profile: object;
  /** What a sign-up says beside the account: of its invitation. */
  signUp: object;
  /** What a sign-up and a login may say of the session: whether it is kept in a cookie. */
  session: object;
  /** Operations on accounts that it does not answer. */
  unanswered: string;
}

export interface RealmWithOrganizations extends RealmWithAccounts {
  /** Roles of members of organizations. */
  organizationRole: string;
  /** Roles held within teams. */
  teamRole: string;
}

/** What a credential that does not suffice is answered. */
export type Refusal = Extract<AnyErrorCode, "unauthenticated" | "forbidden">;

/** What administrators are answered beside what everybody is. */
export type AdministratorError<R extends RealmTypes> =
  | Refusal
  | Extract<AnyErrorCode, "not_found">
  | (R["accounts"] extends true ? Extract<AnyErrorCode, "reauth_required"> : never);
