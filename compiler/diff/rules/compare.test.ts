/** What is said of changed rules: in words, with witnesses. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diffRealms } from "../diff.ts";
import { analyseSides } from "../sides.ts";
import { type Sketch, writeRealm } from "../testing/case.ts";
import { ruled } from "../testing/rule-cases.ts";

/** Rules before and after, and the message without its words about clauses. */
const cases: Readonly<Record<string, readonly [old: string, now: string, ...messages: string[]]>> = {
  "a role more": [
    "read: hasRole('lead')",
    "read: hasRole('lead', 'agent')",
    "additive rules.read: `hasRole('agent')` is enough now; a user with the role agent may now read any document",
  ],
  "a rule that comes": [
    "read: true",
    "{ read: true, delete: document._meta.owner == user.id }",
    'additive rules.delete: was denied to everybody, is `document._meta.owner == user.id`; a user with id \'u1\' may now delete {"_meta":{"owner":"u1"}}',
  ],
  "a rule that goes": [
    "{ read: true, create: user != null }",
    "read: true",
    "breaking rules.create: was `user != null`, is denied to everybody; a signed-in user may no longer create anything",
  ],
  "a requirement more, of what is written": [
    "{ read: true, update: data.status == 'open' }",
    "{ read: true, update: data.status == 'open' && data.count <= appConfig.limit }",
    'breaking rules.update: `data.count <= appConfig.limit` is required now; any caller may no longer update any document by writing {"count":4,"status":"open"} while appConfig.limit is 3',
  ],
  "values beside a limit": [
    "{ read: true, delete: document.count > 10 }",
    "{ read: true, delete: document.count >= 10 }",
    'additive rules.delete: was `document.count > 10`, is `document.count >= 10`; any caller may now delete {"count":10}',
  ],
  "moments beside one": [
    "{ read: true, delete: document.due_at < ago('7d') }",
    "{ read: true, delete: document.due_at < ago('8d') }",
    "breaking rules.delete: was `document.due_at < ago('7d')`, is `document.due_at < ago('8d')`; any caller may no longer delete {\"due_at\":\"2026-01-07T12:00:00.000Z\"} at 2026-01-15T12:00:00.000Z",
  ],
  "absent values": [
    "{ read: true, delete: document.title != 'a' }",
    "{ read: true, delete: document.title != 'a' && document.title != null }",
    "breaking rules.delete: `document.title != null` is required now; any caller may no longer delete a document without title",
  ],
  "required fields are never absent": [
    "{ read: true, delete: document.status != 'open' }",
    "{ read: true, delete: document.status == 'closed' }",
    "internal rules.delete: written otherwise, means the same",
  ],
  "lists and their lengths": [
    "{ read: true, delete: document.tags.length < 3 }",
    "{ read: true, delete: \"document.tags.length < 3 && !document.tags.includes('kept')\" }",
    'breaking rules.delete: `!document.tags.includes(\'kept\')` is required now; any caller may no longer delete {"tags":["kept"]}',
  ],
  "texts by their beginning": [
    "read: document.title.startsWith('public')",
    "read: document.title.includes('public')",
    "additive rules.read: was `document.title.startsWith('public')`, is `document.title.includes('public')`; any caller may now read {\"title\":\"xpublic\"}",
  ],
  "some roles without another": [
    "{ read: true, delete: \"hasRole('agent') && hasRole('lead') && !hasRole('guest')\" }",
    "{ read: true, delete: hasRole('clerk') }",
    "breaking rules.delete: was `hasRole('agent') && hasRole('lead') && !hasRole('guest')`, is `hasRole('clerk')`; a user with the roles agent, lead may no longer delete any document; a user with the role clerk may now delete any document",
  ],
  "one value of many": [
    `{ read: true, delete: "${oneOf(15)}" }`,
    `{ read: true, delete: "${oneOf(14)} || hasRole('lead')" }`,
    `breaking rules.delete: was \`${oneOf(15)}\`, is \`${oneOf(14)} || hasRole('lead')\`; an anonymous caller may no longer delete {"count":15}; a user with the role lead may now delete {"count":0}`,
  ],
  "a value more than many": [
    `{ read: true, delete: "${oneOf(14)}" }`,
    `{ read: true, delete: "${oneOf(15)}" }`,
    `additive rules.delete: was \`${oneOf(14)}\`, is \`${oneOf(15)}\`; any caller may now delete {"count":15}`,
  ],
  "a beginning and an end": [
    "{ read: true, delete: \"document.title.startsWith('pre') && document.title.endsWith('post')\" }",
    "{ read: true, delete: hasRole('lead') }",
    'breaking rules.delete: was `document.title.startsWith(\'pre\') && document.title.endsWith(\'post\')`, is `hasRole(\'lead\')`; an anonymous caller may no longer delete {"title":"prepost"}; a user with the role lead may now delete {"title":"post"}',
  ],
  "nothing is between whole numbers": [
    "{ read: true, delete: document.tags.length > 0 }",
    "{ read: true, delete: document.tags.length >= 1 }",
    "internal rules.delete: written otherwise, means the same",
  ],
  "owners are signed in": [
    "{ read: true, delete: document._meta.owner == user.id }",
    "{ read: true, delete: user != null }",
    'additive rules.delete: was `document._meta.owner == user.id`, is `user != null`; a user with id \'u2\' may now delete {"_meta":{"owner":"u1"}}',
  ],
  "members of organizations": [
    "read: user != null",
    "read: inOrg(document._meta.org)",
    'breaking rules.read: was `user != null`, is `inOrg(document._meta.org)`; a user in no organization may no longer read {"_meta":{"org":"o1"}}',
  ],
  "a role in an organization": [
    "read: inOrg(document._meta.org)",
    "read: hasOrgRole(document._meta.org, 'owner')",
    'breaking rules.read: was `inOrg(document._meta.org)`, is `hasOrgRole(document._meta.org, \'owner\')`; a user in organization o1 may no longer read {"_meta":{"org":"o1"}}',
  ],
  "a role in an organization more": [
    "read: hasOrgRole(document._meta.org, 'owner')",
    "read: hasOrgRole(document._meta.org, 'owner', 'clerk')",
    'additive rules.read: `hasOrgRole(document._meta.org, \'clerk\')` is enough now; a user in organization o1 as clerk may now read {"_meta":{"org":"o1"}}',
  ],
  "a role within a team": [
    "read: inTeam(document._meta.team)",
    "read: hasTeamRole(document._meta.team, 'lead')",
    'breaking rules.read: was `inTeam(document._meta.team)`, is `hasTeamRole(document._meta.team, \'lead\')`; a user in organization o1, in team t1 may no longer read {"_meta":{"team":"t1"}}; a user in organization o1, as lead within team t1 may now read {"_meta":{"team":"t1"}}',
  ],
  "a claim": [
    "read: orgClaims(document._meta.org).plan == 'pro'",
    "read: orgClaims(document._meta.org).plan != null",
    'additive rules.read: was `orgClaims(document._meta.org).plan == \'pro\'`, is `orgClaims(document._meta.org).plan != null`; a user in organization o1, which claims {"plan":"a"} may now read {"_meta":{"org":"o1"}}',
  ],
  layout: ["read: hasRole('lead')   ||   true", "read: hasRole('lead') || true"],
};
/** Whether the count is one of so many. */
function oneOf(count: number): string {
  return `[${Array.from({ length: count }, (_, at) => at + 1)}].includes(document.count)`;
}

const fieldCases: typeof cases = {
  "no document is required while there is none": [
    "{ title: { write: document.status != 'open' } }",
    "{ title: { write: document.status == 'closed' } }",
    "breaking fields.title.write: was `document.status != 'open'`, is `document.status == 'closed'`; any caller may no longer set the field title of a document that is being created",
  ],
  "a field that is hidden": [
    "{ count: { write: true } }",
    "{ count: { read: hasRole('lead') } }",
    "breaking fields.count.read: was allowed to everybody, is `hasRole('lead')`; an anonymous caller may no longer see the field count of any document",
  ],
  "a field that may be set on create only": [
    "{ title: { write: true } }",
    "{ title: { write: document == null } }",
    "breaking fields.title.write: was allowed to everybody, is `document == null`; any caller may no longer set the field title of a stored document",
  ],
  "a field that may be set by anybody": [
    "{ title: { write: document == null } }",
    "{ count: { write: true } }",
    "additive fields.title.write: was `document == null`, is allowed to everybody; any caller may now set the field title of a stored document",
  ],
};

const all = [
  ...Object.entries(cases).map(
    ([name, [old, now, ...messages]]) =>
      [name, `rules: ${braced(old)}\n`, `rules: ${braced(now)}\n`, messages] as const,
  ),
  ...Object.entries(fieldCases).map(
    ([name, [old, now, ...messages]]) =>
      [
        name,
        `rules: { read: true }\nfields: ${old}\n`,
        `rules: { read: true }\nfields: ${now}\n`,
        messages,
      ] as const,
  ),
];

function braced(rules: string): string {
  if (rules.startsWith("{")) return rules;
  const [key = "", ...rest] = rules.split(": ");
  return `\n  ${key}: ${rest.join(": ")}`;
}

function ruledForMany(rules: string): Sketch {
  const sketch = ruled(rules);
  return { ...sketch, realm: sketch.realm?.replace("agent: {}", "agent: {}, guest: {}, clerk: {}") ?? "" };
}

test.each(all)("%s", async (_, old, now, messages) => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-diff-rules-"));
  try {
    writeRealm(join(folder, "old/desk"), ruledForMany(old));
    writeRealm(join(folder, "now/desk"), ruledForMany(now));
    const sides = await analyseSides(join(folder, "old"), join(folder, "now"));
    const found = [sides.old, sides.now].flatMap(({ diagnostics }) => diagnostics);
    expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
    const changes = diffRealms(sides.old.realms, sides.now.realms);
    expect(
      changes.map(({ kind, where, message }) => `${kind} ${where.replace("db/notes ", "")}: ${message}`),
    ).toEqual(messages);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
