/** What editors make of the published schemas: YAML by the language server of the YAML extensions, JSON by that of VS Code. */
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { getLanguageService as jsonService, type Range } from "vscode-json-languageservice";
import { TextDocument } from "vscode-languageserver-textdocument";
import { getLanguageService as yamlService } from "yaml-language-server";
import { root } from "../workspace.ts";

function schemaText(name: string): string {
  return readFileSync(`${root}docs/schemas/${name}.schema.json`, "utf8");
}

const folder = "file:///project/node_modules/realmc/docs/schemas/";

/** Serves our schemas as an editor finds them: beside each other. */
async function request(uri: string): Promise<string> {
  const name = /\/docs\/schemas\/([a-z]+)\.schema\.json$/.exec(uri)?.[1];
  if (name === undefined) throw new Error(`no such schema: ${uri}`);
  return schemaText(name);
}

const yaml = yamlService({
  schemaRequestService: request,
  workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
});
yaml.configure({
  validate: true,
  hover: true,
  completion: true,
  schemas: ["realm", "collection", "function"].map((name) => ({
    uri: `${folder}${name}.schema.json`,
    fileMatch: [`**/${name}.yaml`],
  })),
});

const json = jsonService({
  schemaRequestService: request,
  workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
});
json.configure({
  validate: true,
  schemas: [
    { uri: `${folder}schema.schema.json`, fileMatch: ["**/schema.json"] },
    { uri: `${folder}indexes.schema.json`, fileMatch: ["**/indexes.json"] },
  ],
});

/** The servers keep what they parsed by address and version. */
let version = 0;

/** What an editor says at `‸` in a file. */
async function asked(name: string, marked: string) {
  const offset = marked.indexOf("‸");
  const text = marked.replace("‸", "");
  const isYaml = name.endsWith(".yaml");
  const document = TextDocument.create(
    `file:///project/config/shop/db/things/${name}`,
    isYaml ? "yaml" : "json",
    ++version,
    text,
  );
  const position = document.positionAt(offset);
  if (isYaml) {
    const [completion, hover, problems] = [
      await yaml.doComplete(document, position, false),
      await yaml.doHover(document, position),
      await yaml.doValidation(document, false),
    ];
    return answer(completion.items, hover?.contents, problems, document);
  }
  const parsed = json.parseJSONDocument(document);
  const completion = await json.doComplete(document, position, parsed);
  const hover = await json.doHover(document, position, parsed);
  return answer(
    completion?.items ?? [],
    hover?.contents,
    await json.doValidation(document, parsed),
    document,
  );
}

interface Item {
  readonly label: string;
  readonly documentation?: unknown;
}

interface Problem {
  readonly message: unknown;
  readonly range: Range;
}

function answer(
  items: readonly Item[],
  hover: unknown,
  problems: readonly Problem[],
  document: TextDocument,
) {
  return {
    labels: items.map(({ label }) => label),
    documented: (label: string) =>
      JSON.stringify(items.find((item) => item.label === label)?.documentation ?? null),
    hover: JSON.stringify(hover ?? null),
    problems: problems.map(({ message, range }) => `${document.getText(range)}: ${String(message)}`),
  };
}

describe("an editor of realm.yaml", () => {
  test("completes keys, with what they mean", async () => {
    const { labels, documented } = await asked("realm.yaml", "auth: enabled\n‸");
    expect(labels).toEqual(expect.arrayContaining(["signup", "roles", "sessions", "email", "admin"]));
    expect(labels).toEqual(expect.arrayContaining(["organizations", "storage"]));
    expect(documented("signup")).toContain("Who may make an account");
  });

  test("completes values: enumerations and examples", async () => {
    expect((await asked("realm.yaml", "auth: ‸")).labels).toEqual(
      expect.arrayContaining(["enabled", "disabled"]),
    );
    const { labels } = await asked("realm.yaml", "auth: enabled\nsessions:\n  lifetime: ‸");
    expect(labels).toEqual(expect.arrayContaining(["30d", "12h"]));
  });

  test("completes inside a role", async () => {
    expect((await asked("realm.yaml", "auth: enabled\nroles:\n  boss:\n    ‸")).labels).toContain("admin");
  });

  test("completes what personal tokens may do, and marks what they cannot", async () => {
    const tokens = "auth: enabled\ntokens:\n  scopes:\n    ";
    const { labels, documented } = await asked("realm.yaml", `${tokens}‸`);
    expect(labels).toEqual(["read", "write", "call", "admin"]);
    expect(documented("call")).toContain("Functions that tokens may call");
    const { labels: areas } = await asked("realm.yaml", `${tokens}admin: [‸]`);
    expect(areas).toEqual(expect.arrayContaining(["users", "audit"]));
    const { problems } = await asked("realm.yaml", `${tokens}read: "*"\n    write: [shop/orders]‸\n`);
    expect(problems).toEqual([]);
    const { problems: marked } = await asked("realm.yaml", `${tokens}read: all\n    write: ["*"]‸\n`);
    expect(marked.map((each) => each.slice(0, each.indexOf(":")))).toEqual(["all", '"*"']);
  });

  test("shows what a key means, with examples", async () => {
    const { hover } = await asked("realm.yaml", "auth: enabled\nsessions:\n  idle_ti‸meout: 7d\n");
    expect(hover).toContain("when it was not used for this long");
    expect(hover).toContain("1h");
  });

  test("marks mistakes", async () => {
    expect((await asked("realm.yaml", "auth: on‸\n")).problems).toHaveLength(1);
    expect((await asked("realm.yaml", "auth: enabled\nsignupp: open‸\n")).problems[0]).toMatch(/^signupp: /);
    const { problems } = await asked("realm.yaml", "auth: enabled\nstorage: {}‸\n");
    expect(problems).toEqual([expect.stringContaining('Missing property "driver"')]);
    expect(
      (await asked("realm.yaml", "auth: enabled\nprofile: { $ref: ./_shared/p.json }‸\n")).problems,
    ).toEqual([]);
  });
});

describe("an editor of collection.yaml", () => {
  test("completes keys at every level", async () => {
    expect((await asked("collection.yaml", "‸")).labels).toEqual(
      expect.arrayContaining(["rules", "fields", "references", "soft_delete"]),
    );
    expect((await asked("collection.yaml", "rules:\n  ‸")).labels).toEqual(
      expect.arrayContaining(["create", "read", "update", "delete", "write", "restore", "purge"]),
    );
    expect((await asked("collection.yaml", "references:\n  author:\n    ‸")).labels).toEqual(
      expect.arrayContaining(["collection", "field", "many", "key"]),
    );
  });

  test("suggests rules, and says what they see", async () => {
    expect((await asked("collection.yaml", "rules:\n  update: ‸")).labels).toContain(
      "document._meta.owner == user.id",
    );
    expect((await asked("collection.yaml", "rules:\n  upd‸ate: true\n")).hover).toContain(
      "as it would become",
    );
  });

  test("accepts what the examples of the compiler accept", async () => {
    const text = readFileSync(`${root}examples/helpdesk/support/tickets/collection.yaml`, "utf8");
    expect((await asked("collection.yaml", `${text}‸`)).problems).toEqual([]);
  });
});

describe("an editor of schema.json", () => {
  test("completes keywords and their values, with what they mean", async () => {
    const { labels, documented } = await asked(
      "schema.json",
      '{ "type": "object", "properties": { "at": { ‸ } } }',
    );
    expect(labels).toEqual(expect.arrayContaining(["type", "format", "maxLength", "x-svc-store"]));
    expect(labels).not.toContain("$anchor");
    expect(documented("format")).toContain("asserted");
    const { labels: formats } = await asked("schema.json", '{ "type": "string", "format": ‸ }');
    expect(formats).toContain('"date-time"');
  });

  test("marks misspelt keywords, and accepts what the compiler does", async () => {
    expect((await asked("schema.json", '{ "type": "object", "maxLenght": 3‸ }')).problems).toHaveLength(1);
    const text = readFileSync(`${root}examples/helpdesk/support/tickets/schema.json`, "utf8");
    expect((await asked("schema.json", `${text}‸`)).problems).toEqual([]);
  });
});

describe("an editor of indexes.json", () => {
  test("completes keys and values, and shows what they mean", async () => {
    expect((await asked("indexes.json", '{ "indexes": [{ ‸ }] }')).labels).toEqual(
      expect.arrayContaining(["fields", "unique", "name"]),
    );
    expect((await asked("indexes.json", '{ "indexes": ‸ }')).labels.join()).toContain("-due_at");
    expect((await asked("indexes.json", '{ "te‸xt": { "fields": { "title": 10 } } }')).hover).toContain(
      "The text index",
    );
    const text = readFileSync(`${root}examples/helpdesk/support/tickets/indexes.json`, "utf8");
    expect((await asked("indexes.json", `${text}‸`)).problems).toEqual([]);
  });
});

describe("an editor of rule tests, by the schema that a build makes for their collection", () => {
  const generated = `${root}generated/`;
  const own = yamlService({
    schemaRequestService: async (uri) => readFileSync(new URL(uri), "utf8"),
    workspaceContext: { resolveRelativePath: (path, resource) => new URL(path, resource).href },
  });
  own.configure({
    validate: true,
    hover: true,
    completion: true,
    schemas: [
      {
        uri: pathToFileURL(`${generated}helpdesk/support/tickets/rule-test.schema.json`).href,
        fileMatch: ["**/_tests/*.yaml"],
      },
    ],
  });

  async function askedOf(marked: string) {
    const offset = marked.indexOf("‸");
    const uri = "file:///project/config/helpdesk/support/tickets/_tests/tickets.yaml";
    const document = TextDocument.create(uri, "yaml", ++version, marked.replace("‸", ""));
    const { items } = await own.doComplete(document, document.positionAt(offset), false);
    return answer(items, null, await own.doValidation(document, false), document);
  }

  test.each([
    ["roles", "callers:\n  ada: { roles: [‸] }\n", ["agent", "lead"]],
    ["organization roles", "callers:\n  ada: { orgs: { acme: { roles: [‸] } } }\n", ["agent", "manager"]],
    [
      "team roles",
      "callers:\n  ada:\n    orgs:\n      acme:\n        teams:\n          night:\n            roles:\n              - ‸\n",
      ["lead", "substitute"],
    ],
    ["fields of documents", "documents:\n  open:\n    ‸\n", ["subject", "status", "_meta"]],
    ["enumerations", "documents:\n  open:\n    status: ‸\n", ["open", "closed"]],
    [
      "fields of patches",
      "tests:\n  - update:\n      as: ada\n      patch:\n        ‸\n",
      ["assignee_id", "status"],
    ],
    ["functions", "tests:\n  - call:\n      function: ‸\n", ["support/close"]],
  ])("completes %s", async (_, marked, labels) => {
    expect((await askedOf(marked)).labels).toEqual(expect.arrayContaining(labels));
  });

  test("marks roles and functions that there are not, and nothing in files that are right", async () => {
    const wrong = await askedOf(
      "callers:\n  ada: { roles: [boss] }‸\ntests:\n  - list: { as: ada, expect: [] }\n",
    );
    expect(wrong.problems).toEqual([expect.stringMatching(/^boss: /)]);
    const right = readFileSync(`${root}examples/helpdesk/support/tickets/_tests/tickets.yaml`, "utf8");
    // Without its first line, which names the schema of the repository.
    expect((await askedOf(`${right.slice(right.indexOf("\n"))}‸`)).problems).toEqual([]);
  });
});
