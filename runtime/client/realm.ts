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
  /** Operations on fixed routes that realms of its kind may have and it does not answer: `$auth.signUp`. */
  unanswered: string;
  /** By the ids of operations that do not answer the same codes in all realms: those that only some realms answer. */
  codes: Record<string, AnyErrorCode>;
  /** By the ids of operations whose bodies are not the same in all realms: what of them differs. */
  bodies: Record<string, object>;
}

/** What of a part of a client, which is at `Path`, the realm answers. */
export type Answered<Part, Path extends string, R extends RealmTypes> = {
  [Name in keyof Part as `${Path}.${Name & string}` extends R["unanswered"] ? never : Name]: Part[Name];
};

/** What an API key may do; on everything: `*`. */
export interface KeyScopes<R extends RealmTypes> {
  read?: "*" | readonly R["scope"][];
  write?: "*" | readonly R["scope"][];
  call?: "*" | readonly R["scope"][];
}

export interface RealmWithAccounts extends RealmTypes {
  accounts: true;
  role: string;
  /** What users say about themselves. */
  profile: object;
}

export interface RealmWithOrganizations extends RealmWithAccounts {
  /** Roles of members of organizations. */
  organizationRole: string;
  /** Roles held within teams. */
  teamRole: string;
  /** What members see of each other's profiles. */
  memberProfile: object;
}

/** Of an object, or of each that it may be, these members, as far as it has them. */
export type Shown<T, Names extends string> = T extends unknown
  ? { [Name in Names & keyof T]?: T[Name] }
  : never;

/** What a credential that does not suffice is answered. */
export type Refusal = Extract<AnyErrorCode, "unauthenticated" | "forbidden">;

/** What administrators are answered beside what everybody is. */
export type AdministratorError<R extends RealmTypes> =
  | Refusal
  | Extract<AnyErrorCode, "not_found">
  | (R["accounts"] extends true ? Extract<AnyErrorCode, "reauth_required"> : never);
