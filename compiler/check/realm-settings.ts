import { diagnose } from "../diagnostics/catalogue.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { ofUsers } from "../settings/realm/auth.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate } from "../source/source.ts";

/** Settings about users in a realm that has none. */
export const accountSettings = ofUsers(
  ...["signup", "signup_limit", "roles", "default_roles", "profile"].map((key) => [key]),
  ...["sessions", "mfa", "email", "organizations"].map((key) => [key]),
);

/** `default_roles` are roles of the realm. */
export const defaultRoles: RealmCheck = ({ realm, settings, faults }) => {
  if (!realm.auth || faults.cover(settings.path, ["roles"]) || faults.touch(settings.path, ["default_roles"]))
    return [];
  const roles = realm.roles.map(({ name }) => name);
  return realm.defaultRoles.flatMap((role, at) => {
    if (roles.includes(role)) return [];
    const hint = didYouMean(role, roles) ?? "declare it under roles";
    return [diagnose("unknown-role", locate(settings, ["default_roles", at]), { role }, { hint })];
  });
};

/** Cookies need an origin that may use them. */
export const cookieOrigins: RealmCheck = ({ realm, settings, faults }) => {
  if (
    realm.sessions.cookie === undefined ||
    realm.origins.length > 0 ||
    faults.touch(settings.path, ["cors"])
  )
    return [];
  return [diagnose("cookie-without-origins", locate(settings, ["sessions", "cookie"], "key"), {})];
};
