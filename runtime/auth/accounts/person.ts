import type { ProfileJudge } from "../../http/contract-body.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import { validationDetails } from "../../validation/details.ts";
import { canonicalLocale, emailKey, isPassword } from "../../validation/people.ts";
import { type BodyReader, invalid } from "../input.ts";

/** Characters of a profile's JSON: it accompanies every request of its user. */
const profileLength = 16_384;

/** The required member `email`: as written, and in the form it compares in. */
export function readEmail(body: BodyReader): { readonly email: string; readonly email_key: string } {
  const email = body.string("email");
  const key = emailKey(email);
  if (key === undefined) body.problem("email", "must be an e-mail address");
  return { email, email_key: key ?? "" };
}

/** The required member that holds a new password. */
export function newPassword(body: BodyReader, name: string): string {
  const password = body.string(name);
  if (!isPassword(password)) body.problem(name, "must have 8 to 256 characters");
  return password;
}

/** The optional member `locale`; null takes it away. */
export function readLocale(body: BodyReader): string | null | undefined {
  const locale = body.optionalString("locale");
  if (typeof locale !== "string") return locale;
  const canonical = canonicalLocale(locale);
  if (canonical === undefined) body.problem("locale", "must be a language tag (BCP 47) such as de-CH");
  return canonical;
}

/** The optional member `profile` of a new account. */
export function readProfile(body: BodyReader, accounts: AccountSettings): JsonObject | null | undefined {
  const profile = body.optionalObject("profile");
  if (!isJsonObject(profile)) return profile;
  for (const { path, reason } of profileJudge(accounts)(profile, "profile")) body.problem(path, reason);
  return profile;
}

/**
 * A profile after a JSON Merge Patch of it; null takes it away.
 * @throws ApiError `validation_error` when the result is not a valid profile.
 */
export function patchProfile(
  before: JsonObject | null,
  patch: JsonObject | null,
  accounts: AccountSettings,
): JsonObject | null {
  if (patch === null) return null;
  const profile = mergePatch(before ?? {}, patch);
  const problems = profileJudge(accounts)(profile, "profile");
  if (problems.length > 0) throw invalid(problems);
  return profile;
}

/** What is wrong with profiles: their size, or by the realm's schema for them. */
export function profileJudge({ validateProfile }: AccountSettings): ProfileJudge {
  return (profile, path) => {
    if (JSON.stringify(profile).length > profileLength) {
      return [{ path, reason: `must have at most ${profileLength} characters as JSON` }];
    }
    if (validateProfile === undefined || validateProfile(profile)) return [];
    return validationDetails(validateProfile.errors ?? [], path);
  };
}
