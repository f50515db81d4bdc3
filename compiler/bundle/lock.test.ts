/** `package-lock.json` of bundles. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { jsonText } from "../../templates/print/format.ts";
import { packageRoot } from "../package/package.ts";
import { externalPackages } from "./bundle.ts";
import { type LockedPackages, lockedFor } from "./lock.ts";
import { productionFiles } from "./production.ts";

const own = (): LockedPackages =>
  JSON.parse(readFileSync(join(packageRoot, "package-lock.json"), "utf8")).packages;

describe("What bundles lock", () => {
  it("is what this package's lock file has of the packages outside of bundles (UPDATE_GOLDEN=1 writes it anew)", () => {
    const path = join(packageRoot, "compiler/bundle/locked.json");
    const expected = jsonText({ ...lockedFor(own(), externalPackages) });
    if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(path, expected);
    expect(readFileSync(path, "utf8")).toBe(expected);
  });

  it("names no place from which packages come: npm asks the one that it is set to", () => {
    expect(JSON.stringify(lockedFor(own(), externalPackages))).not.toMatch(/"resolved"|https?:/);
  });

  it.each([
    ["all of them", externalPackages],
    ["those of a server without files", ["@node-rs/argon2", "@photostructure/sqlite"]],
    ["the least", ["@photostructure/sqlite"]],
  ])("leaves npm nothing to add, to ask for or to print otherwise: %s", (_, names) => {
    const folder = mkdtempSync(join(tmpdir(), "realmc-bundle-lock-"));
    try {
      const files = productionFiles(names);
      for (const { path, text } of files) writeFileSync(join(folder, path), text);
      const settings = [
        "--offline",
        `--cache=${join(folder, "cache")}`,
        `--userconfig=${devNull}`,
        "--omit-lockfile-registry-resolved",
        "--no-update-notifier",
      ];
      execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts", ...settings], {
        cwd: folder,
        stdio: "pipe",
      });
      for (const { path, text } of files) expect(readFileSync(join(folder, path), "utf8")).toBe(text);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const some: LockedPackages = {
    "node_modules/a": {
      version: "1.0.0",
      license: "MIT",
      dependencies: { b: "1" },
      optionalDependencies: { "for-another-system": "1", "not-locked": "1" },
      peerDependencies: { peer: "1", "optional-peer": "1" },
      peerDependenciesMeta: { "optional-peer": { optional: true } },
    },
    "node_modules/a/node_modules/b": { version: "1.1.0", dependencies: { c: "1" } },
    "node_modules/b": { version: "2.0.0" },
    "node_modules/c": { version: "1.0.0", dependencies: { b: "2", a: "1" } },
    "node_modules/for-another-system": { version: "1.0.0", optional: true, os: ["aix"] },
    "node_modules/optional-peer": { version: "1.0.0" },
    "node_modules/peer": { version: "1.0.0" },
    "node_modules/stranger": { version: "1.0.0" },
  };

  it("is all that a package requires, wherever Node finds it, and nothing else", () => {
    expect(Object.keys(lockedFor(some, ["a"]))).toEqual([
      "node_modules/a",
      "node_modules/a/node_modules/b",
      "node_modules/b",
      "node_modules/c",
      "node_modules/for-another-system",
      "node_modules/peer",
    ]);
    expect(lockedFor(some, ["b"])).toEqual({ "node_modules/b": { version: "2.0.0" } });
  });

  it("may be missing where nothing but what may be missing requires it", () => {
    const optional: LockedPackages = {
      "node_modules/a": { version: "1", optionalDependencies: { b: "1" }, dependencies: { d: "1" } },
      "node_modules/b": { version: "1", dependencies: { c: "1", d: "1" }, optional: true, cpu: ["x64"] },
      "node_modules/c": { version: "1" },
      "node_modules/d": { version: "1", optional: true },
    };
    const locked = lockedFor(optional, ["a"]);
    const missing = Object.entries(locked).filter(([, entry]) => entry["optional"] === true);
    expect(missing.map(([path]) => path)).toEqual(["node_modules/b", "node_modules/c"]);
    expect(Object.keys(locked["node_modules/b"] ?? {})).toEqual([
      "version",
      "cpu",
      "optional",
      "dependencies",
    ]);
  });

  it("is refused where something that is required is not locked", () => {
    expect(() => lockedFor({ "node_modules/a": { dependencies: { b: "1" } } }, ["a"])).toThrow(
      "the lock file has no b, which node_modules/a requires",
    );
  });
});
