/** `realmc explain <realm>/<database>/<collection>`, as it is typed. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-decision-"));
const realmc = commandsIn(folder);

beforeAll(async () => {
  write(
    "config/desk/realm.yaml",
    `auth: enabled
roles: { editor: {}, hr: {} }
organizations: { roles: { clerk: {} }, creator_roles: [], default_roles: [] }
`,
  );
  const properties = {
    title: { type: "string" },
    status: { enum: ["open", "closed"] },
    salary: { type: "integer" },
  };
  write(
    "config/desk/db/notes/schema.json",
    JSON.stringify({ type: "object", required: ["title"], properties }),
  );
  write(
    "config/desk/db/notes/collection.yaml",
    `rules:
  read: inOrg(document._meta.org)
  create: data.status == 'open' && inOrg(data._meta.org)
  update: >-
    hasRole('editor')
    || (document._meta.owner == user.id && document.status != 'closed')
  delete: document._meta.owner == user.id
  restore: document._meta.owner == user.id
fields:
  salary: { read: hasRole('hr'), write: hasRole('hr') }
soft_delete: {}
organization: required
`,
  );
  write("config/desk/db/notes/indexes.json", '{ "indexes": [{ "fields": ["_meta.org", "status"] }] }');
  write(
    "config/desk/db/_func/close/function.yaml",
    `mode: call
invoke: inOrg(data.org)
input: { type: object, required: [org], properties: { org: { type: string } } }
output: { type: object }
`,
  );
  write("config/desk/db/_func/close/handler.ts", "export default () => ({});\n");
  write("config/open/realm.yaml", "auth: disabled\n");
  write("config/open/db/free/schema.json", '{ "type": "object" }');
  write("lone.yaml", "tests: []\n");
  write(
    "config/desk/db/notes/_tests/rules.yaml",
    `callers:
  ada: { orgs: { acme: {} } }
  eve: {}
  nobody: anonymous
  robot: { key: { scopes: { read: [db] } } }
  for_eve: { key: { scopes: { read: [db] } }, on_behalf_of: eve }
documents:
  open: { title: a, status: open, _meta: { owner: ada, org: acme } }
tests:
  - read: { allow: { ada: [open] } }
`,
  );
  write("broken/desk/realm.yaml", "rolse: {}\n");
  // Whoever asks first waits for all that the compiler imports.
  expect((await realmc("explain", "desk/db/notes", "--as", ada, "--op", "list")).status).toBe(0);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const ada = '{"id":"ada","orgs":{"acme":{}}}';
const open = '{"title":"a","status":"open","salary":3,"_meta":{"owner":"ada","org":"acme"}}';
const closed = '{"title":"a","status":"closed","salary":3,"_meta":{"owner":"ada","org":"acme"}}';

async function decided(...words: readonly string[]) {
  const { status, stdout, stderr } = await realmc("explain", "desk/db/notes", ...words, "--format", "json");
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

const file = "desk/db/notes/collection.yaml";

describe("explain: what decides over a request", () => {
  test("of an allowed one the rule, and the first clause that was enough", async () => {
    expect(
      await decided("--as", ada, "--doc", open, "--op", "update", "--data", '{"title":"b"}'),
    ).toMatchObject({
      decision: "allow",
      status: 200,
      rule: { name: "rules.update", file, line: 5 },
      deciding: [
        { file, line: 6, column: 9, text: "document._meta.owner == user.id", value: true },
        { file, line: 6, column: 44, text: "document.status != 'closed'" },
      ],
      hidden: ["salary"],
      hiding: [{ path: "salary", deciding: [{ text: "hasRole('hr')", value: false }] }],
    });
  });

  test("of a refused one each clause that would have been needed, and what every part comes to", async () => {
    const { values, ...said } = await decided("--as", ada, "--doc", closed, "--op", "update", "--data", "{}");
    expect(said).toMatchObject({
      decision: "deny",
      status: 403,
      code: "forbidden",
      because: "rules.update refuses",
      deciding: [{ text: "hasRole('editor')", value: false }, { text: "document.status != 'closed'" }],
    });
    expect(values).toContainEqual({ file, line: 6, column: 9, text: "document._meta.owner", value: "ada" });
    expect(values).toContainEqual({ file, line: 6, column: 44, text: "document.status", value: "closed" });
    expect(values).toContainEqual({ file, line: 6, column: 33, text: "user.id", value: "ada" });
  });

  test.each([
    ["somebody who may not read it: 404 by the read rule", '{"id":"eve"}', open, "update", 404, "rules.read"],
    ["nobody, refused before anything is read: 401", "anonymous", open, "delete", 401, "rules.delete"],
    ["an operation without a rule", ada, open, "purge", 403, undefined],
    ["a live document is not restored", ada, open, "restore", 404, undefined],
  ])("%s", async (_, as, doc, op, status, rule) => {
    const said = await decided("--as", as, "--doc", doc, "--op", op);
    expect([said.decision, said.status, said.rule?.name]).toEqual(["deny", status, rule]);
  });

  test("a field that may not be written is the one whose rule is shown", async () => {
    const said = await decided("--as", ada, "--doc", open, "--op", "update", "--data", '{"salary":4}');
    expect(said).toMatchObject({
      status: 403,
      details: [{ path: "salary" }],
      rule: { name: "fields.salary.write", line: 10 },
      deciding: [{ text: "hasRole('hr')", value: false }],
    });
  });

  test("creates: the organization, the schema and the rule, in the server's order", async () => {
    const create = (data: string, ...more: readonly string[]) =>
      decided("--as", ada, "--op", "create", "--data", data, ...more);
    expect(await create('{"title":"a","status":"open"}')).toMatchObject({
      status: 400,
      code: "org_required",
    });
    expect(await create("{}", "--org", "acme")).toMatchObject({
      status: 400,
      code: "validation_error",
      details: [{ path: "title", reason: "is required" }],
    });
    expect(await create('{"title":"a"}', "--org", "acme")).toMatchObject({
      status: 403,
      deciding: [{ text: "data.status == 'open'", value: false }],
    });
    expect(await create('{"title":"a","status":"open"}', "--org", "acme")).toMatchObject({ status: 201 });
  });

  test("lists: the filter in words, the index that serves it and the engine's own plan", async () => {
    expect(await decided("--as", ada, "--op", "list")).toMatchObject({
      decision: "allow",
      status: 200,
      filter: "document._meta.org is one of ['acme']",
      index: "_meta.org",
      plan: [expect.stringContaining("USING INDEX")],
    });
    expect(await decided("--as", '{"id":"eve"}', "--op", "list")).toMatchObject({
      status: 200,
      filter: "no document",
    });
    expect(await decided("--as", "anonymous", "--op", "list")).toMatchObject({
      decision: "deny",
      status: 401,
    });
  });

  test("as text: the rule, and below it each part with its value", async () => {
    const words = ["--as", ada, "--doc", closed, "--op", "update", "--data", "{}"];
    const { stdout } = await realmc("explain", "desk/db/notes", ...words);
    expect(stdout).toMatchInlineSnapshot(`
      "deny 403: rules.update refuses

      rules.update  desk/db/notes/collection.yaml:5
        hasRole('editor') || (document._meta.owner == user.id && document.status != 'closed')

        hasRole('editor') || (document._meta.owner == user.id && do…  false  (5:5)
      > hasRole('editor')                                             false  (5:5)
        document._meta.owner == user.id && document.status != 'clos…  false  (6:9)
        document._meta.owner == user.id                               true  (6:9)
        document._meta.owner                                          "ada"  (6:9)
        user.id                                                       "ada"  (6:33)
      > document.status != 'closed'                                   false  (6:44)
        document.status                                               "closed"  (6:44)
      "
    `);
  });
});

describe("explain: by the names of a file of rule tests", () => {
  const tests = "config/desk/db/notes/_tests/rules.yaml";
  const named = async (...words: readonly string[]) => decided("--tests", tests, ...words);

  test("its callers and documents, at its time, whatever folder the command runs in", async () => {
    expect(await named("--as", "ada", "--doc", "open", "--op", "update", "--data", "{}")).toMatchObject({
      decision: "allow",
      status: 200,
    });
    const inside = commandsIn(join(folder, "config/desk/db/notes/_tests"));
    const words = [
      "desk/db/notes",
      "--tests",
      "rules.yaml",
      "--as",
      "nobody",
      "--doc",
      "open",
      "--op",
      "read",
    ];
    const { status, stdout } = await inside("explain", ...words);
    expect([status, stdout]).toEqual([0, expect.stringContaining("deny 401: rules.read refuses")]);
  });

  test("keys: no rule is asked, what the scopes do not grant is refused; on behalf of somebody both count", async () => {
    expect(await named("--as", "robot", "--doc", "open", "--op", "read")).toMatchObject({
      decision: "allow",
      rule: null,
      because: "no rule is asked: an API key does what its scopes grant",
    });
    expect(await named("--as", "robot", "--doc", "open", "--op", "delete")).toMatchObject({
      status: 403,
      rule: null,
      because: "the scopes of the key do not grant it on db/notes",
    });
    expect(await named("--as", "for_eve", "--doc", "open", "--op", "read")).toMatchObject({
      status: 404,
      rule: { name: "rules.read" },
    });
  });

  test.each([
    [
      ["--tests", tests, "--as", "ads", "--doc", "open", "--op", "read"],
      "no caller 'ads' (did you mean 'ada'?)",
    ],
    [
      ["--tests", tests, "--as", "ada", "--doc", "opn", "--op", "read"],
      "no document 'opn' (did you mean 'open'?)",
    ],
    [["--tests", "nowhere.yaml", "--as", "ada", "--op", "list"], "there is no file nowhere.yaml"],
    [["--tests", "lone.yaml", "--as", "ada", "--op", "list"], "lone.yaml lies in no realm"],
    [["--tests", "config/desk/realm.yaml", "--as", "ada", "--op", "list"], "is no file of rule tests"],
  ])("%j", async (words, message) => {
    const { status, stderr } = await realmc("explain", "desk/db/notes", ...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("explain: calls of functions", () => {
  const called = async (...words: readonly string[]) => {
    const { status, stdout, stderr } = await realmc("explain", "desk/db/close", ...words, "--format", "json");
    expect([status, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };

  test("the scopes of a key, what nobody may, the input, and the rule", async () => {
    const call = ["--op", "call", "--data", '{"org":"acme"}'];
    expect(await called("--as", ada, ...call)).toMatchObject({
      decision: "allow",
      status: 200,
      rule: { name: "invoke", file: "desk/db/_func/close/function.yaml", line: 2 },
      deciding: [{ text: "inOrg(data.org)", value: true }],
    });
    expect(await called("--as", "{}", ...call)).toMatchObject({ decision: "deny", status: 403 });
    expect(await called("--as", "anonymous", ...call)).toMatchObject({
      status: 401,
      because: "invoke refuses",
    });
    expect(await called("--as", ada, "--op", "call", "--data", "{}")).toMatchObject({
      status: 400,
      details: [{ path: "org", reason: "is required" }],
    });
  });

  test("of what is no function", async () => {
    const words = ["explain", "desk/db/clos", "--as", ada, "--op", "call"];
    const { status, stderr } = await realmc(...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining("did you mean 'desk/db/close'?")]);
  });
});

describe("explain: what cannot be asked", () => {
  test.each([
    [["desk/db/notes", "--op", "read", "--doc", open], "--as is missing"],
    [["desk/db/notes", "--as", ada, "--op", "read"], "--doc is missing"],
    [["desk/db/notes", "--as", ada], "--op is missing"],
    [["desk/db/notes", "--as", ada, "--op", "reed", "--doc", open], "did you mean 'read'?"],
    [["desk/db/notes", "--as", "{", "--op", "list"], "--as is not JSON"],
    [["desk/db/notes", "--as", ada, "--op", "read", "--doc", "[]"], "--doc must be a JSON object"],
    [
      ["desk/db/notes", "--as", ada, "--op", "read", "--doc", "@nowhere.json"],
      "there is no file nowhere.json",
    ],
    [["desk/db/note", "--as", ada, "--op", "list"], "did you mean 'desk/db/notes'?"],
    [["desc/db/notes", "--as", ada, "--op", "list"], "there is no realm 'desc'"],
    [["open/db/free", "--as", ada, "--op", "list"], "auth: disabled"],
    [["rule-syntax", "--as", ada], "--as goes with a collection"],
    [["desk/db/notes", "--as", ada, "--op", "list", "--config", "nowhere"], "there is no folder nowhere"],
  ])("%j", async (words, message) => {
    const { status, stderr } = await realmc("explain", ...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test("a configuration with mistakes: they are told, and the exit code is 1", async () => {
    const { status, stderr } = await realmc(
      "explain",
      "desk/db/notes",
      "--as",
      ada,
      "--op",
      "list",
      "--config",
      "broken",
    );
    expect([status, stderr]).toEqual([1, expect.stringContaining("did you mean 'roles'?")]);
  });
});
