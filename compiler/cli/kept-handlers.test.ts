/** A bundle of one realm anew: handlers of the others are in it, whether the folder held them or not. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsIn } from "./testing/commands.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-kept-handlers-"));
const realmc = commandsIn(folder);
const module = (bundle: string, realm: string): string =>
  join(folder, bundle, `functions/${realm}/db/hook.cjs`);

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const handler = (body: string): string => `export default () => ({ body: ${JSON.stringify(body)} });\n`;

beforeAll(async () => {
  for (const realm of ["desk", "shop"]) {
    write(`config/${realm}/realm.yaml`, "auth: enabled\n");
    write(`config/${realm}/db/things/schema.json`, '{ "type": "object" }\n');
    write(`config/${realm}/db/_func/hook/function.yaml`, "mode: webhook\ninvoke: true\n");
    write(`config/${realm}/db/_func/hook/handler.ts`, handler(`of ${realm}`));
  }
  expect(await realmc("build", "config", "--out", "generated", "--bundle", "all")).toMatchObject({
    status: 0,
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const buildShop = (bundle: string) =>
  realmc("build", "config", "--out", "generated", "--realm", "shop", "--bundle", bundle);

test("build --realm into an empty folder bundles the handlers of all realms that the server has", async () => {
  expect(await buildShop("empty")).toMatchObject({ status: 0 });
  for (const realm of ["desk", "shop"])
    expect(readFileSync(module("empty", realm), "utf8")).toBe(readFileSync(module("all", realm), "utf8"));
}, 60_000);

test("one that changed since its realm was built is not bundled behind the output's back; one that is there stays", async () => {
  write("config/desk/db/_func/hook/handler.ts", handler("otherwise"));
  const { status, stderr } = await buildShop("other");
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^error: the bundle lacks handlers of the realm desk, which changed since it was built: build it, too$/m,
  );
  expect(existsSync(join(folder, "other"))).toBe(false);
  const before = readFileSync(module("all", "desk"), "utf8");
  expect(await buildShop("all")).toMatchObject({ status: 0 });
  expect(readFileSync(module("all", "desk"), "utf8")).toBe(before);
}, 60_000);
