import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changesBetween, readInputs, realmKey } from "./inputs.ts";

let config: string;
beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), "realmc-inputs-"));
  write("desk/realm.yaml", "auth: disabled\n");
  write("desk/db/things/schema.json", "{}");
  write("shop/realm.yaml", "auth: disabled\n");
});
afterEach(() => rmSync(config, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(config, path)), { recursive: true });
  writeFileSync(join(config, path), text);
}

/** What another look finds after `work`, and whether each realm's key is another one. */
function after(work: () => void) {
  const before = readInputs(config);
  work();
  const now = readInputs(config);
  const differs = (realm: string): boolean => realmKey(before, realm) !== realmKey(now, realm);
  return { changes: changesBetween(before, now), realms: ["desk", "shop"].filter(differs) };
}

test("content counts, not the time of writing", () => {
  expect(after(() => write("desk/realm.yaml", "auth: disabled\n"))).toEqual({ changes: [], realms: [] });
  expect(after(() => write("desk/realm.yaml", "auth: enabled\n"))).toEqual({
    changes: [{ path: "desk/realm.yaml", kind: "changed" }],
    realms: ["desk"],
  });
});

test("files and folders come, go and are renamed, empty ones too", () => {
  expect(after(() => mkdirSync(join(config, "desk/empty"))).changes).toEqual([
    { path: "desk/empty/", kind: "added" },
  ]);
  const renamed = after(() => renameSync(join(config, "desk/db/things"), join(config, "desk/db/items")));
  expect(renamed).toEqual({
    changes: [
      { path: "desk/db/items/", kind: "added" },
      { path: "desk/db/items/schema.json", kind: "added" },
      { path: "desk/db/things/", kind: "removed" },
      { path: "desk/db/things/schema.json", kind: "removed" },
    ],
    realms: ["desk"],
  });
  expect(after(() => rmSync(join(config, "shop"), { recursive: true })).realms).toEqual(["shop"]);
});

test("a folder made anew under its old path is told from the old one", () => {
  const folderOf = (): string | undefined =>
    [...readInputs(config).folders].find(([path]) => path.endsWith("shop"))?.[1];
  const before = folderOf();
  rmSync(join(config, "shop"), { recursive: true });
  write("shop/realm.yaml", "auth: disabled\n");
  expect(before).toBeDefined();
  expect(folderOf()).not.toBe(before);
});

test("links that go in a circle, out of the configuration or nowhere, and a configuration that is gone", () => {
  symlinkSync("..", join(config, "desk/up"));
  symlinkSync(tmpdir(), join(config, "desk/out"));
  symlinkSync("nothing", join(config, "desk/nowhere"));
  const { entries, folders } = readInputs(config);
  expect(folders.size).toBe(5);
  expect([...entries].filter(([path]) => /^desk\/(?:up|out|nowhere)/.test(path)).sort()).toEqual([
    ["desk/nowhere", "it does not exist"],
    ["desk/out/", `${tmpdir()} `],
    ["desk/up/", ".. "],
  ]);
  rmSync(config, { recursive: true });
  expect(readInputs(config).entries.size).toBe(0);
});
