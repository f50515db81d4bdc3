/** `roles` and `default_roles`: what users are, and what they are from the start. */
import {
  type AdminGrant,
  adminAreas,
  administrationOf,
  covers,
} from "../../../runtime/realm/administration.ts";
import type { Role } from "../../../runtime/realm/definition.ts";
import { didYouMean } from "../../../runtime/suggest.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { anything, type Given, someOf, texts } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes, Report } from "../change.ts";
import type { RealmCheck } from "../subject.ts";
import { pairs, turnover } from "../words.ts";
import { accountSetting } from "./auth.ts";

declare module "../../model/model.ts" {
  interface Realm {
    /** Sorted by name. */
    readonly roles: readonly Role[];
    readonly defaultRoles: readonly string[];
  }
}

const codes = {
  "unknown-role": {
    severity: "error",
    summary: "A role that the realm does not declare.",
    message: "the realm has no role '{role}'",
    explanation: "Roles are declared under `roles`; everything else refers to them by name.",
    wrong: { "realm.yaml": "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editors]" },
    right: { "realm.yaml": "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editor]" },
  },
  "default-role-open": {
    severity: "error",
    summary: "Anybody who signs up would administer.",
    message: "'{role}' administers, and with signup: open anybody who signs up is given it",
    hint: "take it from default_roles, or its `admin` from the role",
    explanation: "`default_roles` are given at sign-up, and with `signup: open` anybody signs up.",
    wrong: {
      "realm.yaml": "auth: enabled\nsignup: open\nroles:\n  staff: { admin: read }\ndefault_roles: [staff]",
    },
    right: {
      "realm.yaml": "auth: enabled\nsignup: open\nroles:\n  staff: { admin: read }\ndefault_roles: []",
    },
  },
  "default-role-invited": {
    severity: "warning",
    summary: "Everybody who is invited will administer.",
    message: "'{role}' administers, and everybody who signs up with an invitation is given it",
    hint: "name the role in the invitations that should give it",
    explanation:
      "`default_roles` are given at sign-up beside the roles of the invitation, so that an invitation without any roles makes an administrator.",
    wrong: {
      "realm.yaml": "auth: enabled\nsignup: invite\nroles:\n  staff: { admin: read }\ndefault_roles: [staff]",
    },
    right: {
      "realm.yaml": "auth: enabled\nsignup: invite\nroles:\n  staff: { admin: read }\ndefault_roles: []",
    },
  },
} as const satisfies Codes;

const changes = {
  "role-removed": {
    kind: "breaking",
    message: "the role is gone",
    why: "Nobody holds it any longer, and it cannot be given.",
  },
  "role-added": { kind: "additive", message: "the role is new", why: "It can be given." },
  "role-administration-narrowed": {
    kind: "breaking",
    message: "administered {old}, administers {new}",
    why: "Holders of the role may do less under `_admin`.",
  },
  "role-administration-widened": {
    kind: "additive",
    message: "administered {old}, administers {new}",
    why: "Holders of the role may do more under `_admin`.",
  },
  "default-role-removed": {
    kind: "breaking",
    message: "new users do not get {roles} any longer",
    why: "They may do less than those before them.",
  },
  "default-role-added": {
    kind: "additive",
    message: "new users get {roles}",
    why: "They may do more than those before them.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const knownRoles: RealmCheck = ({ realm, settings, faults }) => {
  if (!realm.auth || faults.cover(settings.path, ["roles"]) || faults.touch(settings.path, ["default_roles"]))
    return [];
  const roles = realm.roles.map(({ name }) => name);
  return realm.defaultRoles.flatMap((role, at) => {
    if (roles.includes(role)) return [];
    const hint = didYouMean(role, roles) ?? "declare it under roles";
    return [diagnose("unknown-role", locate(settings, ["default_roles", at]), { role }, { hint })];
  });
};

/** Roles that administer, given to everybody who signs up. */
const defaultAdministrators: RealmCheck = ({ realm, settings, faults }) => {
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

function compareRoles(old: Realm, now: Realm, report: Report<typeof changes>): void {
  for (const { name, before, after } of pairs(old.roles, now.roles)) {
    const where = `roles.${name}`;
    if (before === undefined || after === undefined) {
      report(after === undefined ? "role-removed" : "role-added", where, {});
      continue;
    }
    const parameters = { old: grantText(before.admin), new: grantText(after.admin) };
    if (parameters.old === parameters.new) continue;
    // What `read` covers is compared by itself.
    const [held, holds] = [before.admin, after.admin].map((grant) =>
      administrationOf(grant === undefined ? [] : [grant], now.admin.readAccess),
    );
    const widened = covers(holds, held);
    report(widened ? "role-administration-widened" : "role-administration-narrowed", where, parameters);
  }
}

function grantText(grant: AdminGrant | undefined): string {
  if (grant === undefined) return "nothing";
  if (grant === true) return "everything";
  if (grant === "read") return "by reading";
  return grant.length === 0 ? "nothing" : grant.join(", ");
}

function rolesOf(given: Given): readonly Role[] {
  const grants = someOf(...adminAreas);
  return given
    .in("roles")
    .named()
    .map(([name, role]) => {
      const admin = role.read("admin", anything);
      const grant = admin === true || admin === "read" ? admin : grants(admin);
      return { name, ...(grant === undefined ? {} : { admin: grant }) };
    });
}

export const roles = accountSetting(["roles", "default_roles"], {
  codes,
  changes,
  checks: [knownRoles, defaultAdministrators],
  compare: ({ realm: old }, { realm: now }, report) => {
    compareRoles(old, now, report);
    const { gone, added } = turnover(old.defaultRoles, now.defaultRoles);
    if (gone) report("default-role-removed", "default_roles", { roles: gone });
    if (added) report("default-role-added", "default_roles", { roles: added });
  },
  read: ({ given }) => ({ roles: rolesOf(given), defaultRoles: given.read("default_roles", texts) }),
  accounts: ({ realm: { roles, defaultRoles } }) => ({ roles, defaultRoles }),
  effective: ({ realm: { roles, defaultRoles } }) => ({
    roles: Object.fromEntries(roles.map(({ name, admin }) => [name, admin === undefined ? {} : { admin }])),
    default_roles: defaultRoles,
  }),
});
