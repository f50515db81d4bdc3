/** Codes that come with what a route is, beside its own: as `errorsOf` of the contracts has them. */
import type { AdministratorError, RealmTypes, Refusal } from "./realm.ts";

/** Of routes that look at no credential. */
export type Usual = "invalid_header" | "invalid_query" | "internal_error" | "unavailable";
/** Of routes that look at a credential. */
export type Always = Refusal | Usual;
/** Of any body that comes. */
export type AnyBodyError = "invalid_json" | "payload_too_large" | "unsupported_media_type";
export type BodyError = AnyBodyError | "validation_error";
/** What every route of one organization may answer. */
export type MemberError = Always | "not_org_member" | "org_requires_mfa";
/** What every route of administration may answer. */
export type AdministrationError<R extends RealmTypes> = Always | AdministratorError<R>;
