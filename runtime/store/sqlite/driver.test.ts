import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { isBusy, isUniqueViolation, openDatabase, sqliteLibrary } from "./driver.ts";

test("the library has what we need: FTS5, JSONB, rows as arrays", () => {
  const database = openDatabase(":memory:", { readOnly: false });
  database.exec("CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('a fox')");
  const statement = database.prepare(`SELECT json(jsonb('{"a": 1}')) FROM words WHERE words MATCH 'fox'`);
  statement.setReturnArrays(true);
  expect(statement.all()).toEqual([['{"a":1}']]);
  database.close();
});

test("loading it warns of nothing, and other warnings still pass", () => {
  const program = `await import(${JSON.stringify(new URL("./driver.ts", import.meta.url).href)}); process.emitWarning("a warning");`;
  const { stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { encoding: "utf8" },
  );
  expect(stderr).not.toContain("SQLite");
  expect(stderr).toContain("a warning");
});

test("the built-in library is taken where Node has a capable one", () => {
  const probe = `
    try {
      const database = new (require("node:sqlite").DatabaseSync)(":memory:");
      database.exec("CREATE VIRTUAL TABLE words USING fts5(text)");
      console.log(typeof database.prepare("SELECT jsonb(1)").setReturnArrays);
    } catch { console.log("none"); }`;
  const capable =
    execFileSync(process.execPath, ["--no-warnings", "--eval", probe], { encoding: "utf8" }).trim() ===
    "function";
  expect(sqliteLibrary === "node:sqlite").toBe(capable);
});

test("errors are told apart by result code", () => {
  const database = openDatabase(":memory:", { readOnly: false });
  database.exec("CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER NOT NULL, u UNIQUE)");
  const failureOf = (sql: string) => {
    try {
      database.exec(sql);
    } catch (error) {
      return error;
    }
    return undefined;
  };
  database.exec("INSERT INTO t VALUES ('a', 1, 1)");
  expect(isUniqueViolation(failureOf("INSERT INTO t VALUES ('a', 1, 2)"))).toBe(true);
  expect(isUniqueViolation(failureOf("INSERT INTO t VALUES ('b', 1, 1)"))).toBe(true);
  expect(isUniqueViolation(failureOf("INSERT INTO t VALUES ('b', NULL, 2)"))).toBe(false);
  expect(isBusy(failureOf("SELECT nonsense"))).toBe(false);
  expect(isBusy(new Error("busy"))).toBe(false);
  database.close();
});
