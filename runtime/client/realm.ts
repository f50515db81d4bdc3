/** What varies by realm: the emitted module declares these itself. Here they are what every realm's are a case of. */
import type { ErrorCode } from "../errors.ts";

/** The realm's roles. */
export type Role = string;

/** What users say about themselves. */
export type Profile = Record<string, unknown>;

/** What an API key may be limited to: databases, and collections as `database/collection`. */
export type Scope = string;

/** How a sign-up is invited. */
export type InvitationChoice = { invitation?: string | undefined };

/** Whether a session is kept in a cookie. */
export type CookieChoice = { cookie?: boolean | undefined };

/** What a credential that does not suffice is answered. */
export type Refusal = Extract<ErrorCode, "unauthenticated" | "forbidden">;

/** What administrators are answered beside what everybody is. */
export type AdministratorError = Refusal | Extract<ErrorCode, "reauth_required" | "not_found">;

/** Roles of members of organizations. */
export type OrganizationRole = string;

/** Roles held within teams. */
export type TeamRoleName = string;
