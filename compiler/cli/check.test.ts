import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CheckOptions, check } from "./check.ts";
import { createTerminal } from "./terminal.ts";
import { commandsIn } from "./testing/commands.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "realmc-check-")));
const config = join(root, "apps/config");

beforeAll(() => {
  mkdirSync(join(config, "shop/db/things"), { recursive: true });
  writeFileSync(join(config, "shop/realm.yaml"), "auth: disabled\nsignupp: open\n");
  writeFileSync(join(config, "shop/db/things/schema.json"), '{ "type": "object" }\n');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function checked(options: CheckOptions, environment = {}, isTTY = false): Promise<string> {
  const written: string[] = [];
  const stdout = { isTTY, write: (text: string) => written.push(text) };
  const terminal = createTerminal({
    stdout,
    stderr: { write: () => true },
    environment: { NO_COLOR: "1" },
  });
  expect(await check(config, options, terminal, environment)).toBe(1);
  return written.join("");
}

test("files are named from the configuration folder", async () => {
  expect(await checked({ format: "text" })).toMatch(/^shop\/realm\.yaml:2:1 /);
  expect(JSON.parse(await checked({ format: "json" }))).toMatchObject([{ file: "shop/realm.yaml" }]);
  expect(await checked({ format: "github" })).toMatch(/^::error file=shop\/realm\.yaml,line=2,/);
  const sarif = await checked({ format: "sarif" });
  expect(sarif).toContain('"uri": "shop/realm.yaml"');
  expect(sarif).toContain("The configuration folder.");
  expect(sarif).not.toContain(root);
});

test("--relative-to names them from another folder, and a terminal still shows their lines", async () => {
  const relativeTo = root;
  expect(await checked({ format: "github", relativeTo })).toMatch(
    /^::error file=apps\/config\/shop\/realm\.yaml,/,
  );
  expect(await checked({ format: "sarif", relativeTo })).toContain('"uri": "apps/config/shop/realm.yaml"');
  const text = await checked({ format: "text", relativeTo }, {}, true);
  expect(text).toMatch(/^apps\/config\/shop\/realm\.yaml:2:1 .*\n {2}2 \| signupp: open\n/);
});

test("on GitHub the formats for it name them from the root of the checkout", async () => {
  const environment = { GITHUB_WORKSPACE: root };
  expect(await checked({ format: "github" }, environment)).toMatch(/^::error file=apps\/config\/shop\//);
  expect(await checked({ format: "sarif" }, environment)).toContain('"uri": "apps/config/shop/realm.yaml"');
  expect(await checked({ format: "json" }, environment)).toContain('"file":"shop/realm.yaml"');
  const elsewhere = { GITHUB_WORKSPACE: join(root, "other") };
  expect(await checked({ format: "github" }, elsewhere)).toMatch(/^::error file=shop\/realm\.yaml,/);
});

test("--store tells secrets that are not set there, and reads nothing else of it", async () => {
  const folder = join(root, "secrets/config");
  const fn = join(folder, "shop/db/_func/hook");
  const store = join(root, "secrets/data");
  for (const each of [fn, join(folder, "shop/db/things"), store]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, "shop/realm.yaml"), "auth: disabled\n");
  writeFileSync(join(folder, "shop/db/things/schema.json"), '{ "type": "object" }\n');
  writeFileSync(join(fn, "function.yaml"), "mode: webhook\ninvoke: true\nsecrets: [TOKEN]\n");
  writeFileSync(join(fn, "handler.ts"), "export default () => undefined;\n");
  const realmc = commandsIn(join(root, "secrets"), { NO_COLOR: "1" });
  const told = await realmc("check", "config", "--store", "sqlite:data");
  expect(told.status).toBe(0);
  expect(told.stdout).toMatch(/^shop\/db\/_func\/hook\/function\.yaml:3:10 warning secret-missing .*TOKEN/);
  expect(told.stdout).toContain("realmc secret set --realm shop --name TOKEN");
  expect(readdirSync(store)).toEqual([]);
  expect((await realmc("check", "config")).stdout).not.toContain("secret-missing");
  expect(await realmc("check", "config", "--store", "sqlite:nowhere")).toMatchObject({ status: 2 });
});
