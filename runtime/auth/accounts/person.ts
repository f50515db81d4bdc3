import { invalidBody } from "../../errors.ts";
import type { ProfileJudge } from "../../http/contract-body.ts";
import type { JsonObject } from "../../json.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import { validationDetails } from "../../validation/details.ts";

/** Characters of a profile's JSON: it accompanies every request of its user. */
const profileLength = 16_384;

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
  if (problems.length > 0) throw invalidBody(problems);
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
