/** Checks of `organizations` of realm.yaml, and of collections whose documents belong to organizations. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import type { Organizations } from "../model/model.ts";
import type { CollectionCheck, RealmCheck, RealmSubject } from "../settings/subject.ts";
import { locate, nodeAt, type Path } from "../source/source.ts";
import { reliableIndexes } from "./indexes.ts";

/** The settings of a realm that has organizations; undefined where `auth` makes them an error of its own. */
function settingsOf({ realm }: RealmSubject): Organizations | undefined {
  return realm.auth ? realm.organizations : undefined;
}

/** Roles are named as they are declared. */
export const organizationRoles: RealmCheck = (subject) => {
  const organizations = settingsOf(subject);
  if (organizations === undefined) return [];
  const { creatorRoles: creators, defaultRoles: defaults, teamRoles } = organizations;
  return [
    ...unknownRoles(subject, "roles", organizations.roles, ["creator_roles"], creators),
    ...unknownRoles(subject, "roles", organizations.roles, ["default_roles"], defaults),
    ...teamRoles.flatMap(({ name, grants }) =>
      unknownRoles(subject, "team_roles", teamRoles, ["team_roles", name, "grants"], grants),
    ),
  ];
};

/** @param declared what stands under `key`, where they are to be declared; `at`: where they are named */
function unknownRoles(
  { settings, faults }: RealmSubject,
  key: "roles" | "team_roles",
  declared: readonly { readonly name: string }[],
  at: Path,
  named: readonly string[],
): Diagnostic[] {
  const place = ["organizations", ...at];
  const where = `organizations.${key}`;
  if (faults.touch(settings.path, place) || faults.cover(settings.path, ["organizations", key])) return [];
  const names = declared.map(({ name }) => name);
  return named.flatMap((role, index) => {
    if (names.includes(role)) return [];
    const hint = didYouMean(role, names) ?? `declare it under ${where}`;
    return [
      diagnose("unknown-organization-role", locate(settings, [...place, index]), { role, where }, { hint }),
    ];
  });
}

/** Who is given `creator_roles` can manage the organization. */
export const creatorRoles: RealmCheck = (subject) => {
  const { settings, faults } = subject;
  const organizations = settingsOf(subject);
  const touched = ["create", "roles", "creator_roles", "default_roles"].some((key) =>
    faults.touch(settings.path, ["organizations", key]),
  );
  if (organizations === undefined || touched) return [];
  const { create, roles, creatorRoles: creators, defaultRoles } = organizations;
  const held = roles.filter(({ name }) => creators.includes(name) || defaultRoles.includes(name));
  if (held.some(({ manage }) => manage.includes("org"))) return [];
  // Of a misspelt role it is not known what it manages.
  if (creators.some((name) => !roles.some((role) => role.name === name))) return [];
  const given = nodeAt(settings, ["organizations", "creator_roles"]) !== undefined;
  const span = locate(settings, ["organizations", ...(given ? ["creator_roles"] : [])], "key");
  const manager = roles.find(({ manage }) => manage.includes("org"));
  const hint =
    manager === undefined
      ? "declare a role with manage: [org] and name it in creator_roles"
      : `write creator_roles: [${manager.name}]`;
  const created = create !== undefined && create.text !== "false";
  return [diagnose(created ? "creator-without-org" : "manager-without-org", span, {}, { hint })];
};

/** Roles that manage, which every member has. */
export const memberRoles: RealmCheck = (subject) => {
  const { settings, faults } = subject;
  const { roles = [], defaultRoles = [] } = settingsOf(subject) ?? {};
  const touched = ["roles", "default_roles"].some((key) =>
    faults.touch(settings.path, ["organizations", key]),
  );
  if (touched) return [];
  return defaultRoles.flatMap((name, at) => {
    const role = roles.find((each) => each.name === name);
    if (role === undefined || role.manage.length === 0) return [];
    const related = [
      {
        message: "the role is declared here",
        span: locate(settings, ["organizations", "roles", name], "key"),
      },
    ];
    const span = locate(settings, ["organizations", "default_roles", at]);
    return [
      diagnose("member-role-manages", span, { role: name, entries: role.manage.join(", ") }, { related }),
    ];
  });
};

/** Organizations that could require a second factor that nobody has. */
export const requiredMfa: RealmCheck = (subject) => {
  const { realm, settings, faults } = subject;
  const path = ["organizations", "allow_require_mfa"];
  const touched = [path, ["mfa"]].some((each) => faults.touch(settings.path, each));
  if (settingsOf(subject)?.allowRequireMfa !== true || realm.totp || touched) return [];
  return [diagnose("require-mfa-without-totp", locate(settings, path, "key"), {})];
};

/** Unique values tell that a document of another organization has them. */
export const uniqueAcrossOrganizations: CollectionCheck = (subject) => {
  if (subject.collection.organization === undefined) return [];
  return reliableIndexes(subject).flatMap(({ index: { fields, unique, span } }) => {
    const within = fields.some(({ path }) => path === "_meta.org" || path === "_meta.team");
    if (!unique || within) return [];
    const paths = ["_meta.org", ...fields.map(({ path, descending }) => (descending ? `-${path}` : path))];
    return [
      diagnose("index-unique-across", span, { fields: paths.map((path) => JSON.stringify(path)).join(", ") }),
    ];
  });
};
