import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CheckOptions, check } from "./check.ts";
import { createTerminal } from "./terminal.ts";

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
