import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { describeStore } from "./contract.suite.ts";
import { openSqliteStore } from "./sqlite/store.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-contract-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeStore("SQLite in memory", (options) =>
  openSqliteStore({ location: ":memory:", realm: "test", ...options }),
);

let opened = 0;
describeStore("SQLite in a folder", (options) => {
  return openSqliteStore({ location: folder, realm: `test-${++opened}`, ...options });
});
