/** What people write on purpose: next to each of the mistakes of `testdata/mistaken-…` a rule that is none. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { withoutHints } from "../diagnostics/sort.ts";
import { check } from "./testing/check.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-meant-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const realm = `auth: enabled
roles: { editor: {}, hr: {} }
organizations:
  roles: { owner: { manage: [org] }, clerk: {}, member: {} }
  creator_roles: [owner]
  default_roles: [member]
  team_roles: { lead: {} }
`;

const properties = {
  title: { type: "string", minLength: 1, maxLength: 80 },
  status: { enum: ["open", "closed", "archived"] },
  public: { type: "boolean" },
  approved: { type: "boolean" },
  priority: { type: "integer", minimum: 1, maximum: 5 },
  score: { type: "number", minimum: 0, maximum: 100 },
  tags: { type: "array", items: { type: "string" }, maxItems: 10 },
  email: { type: "string", format: "email" },
  code: { type: "string", pattern: "^[A-Z]{3}$" },
  owner_id: { type: "string" },
  assignee_id: { type: "string" },
  org_id: { type: "string" },
  team_id: { type: "string" },
  member_ids: { type: "array", items: { type: "string" } },
  salary: { type: "integer" },
  due_at: { type: "string", format: "date-time", "x-svc-store": "date" },
};

/** Each of a collection of its own. */
const meant: readonly string[] = [
  "read: document.public || document.approved",
  "read: document.public ? document.approved : hasRole('editor')",
  "read: document.public || (document.public == false && hasRole('editor'))",
  "read: document.public || (!document.public && hasRole('editor'))",
  "read: user == null || document.owner_id != user.id",
  "read: document.due_at == null || document.due_at > now",
  "read: document.due_at > ago('2d') && document.due_at < ago('1d')",
  "read: document.status == 'open' || document.status == 'closed'",
  // All there is today; more may come.
  "read: ['open', 'closed', 'archived'].includes(document.status)",
  "read: document.status == 'open' || document.status == 'closed' || document.status == 'archived'",
  "read: document.status.startsWith('op')",
  "read: document.status > 'b' && document.status < 'd'",
  "read: document.status != 'open' && document.status != 'closed'",
  "read: document.priority >= 5",
  "read: document.priority > 3 && document.priority < 5",
  "read: document.score > 3 && document.score < 4",
  "read: document.title == 'a'",
  "read: document.email == 'ada@example.com'",
  "read: document.code == 'ABC'",
  "read: document.code.startsWith('a') || document.public",
  "{ read: true, delete: document.title.length <= 80 && hasRole('editor') }",
  "{ read: true, create: data.priority >= 1 && data.priority <= 5 && user != null }",
  "{ read: true, create: user != null && !(data.score < 0) }",
  "{ read: true, delete: document.tags.length == 10 }",
  "read: inOrg(document.org_id) && hasOrgRole(document.org_id, 'clerk')",
  "read: hasOrgRole(document.org_id, 'clerk') || hasTeamRole(document.team_id, 'lead')",
  // Letters to others, and what its owner sees only in part.
  "{ read: document.approved, create: data.approved != true }",
  "{ create: user != null }",
  "{ read: hasRole('editor'), create: user != null }",
  "{ read: document.approved || document._meta.owner == user.id, create: user != null && data.approved != true }",
  "{ read: document.status == 'open', create: user != null && data.status != 'closed' }",
  "{ read: document.due_at < now, create: user != null && data.due_at > now }",
  "{ read: document.owner_id == user.id, create: user != null && data.owner_id == user.id }",
  // A loss of sight that depends on what is written.
  "{ read: document.status != 'archived', update: user != null }",
  "{ read: document.status != 'archived' || document._meta.owner == user.id, update: user != null && data.status == 'archived' }",
  "{ read: document.public || hasRole('editor'), update: user != null && data.public == false }",
  "{ read: document._meta.updated_by == user.id || document.public, update: user != null && data.public == false }",
  // Handing over that was thought of.
  "{ read: user != null, update: document.owner_id == user.id && data.owner_id == user.id }",
  "{ read: user != null, update: document.owner_id == user.id && data.owner_id == document.owner_id }",
  "{ read: user != null, update: document.owner_id == user.id && (data.owner_id == user.id || hasRole('editor')) }",
  "{ read: document.owner_id == user.id || hasRole('editor'), update: hasRole('editor') }",
  "{ read: document.assignee_id == user.id || document._meta.owner == user.id, update: document._meta.owner == user.id }",
  "{ read: document.member_ids.includes(user.id), update: document.member_ids.includes(user.id) }",
  "{ read: inOrg(document.org_id), update: inOrg(document.org_id) && inOrg(data.org_id) }",
  // Rules of readers.
  "{ read: document.status != 'archived', delete: document.status == 'closed' }",
  "{ read: document.status != 'archived' || hasRole('editor'), delete: document.status == 'archived' && hasRole('editor') }",
];

/** Those with rules of fields. */
const ofFields: readonly string[] = [
  "rules: { read: user != null, update: document.owner_id == user.id }\nfields: { owner_id: { write: true } }",
  "rules:\n  read: hasRole('hr', 'editor')\nfields: { salary: { read: hasRole('hr') } }",
  "rules: { read: true }\nfields: { salary: { read: false } }",
  "rules: { read: true, create: user != null }\nfields: { salary: { write: hasRole('hr') } }",
  "rules: { read: true, create: user != null }\nfields: { salary: { write: document == null } }",
  "rules: { read: true, update: user != null }\nfields: { salary: { write: document.status == 'open' } }",
  "rules: { read: true, create: user != null, update: user != null }\nfields: { salary: { write: document != null } }",
  "rules: { read: true, create: user != null }\nfields: { title: { write: hasRole('editor') } }",
];

test("nothing is warned of in rules that are meant", async () => {
  const names = Object.keys(properties).filter((name) => !["tags", "member_ids"].includes(name));
  const indexes = [...names, "tags", "member_ids", "_meta.owner", "_meta.updated_by"];
  const files = (text: string, at: number): void => {
    const place = join(folder, "desk", "main", `c${String(at).padStart(2, "0")}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "collection.yaml"), `${text}\n`);
    const schema = { type: "object", required: ["title", "status"], properties };
    writeFileSync(join(place, "schema.json"), JSON.stringify(schema));
    const list = indexes.map((path) => ({ fields: [path] }));
    writeFileSync(join(place, "indexes.json"), JSON.stringify({ indexes: list }));
  };
  const all = [...meant.map(settingsOf), ...ofFields];
  for (const [at, text] of all.entries()) files(text, at);
  writeFileSync(join(folder, "desk", "realm.yaml"), realm);
  const found = withoutHints(await check(folder)).map(
    ({ code, message, span }) => `${all[Number(span.file.match(/\/c(\d+)\//)?.[1])]}: ${code} ${message}`,
  );
  expect(all.length).toBeGreaterThanOrEqual(50);
  expect(found).toEqual([]);
});

function settingsOf(rules: string): string {
  if (!rules.startsWith("{")) return `rules:\n  read: "${rules.replace("read: ", "")}"`;
  const parts = rules.slice(1, -1).split(/, (?=(?:read|create|update|delete): )/);
  const lines = parts.map((part) => part.trim().replace(/^(\w+): (.*)$/, '  $1: "$2"'));
  return ["rules:", ...lines].join("\n");
}
