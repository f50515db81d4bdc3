/** `realmc diff --no-new-access`: whoever gains an access is found, whatever the change is; nobody else is named. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { commandsIn } from "../../cli/testing/commands.ts";
import { chapters } from "../catalogue.ts";
import { accounts, type Sketch, writeRealm } from "../testing/case.ts";
import { giving } from "./settings.ts";

let folder: string;
let made = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-access-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = {
  type: "object",
  properties: {
    title: { type: "string" },
    status: { enum: ["draft", "open", "closed"] },
    salary: { type: "integer" },
    address: { type: "object", properties: { city: { type: "string" } } },
  },
};
const organizations =
  "auth: enabled\nroles: { lead: {}, agent: {} }\norganizations: { roles: { clerk: {}, member: {} }, default_roles: [member], team_roles: { head: {} } }\n";

interface Row {
  readonly kind: string;
  readonly where: string;
  readonly column: string | null;
  readonly rows: readonly string[];
  readonly clauses: readonly string[];
  readonly witness: string;
}

interface Answer {
  readonly status: number | null;
  readonly result: string;
  readonly gains: readonly Row[];
  readonly text: string;
}

function sides(old: Sketch, now: Sketch): readonly [string, string] {
  const pair = [`${made}/old`, `${made++}/now`] as const;
  writeRealm(join(folder, pair[0], "desk"), { schema, ...old });
  writeRealm(join(folder, pair[1], "desk"), { schema, ...now });
  return pair;
}

async function gate(old: Sketch, now: Sketch): Promise<Answer> {
  const pair = sides(old, now);
  const realmc = commandsIn(folder);
  const json = await realmc("diff", "--no-new-access", ...pair, "--format", "json");
  const { stdout: text } = await realmc("diff", "--no-new-access", ...pair);
  expect(json.stdout, json.stderr).not.toBe("");
  return { status: json.status, text, ...JSON.parse(json.stdout) };
}

const rules = (text: string, realm = accounts): Sketch => ({ realm, collection: text });

async function passes(old: Sketch, now: Sketch): Promise<void> {
  const { status, result, gains, text } = await gate(old, now);
  expect({ status, result, gains }).toEqual({ status: 0, result: "PASS", gains: [] });
  expect(text).toBe("PASS\n");
}

const gaining = (gains: readonly Row[]): readonly string[] =>
  gains.map(({ kind, where, column, rows }) => `${kind} ${where} ${column}: ${rows.join(", ")}`);

describe("rules of operations", () => {
  it("the same rules, also written otherwise, give nobody anything", async () => {
    await passes(
      rules("rules: { read: \"!(document.status == 'draft' && !hasRole('lead'))\" }\n"),
      rules("rules: { read: \"document.status != 'draft' || hasRole('lead')\" }\n"),
    );
  });

  it("a rule that is narrower passes, and one that is moved does not", async () => {
    const [all, own, leads] = ["true", "document._meta.owner == user.id", "hasRole('lead')"].map((rule) =>
      rules(`rules: { read: "${rule}" }\n`),
    );
    if (all === undefined || own === undefined || leads === undefined) throw new Error("three rules");
    await passes(all, own);
    const { status, gains } = await gate(own, leads);
    expect(status).toBe(1);
    expect(gaining(gains)).toEqual(["gained db/notes read: role lead"]);
    expect(gains[0]?.witness).toMatch(/^a user .*with the role lead may now read /);
    expect(gains[0]?.clauses.join()).toContain("desk/db/notes/collection.yaml:1 rules.read: hasRole('lead')");
  });

  it("who gains by several facts at once is found between the rows", async () => {
    const { gains } = await gate(
      rules("rules: { read: false }\n"),
      rules("rules: { read: \"hasRole('lead') && hasRole('agent')\" }\n"),
    );
    expect(gaining(gains)).toEqual(["gained db/notes read: "]);
    expect(gains[0]?.witness).toContain("with the roles agent, lead");
  });

  it("a document that may be read now may be updated by who could have before, had they seen it", async () => {
    const before = rules("rules: { read: \"hasRole('lead')\", update: true }\n");
    const { gains } = await gate(before, rules("rules: { read: true, update: true }\n"));
    expect(gains.map(({ column }) => column)).toEqual(["read", "update"]);
  });

  it("a rule that reads what nobody may read gives nothing", async () => {
    await passes(
      rules("rules: { read: false }\n"),
      rules("rules: { read: false, update: true, delete: true }\n"),
    );
  });

  it("roles that are renamed are others", async () => {
    const { gains } = await gate(
      rules("rules: { read: \"hasRole('lead')\" }\n"),
      rules("rules: { read: \"hasRole('boss')\" }\n", "auth: enabled\nroles: { boss: {}, agent: {} }\n"),
    );
    expect(gaining(gains)).toEqual(["gained db/notes read: role boss"]);
  });

  it("another app_config opens what a rule leaves to it", async () => {
    const collection = "rules: { read: appConfig.open }\n";
    const { gains } = await gate(
      { realm: `${accounts}app_config: { open: false }\n`, collection },
      { realm: `${accounts}app_config: { open: true }\n`, collection },
    );
    expect(gains.map(({ where, column, clauses }) => [where, column, clauses])).toEqual([
      ["db/notes", "read", ["the setting app_config"]],
    ]);
  });
});

describe("rules of fields", () => {
  const read = (fields: string) => rules(`rules: { read: true, update: true }\n${fields}`);

  it("a rule that goes shows and frees the field, and one that comes gives nothing", async () => {
    const ruled = read("fields: { salary: { read: \"hasRole('lead')\", write: \"hasRole('lead')\" } }\n");
    const { gains } = await gate(ruled, read(""));
    expect(gains.map(({ column }) => column)).toEqual(["fields.salary.read", "fields.salary.write"]);
    expect(gains[0]?.rows).toEqual(["anonymous", "signed in", "owner", "role agent"]);
    await passes(read(""), ruled);
  });

  it("a rule of the object around it hides a field as before", async () => {
    await passes(
      read("fields: { address.city: { read: \"hasRole('lead')\" } }\n"),
      read("fields: { address: { read: \"hasRole('lead')\" } }\n"),
    );
  });

  it("a field that the schema does not declare any longer is shown as it is stored", async () => {
    const { salary: _, ...properties } = schema.properties;
    const { gains } = await gate(read("fields: { salary: { read: \"hasRole('lead')\" } }\n"), {
      ...read(""),
      schema: { type: "object", properties },
    });
    expect(gains.map(({ column }) => column)).toContain("fields.salary.read");
  });
});

describe("settings", () => {
  it("without authentication everybody may do everything", async () => {
    const { gains } = await gate(rules("rules: { read: true }\n"), { realm: "auth: disabled\n" });
    expect(gaining(gains)).toEqual([
      "gained db/notes create: anonymous",
      "gained db/notes update: anonymous",
      "gained db/notes delete: anonymous",
    ]);
    await passes({ realm: "auth: disabled\n" }, rules("rules: { read: true }\n"));
  });

  it("a trash that comes brings who may look into it", async () => {
    const restore = "rules: { read: true, restore: \"hasRole('lead')\" }\nsoft_delete: true\n";
    const { gains } = await gate(rules("rules: { read: true }\n"), rules(restore));
    expect(gaining(gains)).toEqual(["gained db/notes restore: role lead"]);
  });

  it("caches that may show more, or for longer, count; fresher ones do not", async () => {
    const cached = (age: number) =>
      rules(`rules: { read: true }\ncache: { public: true, max_age: ${age} }\n`);
    const { gains } = await gate(cached(60), cached(120));
    expect(gaining(gains)).toEqual(["given db/notes cache read: anonymous"]);
    expect((await gate(rules("rules: { read: true }\n"), cached(60))).status).toBe(1);
    await passes(cached(120), cached(60));
  });

  it("an organization that need not be named lets others create", async () => {
    const made = (organization: string) =>
      rules(`rules: { create: "user != null" }\norganization: ${organization}\n`, organizations);
    const { gains } = await gate(made("required"), made("optional"));
    expect(gains.map(({ column, clauses }) => [column, clauses])).toEqual([
      ["create", ["the setting organization"]],
    ]);
    expect(gains[0]?.rows).toContain("signed in");
    expect(gains[0]?.rows).not.toContain("member");
    await passes(made("optional"), made("required"));
  });

  it("roles that every member or user is given count, with what they allow", async () => {
    const collection =
      "rules: { read: \"hasOrgRole(document._meta.org, 'clerk')\" }\norganization: required\n";
    const { gains } = await gate(
      { realm: organizations, collection },
      { realm: organizations.replace("[member]", "[member, clerk]"), collection },
    );
    const [first, second] = gains;
    expect([first?.column, first?.rows.includes("member"), first?.clauses]).toEqual([
      "read",
      true,
      ["the setting organizations.default_roles"],
    ]);
    expect([second?.kind, second?.where]).toEqual(["given", "organizations.default_roles"]);
    const byDefault = await gate(
      rules("rules: {}\n"),
      rules("rules: {}\n", `${accounts}default_roles: [lead]\n`),
    );
    expect(gaining(byDefault.gains)).toEqual(["given default_roles null: "]);
  });

  it("what is new is told by itself", async () => {
    const further = {
      "db/more/schema.json": '{"type":"object"}',
      "db/more/collection.yaml": "rules: { read: true }\n",
    };
    const { gains, text } = await gate(rules("rules: {}\n"), { ...rules("rules: {}\n"), files: further });
    expect(gains.map(({ kind, where, column }) => [kind, where, column])).toEqual([
      ["new", "db/more", "read"],
    ]);
    expect(text).toContain("\nNew, where nobody could do anything\n");
  });

  it("who may call a function, and what a new one is triggered by, count", async () => {
    const handler = "export default async () => {};\n";
    const withFunction = (settings: string): Sketch => ({
      ...rules("rules: { read: true }\n"),
      files: { "db/_func/ping/function.yaml": settings, "db/_func/ping/handler.ts": handler },
    });
    const call = (invoke: string) => withFunction(`mode: call\ninvoke: "${invoke}"\nscopes: {}\n`);
    const { gains } = await gate(call("hasRole('lead')"), call("user != null"));
    expect(gaining(gains)).toEqual(["gained db/ping invoke null: "]);
    expect(gains[0]?.witness).toMatch(/^a .*user.* may now call it with anything$/);
    await passes(call("user != null"), call("hasRole('lead')"));
    const event = "mode: event\ntriggers: [{ collection: notes, on: [create] }]\nscopes: {}\n";
    const triggered = await gate(rules("rules: { read: true }\n"), withFunction(event));
    expect(gaining(triggered.gains)).toEqual(["new db/ping triggers null: "]);
  });

  it("every setting that gives an access is one that diff knows", () => {
    const known = Object.values(chapters).flatMap((checks) => Object.keys(checks));
    expect(Object.keys(giving).filter((check) => !known.includes(check))).toEqual([]);
  });

  it("every check of a setting that allows more is known to give an access, or not to", () => {
    const widening = Object.entries(chapters)
      .filter(([chapter]) => chapter !== "Schemas" && chapter !== "Rules")
      .flatMap(([, checks]) => Object.keys(checks))
      .filter((check) =>
        /-(?:added|enabled|widened|allowed|disallowed|optional|raised|lengthened|lifted)$/.test(check),
      );
    expect(widening.filter((check) => !Object.hasOwn(giving, check)).toSorted()).toEqual(givesNothing);
  });
});

/** Some are looked at by their rules: `collection-added`, `organization-optional`, `function-added`. */
const givesNothing: readonly string[] = [
  ...["aggregation-added", "auth-enabled", "collection-added", "cookie-enabled", "cookie-widened"],
  ...["custom-id-enabled", "custom-id-widened", "duplicate-limit-raised", "error-added", "expansion-raised"],
  ...["file-count-raised", "file-field-added", "file-size-raised", "file-types-widened", "file-upload-added"],
  ...["file-version-added", "function-added", "function-mail-allowed", "function-network-widened"],
  ...["function-secret-added", "group-added", "idempotency-optional", "index-added", "input-widened"],
  ...["metric-added", "organization-limit-raised", "organization-optional", "organization-role-added"],
  ...["origin-added", "output-widened", "quota-raised", "realm-added", "realtime-added", "realtime-raised"],
  ...["reference-added", "require-mfa-allowed", "retention-lengthened", "role-added", "schedule-added"],
  ...["search-added", "search-field-added", "session-lengthened", "signup-limit-raised"],
  ...["soft-delete-enabled", "storage-added", "team-role-added", "teams-optional", "token-ceiling-added"],
  ...["token-lifetime-lengthened", "totp-enabled", "trigger-order-lifted", "unique-index-added"],
];

test("what cannot be decided fails, and says so", async () => {
  const { status, gains, text } = await gate(
    rules("rules: { read: \"document.title == 'a'\" }\n"),
    rules("rules: { read: \"document.title == 'a' || now < '2020-01-01'\" }\n"),
  );
  expect(status).toBe(1);
  expect(gains.map(({ kind, column }) => [kind, column])).toEqual([["undecided", "read"]]);
  expect(text).toMatch(/^FAIL\n\nUndecided: .*\ndesk db\/notes read: nobody was found/);
});

test("diff shows the cells behind a change of a rule, and in JSON as data", async () => {
  const pair = sides(
    rules("rules: { read: \"hasRole('lead')\", update: true }\n"),
    rules("rules: { read: \"hasRole('lead') || document._meta.owner == user.id\", update: true }\n"),
  );
  const realmc = commandsIn(folder);
  const { stdout } = await realmc("diff", ...pair);
  expect(stdout.split("\n").slice(1, -1)).toEqual([
    "  read of owner: never -> always",
    "  update of owner: never -> always",
    "  read of role agent: never -> if document._meta.owner == user.id",
    "  update of role agent: never -> if document._meta.owner == user.id",
  ]);
  const { changes } = JSON.parse((await realmc("diff", ...pair, "--format", "json")).stdout);
  expect(changes[0].cells[0]).toEqual({ row: "owner", column: "read", was: "never", is: "always" });
});
