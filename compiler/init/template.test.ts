/** What `realmc init` writes, as it stands in `template/`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { check } from "../check/testing/check.ts";
import { packageRoot } from "../package/package.ts";
import { planProject } from "./project.ts";

const project = await planProject(join(packageRoot, "node_modules/.cache/not-there"));
const files = new Map(project.files.map(({ path, text }) => [path, text]));
const configured = [...files.keys()].filter((path) => /^config\/.*\.(?:yaml|json)$/.test(path));

function textOf(path: string): string {
  const text = files.get(path);
  if (text === undefined) throw new Error(`there is no ${path}`);
  return text;
}

/** The schema of a configuration file, by its name or its folder: `docs/schemas/realm.schema.json` of `realm.yaml`. */
function schemaOf(path: string): string {
  const name = path.includes("/_tests/") ? "rule-test" : /([a-z]+)\.(?:yaml|json)$/.exec(path)?.[1];
  return `node_modules/realmc/docs/schemas/${name}.schema.json`;
}

describe("the configuration", () => {
  it("has no problems, not even warnings", async () => {
    expect(await check(join(packageRoot, "compiler/init/template/config"))).toEqual([]);
  });

  it("shows accounts, a rule of each kind, field rules, a reference, indexes, soft delete", () => {
    const realm = parse(textOf("config/app/realm.yaml"));
    expect(realm).toMatchObject({ auth: "enabled", signup: "open", roles: { lead: {} } });
    const tasks = parse(textOf("config/app/work/tasks/collection.yaml"));
    expect(Object.keys(tasks)).toEqual(["rules", "fields", "references", "defaults", "soft_delete"]);
    expect(Object.keys(tasks.rules)).toEqual(["read", "create", "update", "delete", "restore", "purge"]);
    expect(JSON.parse(textOf("config/app/work/tasks/indexes.json")).indexes.length).toBeGreaterThan(1);
  });

  it.each(configured.filter((path) => path.endsWith(".yaml")))(
    "%s is commented, and names its schema",
    (path) => {
      const [first = "", ...rest] = textOf(path).split("\n");
      const [, schema = ""] = /^# yaml-language-server: \$schema=(.*)$/.exec(first) ?? [];
      expect(join(dirname(path), schema)).toBe(schemaOf(path));
      expect(rest.some((line) => line.includes("# "))).toBe(true);
    },
  );
});

describe("editors", () => {
  const settings = JSON.parse(textOf(".vscode/settings.json"));
  const patterns: readonly (readonly [schema: string, pattern: string])[] = [
    ...Object.entries<string | string[]>(settings["yaml.schemas"]).flatMap(([url, patterns]) =>
      [patterns].flat().map((pattern): [string, string] => [url, pattern]),
    ),
    ...settings["json.schemas"].flatMap(({ url, fileMatch }: { url: string; fileMatch: string[] }) =>
      fileMatch.map((pattern): [string, string] => [url, pattern]),
    ),
  ];

  it.each(configured)("find the schema of %s, which is there", (path) => {
    const schemas = patterns
      .filter(([, pattern]) => matches(`/${path}`, pattern))
      .map(([schema]) => relative(".", schema));
    expect(schemas).toEqual([schemaOf(path)]);
    expect(existsSync(join(packageRoot, schemaOf(path).replace("node_modules/realmc/", "")))).toBe(true);
  });

  /** Globs of which `*` is the only sign. */
  function matches(path: string, glob: string): boolean {
    const parts = glob.split("*").map((part) => part.replaceAll(".", "\\."));
    return new RegExp(`^${parts.join("[^/]*")}$`).test(path);
  }
});

test("scripts and the workflow run commands that are there", () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const { jobs } = parse(textOf(".github/workflows/realmc.yml"));
  const steps: readonly { readonly run?: string }[] = jobs.realmc.steps;
  const texts = [...Object.values<string>(scripts), ...steps.map(({ run = "" }) => run)];
  const commands = texts.flatMap((text) => [...text.matchAll(/\brealmc ([a-z]+)/g)].map(([, name]) => name));
  const folder = join(packageRoot, "compiler/cli");
  const sources = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const source = sources.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const known = [...source.matchAll(/\.command\("([a-z]+)"\)/g)].map(([, name]) => name);
  expect(new Set(commands)).toEqual(new Set(["check", "test", "build", "dev", "serve", "diff"]));
  expect(known).toEqual(expect.arrayContaining(commands));
  for (const [, name = ""] of texts.join("\n").matchAll(/npm run ([a-z]+)/g))
    expect(scripts).toHaveProperty(name);
});
