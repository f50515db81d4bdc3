import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, ticking } from "./connection.ts";
import { type StoreFile, storeFile } from "./file.ts";
import { single } from "./query.ts";

let file: StoreFile;
let connection: Connection;
beforeEach(() => {
  file = storeFile(":memory:", "connection");
  connection = new Connection(file.path, { readOnly: false, busyTimeout: 0 });
  connection.database.exec(`
    CREATE TABLE things (seq INTEGER PRIMARY KEY);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) INSERT INTO things SELECT i FROM n`);
});
afterEach(() => {
  vi.restoreAllMocks();
  connection.close();
  file.remove();
});

const found = (rows: number, condition: string) =>
  connection.allWithin(
    rows,
    single({ sql: `SELECT count(*) FROM things WHERE ${ticking} AND ${condition}`, parameters: [] }),
  );

test("a statement ends when it has visited more rows than it may", () => {
  // Time stands still, so that no statement ends because the machine is busy.
  vi.spyOn(performance, "now").mockReturnValue(0);
  expect(found(1000, "seq > 0")).toBeUndefined();
  expect(found(1000, "seq < 500")).toEqual([[499]]);
  expect(found(4000, "seq > 0")).toEqual([[2000]]);
});

test("after which the next write that is refused still fails", () => {
  const insert = connection.prepare("INSERT INTO things VALUES (1)");
  // Prepared, too: that would make good what a query before it has left behind.
  found(4000, "seq > 0");
  expect(found(1000, "seq > 0")).toBeUndefined();
  expect(() => insert.run()).toThrow("UNIQUE");
});

test("and when its rows take too long", () => {
  connection.database.function("slow", () => {
    const end = performance.now() + 0.5;
    while (performance.now() < end);
    return 1;
  });
  expect(found(100_000, "slow()")).toBeUndefined();
});

test("other failures are told", () => {
  expect(() => found(1000, "json(seq || 'x')")).toThrow("malformed JSON");
});
