/** `realmc test --write`: first tests from the rules themselves. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import * as written from "../rule-tests/written/first-tests.ts";
import { commandsIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-write-"));
const realmc = commandsIn(folder);
const first = "config/desk/db/notes/_tests/rules.yaml";

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const schema = JSON.stringify({
  type: "object",
  additionalProperties: false,
  required: ["title", "state", "code"],
  properties: {
    title: { type: "string", minLength: 3 },
    state: { enum: ["open", "done"] },
    code: { type: "string", pattern: "^[0-9]{3}x$", examples: ["123x"] },
    price: { type: "number" },
  },
});

beforeAll(() => {
  write("config/desk/realm.yaml", "auth: enabled\nroles: { admin: {} }\n");
  write("config/desk/db/notes/schema.json", schema);
  write(
    "config/desk/db/notes/collection.yaml",
    [
      "rules:",
      "  read: document.state == 'open' || document._meta.owner == user.id",
      "  create: user.email_verified && data.state != 'done'",
      "  update: document._meta.owner == user.id && data.title != 'never'",
      "  delete: hasRole('admin') && now > document._meta.created_at",
      "fields: { price: { read: hasRole('admin'), write: hasRole('admin') } }",
      "soft_delete: {}",
      "",
    ].join("\n"),
  );
  write("config/desk/db/logs/schema.json", schema);
  write("config/desk/db/logs/collection.yaml", "rules: { read: 'true' }\n");
  write("config/open/realm.yaml", "auth: disabled\n");
  write("config/open/db/things/schema.json", '{ "type": "object" }');
});

test("a configuration has tests that pass and cover all clauses that a witness was found for", async () => {
  const { status, stdout, stderr } = await realmc("test", "config", "--write");
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^config\/desk\/db\/notes\/_tests\/rules\.yaml: \d+ tests of 10 clauses\n$/),
  ]);
  expect(stderr).not.toContain("nobody was found");
  const ran = await realmc("test", "config", "--coverage", "--min-coverage", "100");
  expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining(" 0 failed")]);
  const text = readFileSync(join(folder, first), "utf8");
  expect(text).toMatch(
    /^# yaml-language-server: \$schema=\.\.\/\.\.\/\.\.\/\.\.\/\.\.\/node_modules\/realmc\/docs\/schemas\/rule-test\.schema\.json\n/,
  );
  expect(text).toContain("read is allowed: document.state == 'open'");
  expect(text).toContain("price is hidden: not hasRole('admin')");
});

test("no file is overwritten, and where all have tests there is nothing to write", async () => {
  const before = readFileSync(join(folder, first), "utf8");
  const named = await realmc("test", "config", "--write", "desk/db/notes");
  expect([named.status, named.stderr]).toEqual([2, expect.stringContaining("no file is overwritten")]);
  const all = await realmc("test", "config", "--write");
  expect([all.status, all.stderr]).toEqual([2, expect.stringContaining("no tests are to be written")]);
  expect(readFileSync(join(folder, first), "utf8")).toBe(before);
});

test("what cannot have first tests is said", async () => {
  for (const [words, problem] of [
    [["--write", "desk/db/note"], "there is no collection 'desk/db/note' (did you mean 'desk/db/notes'?)"],
    [["--write", "open/db/things"], "open has auth: disabled, so there are no rules to be tested"],
    [["--write", "desk/db/logs"], "the rules of desk/db/logs have no clauses to be shown"],
    [["--write", "desk"], "'desk' names no collection: write <realm>/<database>/<collection>"],
    [["--write", "--watch"], "--write runs no tests"],
  ] as const) {
    const { status, stderr } = await realmc("test", "config", ...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(problem)]);
  }
});

test("an outcome that nobody was found for stands in the file and is told, and the file passes all the same", async () => {
  write("some/desk/realm.yaml", "auth: enabled\napp_config: { frozen: false }\n");
  write("some/desk/db/notes/schema.json", schema);
  write("some/desk/db/notes/collection.yaml", "rules: { read: user.mfa && appConfig.frozen != true }\n");
  const { status, stderr } = await realmc("test", "--write", "some");
  expect([status, stderr]).toEqual([
    0,
    expect.stringContaining(
      "desk/db/notes/collection.yaml:1:28 nobody was found for whom this is true: appConfig.frozen != true\n",
    ),
  ]);
  const text = readFileSync(join(folder, "some/desk/db/notes/_tests/rules.yaml"), "utf8");
  expect(text).toContain(
    "# Not shown, since nobody was found: appConfig.frozen != true (1:28) being true.\n",
  );
  expect((await realmc("test", "some")).status).toBe(0);
});

test("a witness that does not replay is a mistake of realmc: exit code 70, a report, and nothing is written", async () => {
  rmSync(join(folder, "config/desk/db/notes/_tests"), { recursive: true });
  const { firstTestsOf } = written;
  const wrong = vi.spyOn(written, "firstTestsOf").mockImplementation((ruled, modeline) => {
    const found = firstTestsOf(ruled, modeline);
    return { ...found, text: found.text.replace("read: { allow:", "read: { deny:") };
  });
  try {
    const { status, stderr } = await realmc("test", "config", "--write");
    expect(status).toBe(70);
    expect(stderr).toMatch(/rules\.yaml:1:1 error internal-error .*does not replay/);
    expect(stderr).toContain("please report it");
    expect(existsSync(join(folder, first))).toBe(false);
  } finally {
    wrong.mockRestore();
  }
});
