/** Checks of what realm.yaml says of administrators. */
import { diagnose } from "../diagnostics/catalogue.ts";
import { unused } from "../settings/realm/admin.ts";
import type { RealmCheck } from "../settings/subject.ts";
import { locate } from "../source/source.ts";

/** Roles that administer, given to everybody who signs up. */
export const defaultAdministrators: RealmCheck = ({ realm, settings, faults }) => {
  const { signup, roles, defaultRoles } = realm;
  const touched = ["signup", "roles", "default_roles"].some((key) => faults.touch(settings.path, [key]));
  if (!realm.auth || signup === "closed" || touched) return [];
  return defaultRoles.flatMap((name, at) => {
    const role = roles.find((each) => each.name === name);
    if (role?.admin === undefined) return [];
    const code = signup === "open" ? "default-role-open" : "default-role-invited";
    const related = [
      { message: "the role is declared here", span: locate(settings, ["roles", name], "key") },
    ];
    return [diagnose(code, locate(settings, ["default_roles", at]), { role: name }, { related })];
  });
};

/** Timeouts of administrators that no role makes. */
export const unusedAdministration: RealmCheck = (subject) => {
  if (subject.realm.roles.some(({ admin }) => admin !== undefined)) return [];
  return ["admin_idle_timeout", "admin_max_lifetime"].flatMap((key) =>
    unused(subject, ["sessions", key], "administers"),
  );
};
