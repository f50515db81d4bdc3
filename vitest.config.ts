import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{compiler,runtime,templates,examples,scripts}/**/*.test.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
