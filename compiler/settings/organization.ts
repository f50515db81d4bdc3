/** `organization`, `teams` and `on_org_delete`: documents belong to organizations. */
import { organizationFields, teamFields } from "../../runtime/filter/fields.ts";
import type { CollectionOrganization } from "../../runtime/realm/definition.ts";
import { type Codes, diagnoser } from "../diagnostics/diagnose.ts";
import { oneOf, present } from "../model/given.ts";
import type { Collection } from "../model/model.ts";
import { locate, nodeAt } from "../source/source.ts";
import type { Changes, Report } from "./change.ts";
import { collectionSetting } from "./setting.ts";
import { type CollectionCheck, isReliable } from "./subject.ts";

declare module "../model/model.ts" {
  interface Collection {
    readonly organization?: CollectionOrganization;
  }
}

const codes = {
  "organization-without-realm": {
    severity: "error",
    summary: "A collection of organizations in a realm that has none.",
    message: "documents cannot belong to organizations: the realm has none",
    explanation: "Organizations, their roles and limits are declared under `organizations` in realm.yaml.",
    wrong: { "realm.yaml": "auth: enabled", "collection.yaml": "organization: required" },
    right: { "collection.yaml": "organization: required" },
  },
  "setting-without-organization": {
    severity: "error",
    summary: "A setting about organizations in a collection that does not use them.",
    message: "'{key}' needs organization: documents of this collection belong to none",
    hint: "add organization: required or optional, or remove it",
    explanation:
      "Teams are parts of organizations, and only what belongs to an organization can go with it. The setting could only mislead.",
    wrong: { "collection.yaml": "on_org_delete: delete" },
    right: { "collection.yaml": "organization: required\non_org_delete: delete" },
  },
  "custom-id-tells": {
    severity: "warning",
    summary: "Ids that clients choose tell what other organizations have.",
    message: "ids are unique over all organizations, so that id_taken tells of a document of another one",
    hint: "let the server make ids, and give a field of your own a unique index with _meta.org",
    explanation:
      "Ids are unique in a collection, over all organizations. Who may create documents could try ids to learn which ones others use; `duplicate_limit` only slows that down.",
    wrong: { "collection.yaml": "organization: required\ncustom_id: true" },
    right: { "collection.yaml": "organization: required" },
  },
} as const satisfies Codes;

const changes = {
  "organization-required": {
    kind: "breaking",
    message: "each document belongs to an organization: a create without org is refused (org_required)",
    why: "Creates as they were sent are refused.",
  },
  "organization-optional": {
    kind: "additive",
    message: "documents may belong to an organization: the parameter org, and _meta.org",
    why: "Creates go on working without one.",
  },
  "organization-removed": {
    kind: "breaking",
    message: "documents belong to no organization: the parameter org is refused, and _meta.org is gone",
    why: "Creates and lists that name one are refused.",
  },
  "teams-required": {
    kind: "breaking",
    message:
      "each document of an organization belongs to a team: a create without team is refused (team_required)",
    why: "Creates as they were sent are refused.",
  },
  "teams-optional": {
    kind: "additive",
    message: "documents may belong to a team: the parameter team, and _meta.team",
    why: "Creates go on working without one.",
  },
  "teams-removed": {
    kind: "breaking",
    message: "documents belong to no team: the parameter team is refused, and _meta.team is gone",
    why: "Creates and lists that name one are refused.",
  },
  "org-delete-erases": {
    kind: "breaking",
    message: "documents of a deleted organization were kept, are removed",
    why: "An organization that comes back comes without them.",
  },
  "org-delete-keeps": {
    kind: "additive",
    message: "documents of a deleted organization were removed, are kept",
    why: "An organization that comes back comes with them.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

/** `organization` needs organizations, `teams` and `on_org_delete` need `organization`. */
const collectionOrganization: CollectionCheck = (subject) => {
  const { realm, settings, faults, collectionFile: file } = subject;
  if (file === undefined) return [];
  const given = (key: string): boolean => nodeAt(file, [key]) !== undefined;
  if (!given("organization")) {
    if (!isReliable(subject, ["organization"])) return [];
    return ["teams", "on_org_delete"]
      .filter(given)
      .map((key) => diagnose("setting-without-organization", locate(file, [key], "key"), { key }));
  }
  const known = ["auth", "organizations"].every((key) => !faults.touch(settings.path, [key]));
  if (!known || (realm.auth && realm.organizations !== undefined)) return [];
  const hint = realm.auth
    ? "declare organizations in realm.yaml, or remove it"
    : "a realm with auth: disabled has none; remove it, or set auth: enabled";
  return [diagnose("organization-without-realm", locate(file, ["organization"], "key"), {}, { hint })];
};

/** Chosen ids tell that a document of another organization has them. */
const tellingIds: CollectionCheck = ({ collection: { organization, customId } }) => {
  // The user's own id is taken by themselves only.
  if (organization === undefined || customId === undefined || customId.is === "user") return [];
  return [diagnose("custom-id-tells", customId.span, {})];
};

function compare(
  { organization: old }: Collection,
  { organization: now }: Collection,
  place: string,
  report: Report<typeof changes>,
): void {
  const organization = changed(
    demandOf(old, old?.required),
    demandOf(now, now?.required),
    organizationChecks,
  );
  if (organization !== undefined) report(organization, `${place} organization`, {});
  const teams = changed(
    demandOf(old?.teams, old?.teams === "required"),
    demandOf(now?.teams, now?.teams === "required"),
    teamChecks,
  );
  if (teams !== undefined) report(teams, `${place} teams`, {});
  if (old === undefined || now === undefined || old.onDelete === now.onDelete) return;
  const check = now.onDelete === "delete" ? "org-delete-erases" : "org-delete-keeps";
  report(check, `${place} on_org_delete`, {});
}

type Demand = "none" | "optional" | "required";

const organizationChecks = {
  none: "organization-removed",
  optional: "organization-optional",
  required: "organization-required",
} as const satisfies Record<Demand, keyof typeof changes>;
const teamChecks = {
  none: "teams-removed",
  optional: "teams-optional",
  required: "teams-required",
} as const satisfies Record<Demand, keyof typeof changes>;

function demandOf(setting: unknown, required: boolean | undefined): Demand {
  if (setting === undefined) return "none";
  return required === true ? "required" : "optional";
}

/** The check that says what became of a demand. */
function changed<C>(old: Demand, now: Demand, says: Readonly<Record<Demand, C>>): C | undefined {
  return old === now ? undefined : says[now];
}

export const organization = collectionSetting({
  chapter: "Organizations",
  codes,
  changes,
  checks: [collectionOrganization, tellingIds],
  brings: {
    organization: [...Object.keys(organizationFields), ...Object.keys(teamFields)],
    teams: Object.keys(teamFields),
  },
  compare,
  read: ({ given }): Pick<Collection, "organization"> => {
    const value = given.find("organization", oneOf("required", "optional"));
    if (value === undefined) return {};
    return {
      organization: {
        required: value === "required",
        ...present({ teams: given.find("teams", oneOf("required", "optional")) }),
        onDelete: given.read("on_org_delete", oneOf("delete", "keep")),
      },
    };
  },
  definition: ({ collection }) => ({ organization: collection.organization }),
  traits: ({ organization: belonging }) => {
    if (belonging === undefined) return [];
    const { required, teams } = belonging;
    return [
      "organization",
      ...(required ? ["organization_required"] : []),
      ...(teams === undefined ? [] : ["team"]),
      ...(teams === "required" ? ["team_required"] : []),
    ];
  },
  // Nothing where documents belong to no organization.
  effective: ({ collection: { organization: belonging } }) =>
    belonging === undefined
      ? {}
      : {
          organization: belonging.required ? "required" : "optional",
          teams: belonging.teams ?? null,
          on_org_delete: belonging.onDelete,
        },
});
