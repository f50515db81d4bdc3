/** Warnings of surely mistaken settings are sure: what people write on purpose gets none. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { withoutHints } from "../diagnostics/sort.ts";
import { exampleFiles } from "../diagnostics/testing/example-realm.ts";
import { outsideIds } from "../settings/id-patterns.ts";
import { check } from "./testing/check.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-mistaken-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("nothing is warned of", () => {
  test.for(["blog", "helpdesk", "inventory"])("in the example %s", async (name) => {
    const examples = fileURLToPath(new URL("../../examples", import.meta.url));
    expect(withoutHints(await check(examples, name))).toEqual([]);
  });

  test("in rules that are meant", async () => {
    expect(await codesOf(meant)).toEqual([]);
  });
});

/** Rules of collections of their own. */
const meant: readonly string[] = [
  "read: user != null && document.owner_id == user.id",
  "read: user == null || user != null && document.owner_id != user.id",
  "read: document.public || (user != null && document.owner_id == user.id)",
  "read: document.due_at != null && document.due_at < now",
  "read: document.publish_at < now && (document.due_at == null || document.due_at > now)",
  "read: hasRole('editor') || hasRole('hr')",
  "read: hasRole('editor') || (hasRole('hr') && document.public)",
  "read: inOrg(document.owner_id) && !hasOrgRole(document.owner_id, 'member')",
  // Whom the document names may not give it away; those with a role may.
  "{ read: user != null, update: document.owner_id == user.id && data.owner_id == user.id, delete: document.owner_id == user.id }",
  "{ read: user != null, update: document.owner_id == user.id && data.owner_id == document.owner_id || hasRole('editor'), delete: document.owner_id == user.id }",
  "{ read: document._meta.owner == user.id || document.author_id == user.id, update: document._meta.owner == user.id }",
  "{ read: user != null, update: document._meta.owner == user.id || document.editor_id == user.id && data.editor_id == user.id }",
  "{ read: user != null, update: user != null && data.owner_id == document.owner_id, delete: document.owner_id == user.id }",
  "{ read: user != null, update: \"hasOrgRole(document.owner_id, 'owner') && inOrg(data.owner_id)\", delete: document.author_id == user.id }",
];

async function codesOf(rules: readonly string[]): Promise<string[]> {
  const example = exampleFiles({});
  const [, schema = ""] =
    Object.entries(example).find(([path]) => path.endsWith("tickets/schema.json")) ?? [];
  const indexed = ["public", "owner_id", "author_id", "editor_id", "due_at", "publish_at", "_meta.owner"];
  const indexes = JSON.stringify({ indexes: indexed.map((path) => ({ fields: [path] })) });
  const own = rules.flatMap((rule, at) => {
    const place = `config/helpdesk/support/c${at}`;
    const text = rule.startsWith("{") ? `rules: ${rule}\n` : `rules:\n  ${rule}\n`;
    return [
      [`${place}/schema.json`, schema],
      [`${place}/indexes.json`, indexes],
      [`${place}/collection.yaml`, text],
    ] as const;
  });
  for (const [path, text] of [...Object.entries(example), ...own]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return (await check(join(folder, "config"))).map(
    ({ code, span, message }) => `${span.file} ${code} ${message}`,
  );
}

describe("patterns of ids", () => {
  test.for(["^[a-z]+:[0-9]+$", "^_[a-z]+$", "/|@", "[^-A-Za-z0-9._~]", "^_|^[/]", "^.{129}$", "^\\s*ü$"])(
    "%s fits no id",
    (pattern) => {
      expect(outsideIds(pattern)).toBeDefined();
    },
  );

  test.for([
    "^[a-z]+$",
    "_",
    "^[_a-z]+$",
    "^_?[a-z]+$",
    "a|:",
    "^.{1,200}$",
    "(?=_)a",
    "^(?:_)*a",
    "(a)\\1",
    "^a:?$",
  ])("%s may fit one", (pattern) => {
    expect(outsideIds(pattern)).toBeUndefined();
  });
});
