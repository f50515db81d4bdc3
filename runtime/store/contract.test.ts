import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { mongoUri } from "./mongodb/testing/server.ts";
import { openSqliteStore } from "./sqlite/store.ts";
import { openTestStore } from "./testing/stores.ts";
import { describeStore } from "./testing/suite.ts";

if (mongoUri === undefined) {
  describeStore("SQLite in memory", openTestStore, { history: "clock" });

  const folder = mkdtempSync(join(tmpdir(), "realmc-contract-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let opened = 0;
  describeStore(
    "SQLite in a folder",
    (options) => openSqliteStore({ location: folder, realm: `test-${++opened}`, ...options }),
    { history: "clock" },
  );
} else {
  describeStore("MongoDB", openTestStore, { history: "server" });
}
