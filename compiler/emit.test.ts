import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EmittedFile } from "../templates/print/code.ts";
import { hostileTexts } from "../templates/testing/hostile.ts";
import { collectionOf, organizations, realmOf, schemaOf, shop } from "../templates/testing/models.ts";
import { realmFiles } from "./emit.ts";
import { declaredFields } from "./model/fields.ts";
import type { Collection, Realm } from "./model/model.ts";
import { applyDifference } from "./output/write.ts";
import { packageRoot } from "./package/package.ts";
import type { RulesStage } from "./rules/compiled.ts";
import { compileRules } from "./rules/rules.ts";
import { ruleSource } from "./rules/testing/realms.ts";

const noRules: RulesStage = {
  collections: new Map(),
  functions: new Map(),
  migrations: new Map(),
  diagnostics: [],
};
const golden = join(packageRoot, "compiler/testdata/shop");
/** In the checkout, whose settings and packages it is compiled with. */
const scratch = mkdtempSync(join(packageRoot, ".emitted-"));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A realm whose names and texts are as unpleasant as they may be. */
function awkward(): Realm {
  const names = [
    "routes",
    "rules",
    "fields",
    "validate",
    "delete",
    "Date",
    "createDocument",
    "a-b",
    "aB",
    "Partial",
    "await_",
  ];
  const members = Object.fromEntries(
    hostileTexts.map((text) => [text, { description: text, enum: [text, `${text}'"`, null], title: "T" }]),
  );
  const plain = Object.fromEntries(
    ["it's", 'a "b"', "a-b", "constructor", "9"].map((name) => [name, { type: "string" }]),
  );
  const properties = { ...members, ...plain };
  const document = { type: "object", additionalProperties: { type: "string" }, properties };
  const collections = names.flatMap((name) =>
    ["db", "routes"].map((database) => {
      const path = `default/${database}/${name}/schema.json`;
      const schema = schemaOf(path, document);
      return collectionOf("default", database, name, {
        schema,
        fields: declaredFields(schema).fields,
        ...awkwardQueries(database, name),
      });
    }),
  );
  const appConfig = {
    ...Object.fromEntries(hostileTexts.map((text) => [text, [text, { [text]: `'${text}` }]])),
  };
  return realmOf("default", collections, { auth: true, appConfig });
}

/** A realm with organizations, whose rules ask what the caller is in them. */
function clubRealm(): Realm {
  const create = ruleSource("user.email_verified && appConfig.open", "create");
  const notes = collectionOf("club", "db", "notes", {
    organization: { required: true, teams: "optional", onDelete: "delete" },
    rules: {
      read: ruleSource("inOrg(document._meta.org)", "read"),
      create: ruleSource("hasOrgRole(data._meta.org, 'owner')", "create"),
    },
  });
  const profile = schemaOf("club/realm.yaml", {
    anyOf: [
      {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "integer" } },
        required: ["name"],
      },
      { type: "object", properties: { "full name": { type: "string" } } },
    ],
  });
  return realmOf("club", [notes], {
    auth: true,
    appConfig: { open: true },
    profile,
    organizations: { ...organizations, create, membersShow: ["name", "full name"] },
  });
}

/** Queries over the awkward fields, and references with names that every object inherits. */
function awkwardQueries(database: string, collection: string): Partial<Collection> {
  const { span } = collectionOf("default", database, collection);
  const to = { database, collection, key: "a-b", many: false, span };
  return {
    text: {
      fields: [{ path: 'a "b"', weight: 1 }],
      defaultLanguage: 'en"`*/',
      languageField: "it's",
      span,
    },
    references: ["__proto__", "constructor"].map((name) => ({ ...to, name, field: "constructor" })),
    aggregate: { groupBy: ["9"], metrics: [{ path: "it's", functions: ["distinct"] }], span },
  };
}

describe("emit", () => {
  test("a realm that uses everything: files as under testdata (UPDATE_GOLDEN=1 writes them)", async () => {
    const files = (await realmFiles(shop(), noRules)).filter(({ path }) => !path.endsWith("openapi.json"));
    if (process.env["UPDATE_GOLDEN"]) {
      rmSync(golden, { recursive: true, force: true });
      for (const { path, text } of files) {
        const target = join(golden, `${path.slice("shop/".length)}.golden`);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, text);
      }
    }
    const expected = readdirSync(golden, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".golden"),
    );
    expect(files.map(({ path }) => `${path.slice("shop/".length)}.golden`)).toEqual(expected.sort());
    for (const { path, text } of files) {
      expect(text).toBe(readFileSync(join(golden, `${path.slice("shop/".length)}.golden`), "utf8"));
    }
  });

  test("the same model gives the same bytes, whatever was emitted before", async () => {
    const first = await realmFiles(shop(), noRules);
    await realmFiles(awkward(), noRules);
    expect(await realmFiles(shop(), noRules)).toEqual(first);
  });

  test("files are sorted, have Unix line ends, and name no folder of this machine", async () => {
    const files = await realmFiles(shop(), noRules);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual([...paths].sort());
    for (const { text } of files) {
      expect(text.endsWith("\n")).toBe(true);
      expect(text).not.toContain("\r");
      expect(text).not.toContain(packageRoot);
    }
  });

  test("a realm without authentication has no rules and no accounts", async () => {
    const files = await realmFiles(realmOf("plain", [collectionOf("plain", "db", "things")]), noRules);
    expect(files.map(({ path }) => path)).not.toContain("plain/db/things/rules.ts");
    for (const { path, text } of files) {
      // What is the same in all clients knows of everything that documents may have.
      if (path.endsWith("client.ts")) expect(text).not.toMatch(/class Accounts|listUsers|signUp/);
      else if (path.endsWith(".ts"))
        expect(text).not.toMatch(
          /accounts|accountRoutes|secondFactor|userAdministration|rules|ownership|deletion|softDelete|customId/i,
        );
    }
  });

  test("organizations are emitted where the realm has them, belonging where a collection has it", async () => {
    const collections = [
      collectionOf("plain", "db", "shared", {
        organization: { required: false, teams: "required", onDelete: "delete" },
      }),
      collectionOf("plain", "db", "own"),
    ];
    const of = async (further: Parameters<typeof realmOf>[2]): Promise<Map<string, string>> => {
      const files = await realmFiles(realmOf("plain", collections, { auth: true, ...further }), noRules);
      return new Map(files.map(({ path, text }) => [path.slice("plain/".length), text]));
    };
    const files = await of({ organizations });
    expect(files.get("realm.ts")).toContain('creatorRoles: ["owner"],');
    for (const factory of ["organizationRoutes", "organizationAdministrationRoutes"]) {
      expect(files.get("realm.ts")).toContain(`${factory}("plain"),`);
    }
    expect(files.get("db/shared/routes.ts")).toContain(
      'organization: { required: false, teams: "required", onDelete: "delete" },',
    );
    expect(files.get("db/shared/fields.ts")).toContain("...organizationFields,\n  ...teamFields,");
    expect(files.get("db/shared/types.ts")).toContain(
      "_meta: DocumentMeta & OwnershipMeta & Partial<OrganizationMeta> & TeamMeta;",
    );
    for (const file of ["routes.ts", "fields.ts", "types.ts"])
      expect(files.get(`db/own/${file}`)).not.toMatch(/organization|team|memberships/i);
    expect((await of({})).get("realm.ts")).not.toMatch(/organization/i);
  });

  test("who creates organizations is a rule of the realm's own, unless that is everybody or nobody", async () => {
    const emitted = async (rule: string): Promise<Map<string, string>> => {
      const create = ruleSource(rule, "create");
      const realm = realmOf("plain", [], { auth: true, organizations: { ...organizations, create } });
      const stage = compileRules(realm);
      expect(stage.diagnostics).toEqual([]);
      return new Map((await realmFiles(realm, stage)).map(({ path, text }) => [path, text]));
    };
    const ruled = await emitted("user.email_verified && user.created_at < ago('1d')");
    expect(ruled.get("plain/rules.ts")).toContain(
      "organizations.create\n */\nexport const createOrganization = ({ user, now }: RuleContext): boolean =>\n",
    );
    expect(ruled.get("plain/realm.ts")).toContain("create: createOrganization,");
    const free = await emitted("true");
    expect(free.has("plain/rules.ts")).toBe(false);
    expect(free.get("plain/realm.ts")).toContain("create: allowed.check,");
    const closed = await emitted("false");
    expect(closed.has("plain/rules.ts")).toBe(false);
    expect(closed.get("plain/realm.ts")).not.toContain("create:");
  });

  test("openapi: off: the server neither holds the description nor has a route for it", async () => {
    const files = await realmFiles(realmOf("plain", [], { openapi: "off" }), noRules);
    const realm = files.find(({ path }) => path === "plain/realm.ts");
    expect(realm?.text).not.toMatch(/openapi|description/i);
  });

  describe("code of all kinds, also with awkward names,", () => {
    let files: readonly EmittedFile[];
    beforeAll(async () => {
      const club = clubRealm();
      files = [
        ...(await realmFiles(shop(), noRules)),
        ...(await realmFiles(awkward(), noRules)),
        ...(await realmFiles(club, compileRules(club))),
      ];
      await applyDifference(scratch, { changed: files, stale: [] });
    });

    test("passes strict tsc", () => {
      const tsconfig = { extends: "../tsconfig.json", include: ["**/*.ts"] };
      writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(tsconfig));
      expect(run("tsc", ["--noEmit", "-p", scratch])).toEqual({ status: 0, output: "" });
    });

    test("is formatted, and passes the linter", () => {
      const linted = files.filter(isLinted).map(({ path }) => join(scratch, path));
      const { status, output } = run("biome", ["ci", "--vcs-enabled=false", "--reporter=github", ...linted]);
      // Texts that look like templates are warned of.
      expect(
        output.replace(/^::warning title=lint\/suspicious\/noTemplateCurlyInString.*$/gm, ""),
      ).not.toMatch(/::/);
      expect(status).toBe(0);
    });
  });
});

/** As `biome.json` has it for `generated/`. */
function isLinted({ path }: { readonly path: string }): boolean {
  return !path.endsWith("validate.js");
}

function run(tool: string, words: readonly string[]): { status: number | null; output: string } {
  const command = join(packageRoot, "node_modules/.bin", tool);
  const { status, stdout } = spawnSync(command, words, { encoding: "utf8", cwd: packageRoot });
  return { status, output: stdout };
}
