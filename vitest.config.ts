import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import type { Reporter } from "vitest/reporters";
import { isFull } from "./runtime/random.testing.ts";
import { mongoTests } from "./scripts/testing/mongodb.ts";

const uri = process.env["MONGODB_URI"] || undefined;
const tests = "**/*.test.ts";
/** Said last, after the summary. */
const withoutMongo: Reporter = {
  onTestRunEnd() {
    console.error(
      "The tests were not run on MongoDB: MONGODB_URI, which names a server for that, is not set.\n",
    );
  },
};

/** The tests run once for each engine; on MongoDB where `MONGODB_URI` names a server. */
export default defineConfig({
  // As in `tsconfig.json`: emitted code runs on the sources, not on what was last packed.
  resolve: { alias: { "realmc/runtime": fileURLToPath(new URL("runtime/index.ts", import.meta.url)) } },
  test: {
    pool: "forks",
    // Modules are loaded once in each worker, not for every file; `shared.setup.ts` holds files to leave no traces.
    isolate: false,
    maxWorkers: 2,
    reporters: ["default", ...(uri === undefined ? [withoutMongo] : [])],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    sequence: { setupFiles: "list" },
    setupFiles: ["scripts/conformance/watch.setup.ts", "scripts/testing/shared.setup.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "embedded",
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          include: [`{compiler,runtime,templates,examples,scripts}/${tests}`],
          // Where there is a server, the other project runs them, with those that need it.
          exclude: ["**/node_modules/**", ...(uri === undefined ? [] : [`runtime/store/mongodb/${tests}`])],
        },
      },
      ...(uri === undefined
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: "mongodb",
                // One after another: the test server fails where many collections are made at a time.
                maxWorkers: 1,
                sequence: { groupOrder: 1 },
                include: [...mongoTests(isFull)],
                env: { REALMC_TEST_STORE: "mongodb", REALMC_TEST_RUN: randomBytes(4).toString("hex") },
                globalSetup: ["runtime/store/mongodb/testing/run.ts"],
                setupFiles: ["runtime/store/mongodb/testing/setup.ts"],
                // Making and dropping databases takes long, most of all on the test server.
                testTimeout: 120_000,
                hookTimeout: 120_000,
              },
            },
          ]),
    ],
  },
});
