/** What can be wrong with `organizations` of realm.yaml. */

import { didYouMean } from "../../../../runtime/suggest.ts";
import { type Codes, diagnoser } from "../../../diagnostics/diagnose.ts";
import type { Diagnostic } from "../../../diagnostics/diagnostic.ts";
import type { Organizations } from "../../../model/model.ts";
import { locate, nodeAt, type Path } from "../../../source/source.ts";
import type { RealmCheck, RealmSubject } from "../../subject.ts";

export const codes = {
  "unknown-organization-role": {
    severity: "error",
    summary: "A role of organizations or teams that is not declared.",
    message: "'{role}' is not declared under {where}",
    explanation:
      "Roles of organizations are declared under `organizations.roles`, those that are held within teams under `organizations.team_roles`; everything else refers to them by name. The realm's own `roles` are others.",
    wrong: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    member: {}\n  creator_roles: [owner]\n  default_roles: [members]",
    },
    right: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    member: {}\n  creator_roles: [owner]\n  default_roles: [member]",
    },
  },
  "creator-without-org": {
    severity: "error",
    summary: "Who creates an organization could not manage it.",
    message:
      "none of creator_roles has manage: [org], so nobody could manage an organization that is created",
    explanation:
      "Whoever creates an organization is its first member and has `creator_roles` in it. Without `manage: [org]` among them nobody could ever change or delete it, or give that role.",
    wrong: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  create: user.email_verified\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [clerk]",
    },
    right: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  create: user.email_verified\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [owner]",
    },
  },
  "manager-without-org": {
    severity: "warning",
    summary: "Who is to manage an organization could not.",
    message: "none of creator_roles has manage: [org], so nobody whom administrators assign could manage it",
    explanation:
      "Administrators make organizations, and assign a manager to one that has lost its last, by giving `creator_roles`.",
    wrong: { "realm.yaml": "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }" },
    right: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n  creator_roles: [owner]",
    },
  },
  "member-role-manages": {
    severity: "warning",
    summary: "Every member of an organization would manage in it.",
    message: "'{role}' manages {entries}, and every member of every organization has it",
    hint: "take it from default_roles, or its `manage` from the role",
    explanation:
      "`default_roles` are what every member has, also one who came by an open link, which may never give a role that manages.",
    wrong: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [owner]\n  default_roles: [clerk]",
    },
    right: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [owner]\n  default_roles: []",
    },
  },
  "require-mfa-without-totp": {
    severity: "warning",
    summary: "Organizations could require a second factor that nobody has.",
    message: "nobody in the realm has a second factor, so no organization can require one",
    hint: "add mfa: { totp: true }",
    explanation:
      "To require a second factor of its members an organization's manager must have signed in with one, and users enrol one only with `mfa.totp`.",
    wrong: {
      "realm.yaml":
        "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n  creator_roles: [owner]\n  allow_require_mfa: true",
    },
    right: {
      "realm.yaml":
        "auth: enabled\nmfa: { totp: true }\norganizations:\n  roles:\n    owner: { manage: [org] }\n  creator_roles: [owner]\n  allow_require_mfa: true",
    },
  },
} as const satisfies Codes;

const diagnose = diagnoser(codes);

/** The settings of a realm that has organizations; undefined where `auth` makes them an error of its own. */
function settingsOf({ realm }: RealmSubject): Organizations | undefined {
  return realm.auth ? realm.organizations : undefined;
}

/** Roles are named as they are declared. */
const organizationRoles: RealmCheck = (subject) => {
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
const creatorRoles: RealmCheck = (subject) => {
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
const memberRoles: RealmCheck = (subject) => {
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
const requiredMfa: RealmCheck = (subject) => {
  const { realm, settings, faults } = subject;
  const path = ["organizations", "allow_require_mfa"];
  const touched = [path, ["mfa"]].some((each) => faults.touch(settings.path, each));
  if (settingsOf(subject)?.allowRequireMfa !== true || realm.totp || touched) return [];
  return [diagnose("require-mfa-without-totp", locate(settings, path, "key"), {})];
};

export const checks: readonly RealmCheck[] = [organizationRoles, creatorRoles, memberRoles, requiredMfa];
