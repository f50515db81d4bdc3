/** `realmc explain rule`, as it is typed. What it says of the examples is in compiler/explain/testdata. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../package/package.ts";
import { commandsIn, type Ended } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-explain-"));
const realmc = commandsIn(folder);

const schema = JSON.stringify({
  type: "object",
  properties: {
    title: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    team: { type: "string" },
    salary: { type: "integer" },
  },
});

beforeAll(() => {
  write(
    "config/desk/realm.yaml",
    `auth: enabled
roles: { editor: {}, hr: {} }
profile: { type: object, properties: { team: { type: string } } }
organizations: { roles: { clerk: {}, member: {} }, default_roles: [member], creator_roles: [], team_roles: { lead: {} } }
`,
  );
  write("config/desk/db/notes/schema.json", schema);
  write(
    "config/desk/db/notes/collection.yaml",
    `rules:
  read: document.team == user.profile.team || hasRole('editor')
  write: hasOrgRole('acme', 'clerk', 'member') || hasTeamRole('night', 'lead')
  restore: document._meta.owner == user.id
fields:
  salary: { read: hasRole('hr'), write: document == null || orgClaims('acme').seats > 3 }
soft_delete: {}
`,
  );
  write("config/desk/db/notes/indexes.json", '{ "indexes": [{ "fields": ["team", "-title"] }] }');
  write("config/desk/db/tagged/schema.json", schema);
  write("config/desk/db/tagged/collection.yaml", "rules: { read: document.tags.includes(user.id) }\n");
  write("config/desk/db/tagged/indexes.json", '{ "indexes": [{ "fields": ["tags"] }] }');
  write("config/desk/db/same/schema.json", schema);
  write("config/desk/db/same/collection.yaml", "rules: { read: true }\n");
  write("config/open/realm.yaml", "auth: disabled\n");
  write("config/open/db/same/schema.json", schema);
  write("config/open/db/free/schema.json", schema);
  write("broken/desk/realm.yaml", "rolse: {}\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const explain = (...words: readonly string[]): Promise<Ended> => realmc("explain", "rule", ...words);

/** As data. */
async function explained(...words: readonly string[]) {
  const { status, stdout, stderr } = await explain(...words, "--json");
  expect([status, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  return JSON.parse(stdout);
}

/** The outcome by the callers' names. */
async function outcomes(...words: readonly string[]): Promise<Record<string, string>> {
  const { callers }: { callers: readonly { name: string; holds: string }[] } = await explained(...words);
  return Object.fromEntries(callers.map(({ name, holds }) => [name, holds]));
}

describe("which rule", () => {
  test("without a rule it lists those of the collection, with their places", async () => {
    const { status, stdout } = await explain("db/notes");
    expect([status, stdout]).toEqual([
      0,
      `create               desk/db/notes/collection.yaml:3  hasOrgRole('acme', 'clerk', 'member') || hasTeamRole('night', 'lead')
read                 desk/db/notes/collection.yaml:2  document.team == user.profile.team || hasRole('editor')
update               desk/db/notes/collection.yaml:3  hasOrgRole('acme', 'clerk', 'member') || hasTeamRole('night', 'lead')
delete               desk/db/notes/collection.yaml:3  hasOrgRole('acme', 'clerk', 'member') || hasTeamRole('night', 'lead')
restore              desk/db/notes/collection.yaml:4  document._meta.owner == user.id
fields.salary.read   desk/db/notes/collection.yaml:6  hasRole('hr')
fields.salary.write  desk/db/notes/collection.yaml:6  document == null || orgClaims('acme').seats > 3
`,
    ]);
  });

  test("the folder may follow the rule, or stand in its place", async () => {
    expect((await explain("db/notes", "config")).stdout).toBe((await explain("db/notes")).stdout);
    expect((await explain("db/notes", "read", "config")).stdout).toBe(
      (await explain("db/notes", "read")).stdout,
    );
  });

  test("the realm is said with the collection, or apart, or not at all where only one has it", async () => {
    const { stdout } = await explain("db/same", "read", "--realm", "desk");
    expect(stdout).toMatch(/^desk\/db\/same read\n/);
    expect((await explain("desk/db/same", "read")).stdout).toBe(stdout);
  });

  test.each([
    [["db/same", "read"], "several realms have a collection 'db/same': desk, open (say --realm)"],
    [["db/nodes", "read"], "there is no collection 'db/nodes' (did you mean 'db/notes'?)"],
    [["dekc/db/notes", "read"], "there is no realm 'dekc' in config (there are: desk, open)"],
    [["db/notes", "raed"], "db/notes has no rule 'raed' (did you mean 'read'?)"],
    [["db/notes", "purge"], "db/notes has no rule 'purge' (there are: create, read, "],
    [["db/notes", "fields.salry.read"], "did you mean 'fields.salary.read'?"],
    [["db/free", "read"], "the realm 'open' has auth: disabled, and so no rules"],
    [["db/notes", "read", "elsewhere"], "there is no folder elsewhere"],
    [["db/notes", "read", "--caller", "{"], "--caller is not JSON"],
    [["db/notes", "read", "--caller", "@nobody.json"], "there is no file nobody.json"],
    [["db/notes", "read", "--caller", '{"role":["hr"]}'], "the caller has no 'role' (did you mean 'roles'?)"],
    [["db/notes", "read", "--caller", '{"roles":"hr"}'], "--caller: roles must be a list"],
    [
      ["db/notes", "read", "--caller", '{"orgs":{"a":{"teams":{"t":{"roles":[{"form":"2026-01-01"}]}}}}}'],
      "orgs.a.teams.t.roles[0] has no 'form' (did you mean 'from'?)",
    ],
    [["db/notes", "read", "--caller", '{"key":{}}'], "an API key is asked no rule"],
  ])("%j is refused with exit 2", async (words, message) => {
    const { status, stdout, stderr } = await explain(...words);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("a configuration with errors is reported, and nothing is explained", async () => {
    const { status, stdout, stderr } = await explain("db/notes", "read", "broken");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("error unknown-key");
  });
});

describe("callers", () => {
  test("are made up from what the rule asks for: nobody, somebody, and each role, organization and team", async () => {
    expect(await outcomes("db/notes", "read")).toEqual({
      anonymous: "refused",
      "signed in": "some",
      "role editor": "all",
    });
    expect(await outcomes("db/notes", "update")).toEqual({
      anonymous: "refused",
      "signed in": "none",
      member: "all",
      "org role clerk": "all",
      "org role member": "all",
      "team role lead": "all",
    });
    expect(await outcomes("db/notes", "fields.salary.read")).toEqual({
      anonymous: "refused",
      "signed in": "refused",
      "role hr": "all",
    });
    // With claims of which the comparison holds.
    expect(await outcomes("db/notes", "fields.salary.write")).toMatchObject({
      anonymous: "some",
      member: "all",
    });
  });

  test("are those of --caller where it stands, from the command line or a file", async () => {
    write("lead.json", '{"id":"bo","orgs":{"acme":{"teams":{"night":{"roles":["lead"]}}}}}');
    write(
      "late.json",
      '{"id":"cy","orgs":{"other":{"teams":{"night":{"roles":[{"role":"lead","until":"2025-12-31T00:00:00Z"}]}}}}}',
    );
    const callers = ["anonymous", '{"id":"ed","roles":["editor"]}', "@lead.json", "@late.json"];
    const words = callers.flatMap((caller) => ["--caller", caller]);
    expect(await outcomes("db/notes", "update", ...words)).toEqual({
      anonymous: "refused",
      ed: "none",
      bo: "all",
      cy: "none",
    });
  });

  test("the one that docs/rules.md shows is one", async () => {
    const page = readFileSync(join(packageRoot, "docs/rules.md"), "utf8");
    const [, caller = ""] = /^```json\n(\{\n {2}"id"[\s\S]*?)^```$/m.exec(page) ?? [];
    expect(await outcomes("db/notes", "update", "--caller", caller)).toEqual({ bo: "all" });
  });

  test("what is left to ask has their values in it", async () => {
    const { callers } = await explained("db/notes", "fields.salary.write", "--caller", "{}");
    expect(callers[0].left).toEqual(["document is absent"]);
    expect(
      (await explained("db/notes", "read", "--caller", '{"profile":{"team":"red"}}')).callers[0].list,
    ).toMatchObject({
      filter: 'eq(team, "red")',
      mongodb: { "_meta.svc.live": true, $and: [{ team: { $eq: "red" } }] },
    });
  });
});

describe("lists", () => {
  const first = async (collection: string, rule: string) =>
    (await explained(collection, rule, "--caller", '{"profile":{"team":"red"}}')).callers[0].list;

  test("an index that serves them is named", async () => {
    const { served, verdict, sqlite } = await first("db/notes", "read");
    expect([served, verdict]).toEqual([true, "The index over team, -title finds these documents."]);
    expect(sqlite.plan.join("\n")).toContain(
      "SEARCH c.db.notes USING COVERING INDEX svc_index.db.notes.team_title (<expr>=?)",
    );
    expect(sqlite.parameters).toContain("red");
  });

  test("an array's values are found by their index", async () => {
    expect(await first("db/tagged", "read")).toMatchObject({
      served: true,
      verdict: "The index over tags finds these documents.",
    });
  });

  test("deleted documents are in no declared index: none serves them", async () => {
    const { served, verdict, filter, sqlite } = await first("db/notes", "restore");
    expect(filter).toBe('and(eq(team, "red"), eq(_meta.owner, "ada"))');
    expect([served, verdict]).toEqual([
      false,
      "No index finds these documents: all are looked at in the default order, until the page is full.",
    ]);
    expect(sqlite.plan).toEqual(["SCAN c.db.notes USING INDEX svc_deleted.db.notes"]);
  });

  test("nothing of them differs between two runs", async () => {
    expect((await explain("db/notes", "read")).stdout).toBe((await explain("db/notes", "read")).stdout);
  });
});
