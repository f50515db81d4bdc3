import type { Sketch } from "../../diff/testing/case.ts";
import type { PlanCase } from "./case.ts";

const text = { type: "string" };
const ruled = (rules: string, more = ""): Sketch => ({
  realm: `auth: enabled\nroles: { lead: {}, agent: {} }\napp_config: { open: true }\norganizations: { create: true, creator_roles: [owner], roles: { owner: { manage: [org] }, clerk: {} }, team_roles: { lead: {} } }\n`,
  schema: { type: "object", properties: { status: text, author: text, salary: { type: "number" } } },
  indexes: [{ fields: ["status"] }, { fields: ["author"] }, { fields: ["_meta.owner"] }],
  collection: `organization: optional\nteams: optional\n${rules}\n${more}`,
});
const read = (rule: string): Sketch => ruled(`rules: { read: "${rule}" }`);
const documents: PlanCase["documents"] = {
  "db.notes": {
    n1: { status: "open", author: "ada", salary: 1, _meta: { owner: "ada", org: "acme", team: "night" } },
    n2: { status: "open", author: "bob", _meta: { owner: "bob" } },
    n3: { status: "closed", author: "ada", salary: 2, _meta: { owner: "ada", org: "acme" } },
    n4: { status: "closed", _meta: { deleted_at: "2026-03-02T00:00:00.000Z" } },
  },
};
const readers = (was: string, now: string): PlanCase => ({ was: [read(was)], now: read(now), documents });

export const readerCases: Readonly<Record<string, PlanCase>> = {
  "everybody may read what users could": readers("user != null", "true"),
  "anonymous callers see what is open": readers(
    "hasRole('lead')",
    "hasRole('lead') || document.status == 'open'",
  ),
  "a role loses what is closed": readers(
    "hasRole('agent') || hasRole('lead')",
    "(hasRole('agent') && document.status == 'open') || hasRole('lead')",
  ),
  "owners lose their documents, members of organizations gain theirs": readers(
    "document._meta.owner == user.id",
    "inOrg(document._meta.org)",
  ),
  "a role in the organization is needed": readers(
    "inOrg(document._meta.org)",
    "hasOrgRole(document._meta.org, 'clerk')",
  ),
  "teams see their own": readers("false", "inTeam(document._meta.team)"),
  "whom a field names gains": readers("hasRole('lead')", "hasRole('lead') || document.author == user.id"),
  "nobody reads any longer": readers("true", "false"),
  "a rule that is written otherwise": readers(
    "document.status == 'open' || hasRole('lead')",
    "hasRole('lead') || 'open' == document.status",
  ),
  "a rule by the app config": readers("true", "appConfig.open == true"),
  "a field is shown": {
    was: [ruled("rules: { read: user != null }", "fields: { salary: { read: \"hasRole('lead')\" } }\n")],
    now: ruled("rules: { read: user != null }", "fields: { salary: { read: true } }\n"),
    documents,
  },
  "a field is hidden": {
    was: [ruled("rules: { read: true }")],
    now: ruled("rules: { read: true }", "fields: { salary: { read: \"hasRole('lead')\" } }\n"),
    documents,
  },
  "accounts come: without a rule nobody reads": {
    was: [{ realm: "auth: disabled\n" }],
    now: { realm: "auth: enabled\n" },
    documents,
  },
};
