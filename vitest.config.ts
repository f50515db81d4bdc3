import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { serverUris } from "./runtime/store/mongodb/testing/servers.ts";
import { isFull } from "./runtime/testing/random.ts";
import { LeftOut } from "./scripts/testing/left-out.ts";
import { LengthRecorder } from "./scripts/testing/lengths.ts";
import { LongestFirst } from "./scripts/testing/longest-first.ts";
import { mongoTests } from "./scripts/testing/mongodb.ts";
import { OutcomeReporter } from "./scripts/testing/outcome.ts";
import { productTests } from "./scripts/testing/product.ts";

const servers = serverUris();
const tests = "**/*.test.ts";

/** The tests run once for each engine, on MongoDB where `MONGODB_URI` names a server; what tries the product, by itself. */
export default defineConfig({
  // As in `tsconfig.json`: emitted code runs on the sources, not on what was last packed.
  resolve: {
    alias: {
      "realmc/client": fileURLToPath(new URL("runtime/client/index.ts", import.meta.url)),
      "realmc/functions": fileURLToPath(new URL("runtime/functions/handler.ts", import.meta.url)),
      "realmc/migrations": fileURLToPath(new URL("runtime/realm/migrate.ts", import.meta.url)),
      "realmc/runtime": fileURLToPath(new URL("runtime/index.ts", import.meta.url)),
      "realmc/testing": fileURLToPath(new URL("runtime/trials/index.ts", import.meta.url)),
    },
  },
  test: {
    pool: "forks",
    // Modules are loaded once in each worker, not for every file; `shared.setup.ts` holds files to leave no traces.
    isolate: false,
    maxWorkers: 2,
    reporters: ["default", new LeftOut(), new OutcomeReporter(), new LengthRecorder()],
    // Nets against hanging, on a machine that others load; nothing that a test says about time.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { setupFiles: "list", sequencer: LongestFirst },
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
          exclude: [
            "**/node_modules/**",
            ...productTests,
            ...(servers.length === 0 ? [] : [`runtime/store/mongodb/${tests}`]),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "product",
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
          include: [...productTests],
          // Each runs compilers, servers and tests of its own, beside the tests on MongoDB in continuous integration.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      ...(servers.length === 0
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: "mongodb",
                // A server for each: the test server fails where many collections are made at a time.
                maxWorkers: servers.length,
                sequence: { groupOrder: 1 },
                include: [...mongoTests(isFull)],
                env: { REALMC_TEST_STORE: "mongodb", REALMC_TEST_RUN: randomBytes(4).toString("hex") },
                globalSetup: ["runtime/store/mongodb/testing/run.ts"],
                setupFiles: ["runtime/store/mongodb/testing/setup.ts"],
                // Making and dropping databases takes long, most of all on the test server.
                testTimeout: 300_000,
                hookTimeout: 300_000,
              },
            },
          ]),
    ],
  },
});
