import { afterAll, beforeAll, expect, test } from "vitest";
import { or, text } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import { Connection } from "../connection.ts";
import { type StoreFile, storeFile } from "../file.ts";
import { Parameters } from "../parameters.ts";
import { single } from "../query.ts";
import { lower } from "./lower.ts";

let file: StoreFile;
let connection: Connection;
beforeAll(() => {
  file = storeFile(":memory:", "matching");
  connection = new Connection(file.path, { readOnly: false, busyTimeout: 0 });
  connection.database.exec(`
    CREATE TABLE short (doc TEXT); CREATE TABLE long (doc TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
    INSERT INTO short SELECT json_object('body', 'x') FROM n;
    INSERT INTO long SELECT json_object('body', printf('%.*c', 10000, 'x')) FROM short`);
});
afterAll(() => {
  connection.close();
  file.remove();
});

test.each([false, true])(
  "where 4: text that is looked for in large documents counts as many rows (ignoring case: %s)",
  (ignoreCase) => {
    const body = field("body", "string");
    const parts = Array.from({ length: 10 }, (_, n) => text("contains", body, `${n}`, ignoreCase));
    const none = { array: () => undefined, text: () => "0", spelled: true };
    const found = (table: string) => {
      const parameters = new Parameters(0);
      const condition = lower(or(...parts), parameters, none);
      const sql = `SELECT count(*) FROM ${table} WHERE ${condition}`;
      return connection.allWithin(1000, single({ sql, parameters: parameters.values }));
    };
    expect(found("short")).toEqual([[0]]);
    expect(found("long")).toBeUndefined();
    // A document that is asked for by its id has no budget.
    const parameters = new Parameters(0);
    const sql = `SELECT count(*) FROM long WHERE ${lower(text("contains", body, "x", ignoreCase), parameters, none)}`;
    expect(connection.prepare(sql).get(...parameters.values)).toEqual([10]);
  },
);
