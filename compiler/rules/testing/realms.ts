/** Realms made by hand, for the tests of rules. */
import { collectionOf, declaredField, realmOf } from "../../../templates/testing/models.ts";
import type {
  Collection,
  DeclaredField,
  Organizations,
  Realm,
  RuleName,
  RuleSource,
} from "../../model/model.ts";
import type { Schema } from "../../schema/place.ts";

/** A rule as it would stand alone in a file, from its first column on. */
export function ruleSource(text: string, key: string, line = 1): RuleSource {
  const lines = text.split("\n");
  const last = lines.at(-1) ?? "";
  const starts = lines.map((_, at) => lines.slice(0, at).join("\n").length + (at > 0 ? 1 : 0));
  return {
    text,
    key,
    span: {
      file: "desk/db/notes/collection.yaml",
      line,
      column: 1,
      endLine: line + lines.length - 1,
      endColumn: last.length + 1,
    },
    positions: starts.map((offset, at) => ({ offset, line: line + at, column: 1 })),
  };
}

export type Sketch = Partial<Record<RuleName, string>>;

/** Fields of most tests. */
export const noteFields: readonly DeclaredField[] = [
  declaredField("address", { kinds: ["object"] }),
  declaredField("address.city"),
  declaredField("address.length", { kinds: ["integer"] }),
  declaredField("constructor"),
  declaredField("count", { kinds: ["integer"] }),
  declaredField("day", { kinds: ["date"] }),
  declaredField("days", { kinds: ["date"], arrays: ["days"], scalar: false }),
  declaredField("due-at", { kinds: ["date-time"] }),
  declaredField("due_at", { kinds: ["date-time"] }),
  declaredField("either", { kinds: ["string"], arrays: ["either"] }),
  declaredField("lines", { kinds: ["object"], arrays: ["lines"], scalar: false }),
  declaredField("lines.sku", { arrays: ["lines"] }),
  declaredField("mixed", { kinds: ["number", "string"] }),
  declaredField("needed_role"),
  declaredField("org_id"),
  declaredField("place", { kinds: ["object", "string"] }),
  declaredField("place.name"),
  declaredField("public", { kinds: ["boolean"] }),
  declaredField("shared", { kinds: ["boolean"] }),
  declaredField("status", { values: ["closed", "open"] }),
  declaredField("tags", { arrays: ["tags"], scalar: false }),
  declaredField("team_id"),
  declaredField("title"),
];

const profile = ((): Schema => {
  const document = {
    type: "object",
    properties: {
      team: { type: "string" },
      level: { type: "integer" },
      vip: { type: "boolean" },
      skills: { type: "array", items: { type: "string" } },
      address: { type: "object", properties: { city: { type: "string" } } },
      org: { type: "string" },
      unit: { type: "string" },
    },
  };
  return { path: "desk/realm.yaml", pointer: "", document, files: [{ path: "desk/realm.yaml", document }] };
})();

/** Of collections whose documents belong to organizations and teams, in realms with `organizations`. */
export const ofOrganizations: Pick<Collection, "organization"> = {
  organization: { required: false, teams: "optional", onDelete: "keep" },
};

export const organizations: Organizations = {
  roles: [
    { name: "clerk", manage: [] },
    { name: "owner", manage: ["org"] },
  ],
  creatorRoles: ["owner"],
  defaultRoles: [],
  teamRoles: [
    { name: "lead", grants: [] },
    { name: "reviewer", grants: [] },
  ],
  membersVisibleTo: "members",
  membersShow: [],
  allowRequireMfa: false,
  keys: false,
  invitationsSignUp: true,
  invitationMail: { names: true },
  maxTeamsPerOrg: 50,
  maxTeamsPerMember: 20,
  maxPendingInvitations: 500,
};

export function noteCollection(rules: Sketch, further: Partial<Collection> = {}): Collection {
  const sources = Object.entries(rules).map(([name, text], at) => [
    name,
    ruleSource(text, name, 10 * (at + 1)),
  ]);
  return collectionOf("desk", "db", "notes", {
    fields: noteFields,
    softDelete: {},
    rules: Object.fromEntries(sources),
    ...further,
  });
}

export function noteRealm(collection: Collection, further: Partial<Realm> = {}): Realm {
  return realmOf("desk", [collection], {
    auth: true,
    roles: [{ name: "admin" }, { name: "editor" }],
    profile,
    appConfig: { trial_days: 14, limits: { max: 3 }, open_to: ["a", "b"], banner: "hello", frozen: false },
    ...further,
  });
}
