import type { ruleChecks } from "../checks/rules.ts";
import { accounts, type Case, type Sketch } from "./case.ts";

/** A realm with accounts whose collection has these rules. */
export const ruled = (rules: string): Sketch => ({
  realm: `${accounts}app_config: { open: true, limit: 3 }\norganizations: { roles: { owner: { manage: [org] }, clerk: {} }, team_roles: { lead: {} } }\n`,
  schema: {
    type: "object",
    required: ["status"],
    properties: {
      status: { enum: ["open", "closed"] },
      title: { type: "string" },
      count: { type: "integer" },
      due_at: { type: "string", format: "date-time", "x-svc-store": "date" },
      tags: { type: "array", items: { type: "string" } },
    },
  },
  indexes: [{ fields: ["status"] }, { fields: ["_meta.owner"] }],
  collection: `organization: optional\nteams: optional\n${rules}`,
});
const read = (rule: string): Sketch => ruled(`rules: { read: "${rule}" }\n`);

export const ruleCases: Readonly<Record<keyof typeof ruleChecks, Case>> = {
  "retired-field-readable": {
    old: ruled("rules: { read: true }\nfields: { salary: { read: hasRole('lead') } }\n"),
    now: ruled("rules: { read: true }\n"),
    line: "db/notes fields.salary.read: was hidden by `hasRole('lead')`; the schema does not declare it any longer, and nothing hides what is stored there; an anonymous caller may now see the field salary of any document",
  },
  "rule-narrowed": {
    old: read("hasRole('lead') || document._meta.owner == user.id"),
    now: read("hasRole('lead')"),
    line: 'db/notes rules.read: `document._meta.owner == user.id` is not enough any longer; a user with id \'u1\' and without roles may no longer read {"_meta":{"owner":"u1"}}',
  },
  "rule-widened": {
    old: read("document.status == 'open'"),
    now: read("document.status == 'open' || hasRole('lead')"),
    line: 'db/notes rules.read: `hasRole(\'lead\')` is enough now; a user with the role lead may now read {"status":"closed"}',
  },
  "rule-unproven": {
    old: ruled("rules: { read: true, update: 'data.tags.length > 500' }\n"),
    now: ruled("rules: { read: true, update: \"hasRole('lead')\" }\n"),
    line: 'db/notes rules.update: was `data.tags.length > 500`, is `hasRole(\'lead\')`; a user with the role lead may now update any document by writing {"tags":["a"]}; nobody was found who loses anything, but that is not proven',
  },
  "rule-moved": {
    old: read("document.status == 'open'"),
    now: read("document.status == 'closed'"),
    line: 'db/notes rules.read: was `document.status == \'open\'`, is `document.status == \'closed\'`; any caller may no longer read {"status":"open"}; any caller may now read {"status":"closed"}',
  },
  "rule-implied": {
    old: ruled("rules: { read: true, delete: document.count == 7 }\n"),
    now: ruled("rules: { read: true, delete: document.count == 7 || document.tags.length > 500 }\n"),
    line: "db/notes rules.delete: `document.tags.length > 500` is enough now; nobody loses anything, and no caller and document was found that gains",
  },
  "rule-undecided": {
    old: ruled("rules: { read: true, update: 'data.tags.length > 500' }\n"),
    now: ruled("rules: { read: true, update: 'data.tags.length > 600' }\n"),
    line: "db/notes rules.update: was `data.tags.length > 500`, is `data.tags.length > 600`; no caller and document was found that the two rules treat differently, but they are not proven equal",
  },
  "rule-rewritten": {
    old: read("hasRole('lead', 'agent') || !(document.status != 'open' && document.title == null)"),
    now: read("document.title != null || document.status == 'open' || hasRole('agent') || hasRole('lead')"),
    line: "db/notes rules.read: written otherwise, means the same",
  },
};
