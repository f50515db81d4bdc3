import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { completedPackage, newPackage, packageName, usesRealmc } from "./package-json.ts";

const template = {
  private: true,
  type: "module",
  scripts: { check: "realmc check config", start: "realmc serve" },
  devDependencies: { typescript: "^7.0.0" },
};

describe("a package's name", () => {
  test.each([
    ["shop", "shop"],
    ["My Shop", "my-shop"],
    ["Über/Café", "uber-cafe"],
    ["_hidden", "hidden"],
    [".config", "config"],
    ["a.b_c-", "a.b_c"],
    ["店", "app"],
    ["", "app"],
    ["node_modules", "node_modules-app"],
    ["realmc", "realmc-app"],
    ["a".repeat(300), "a".repeat(200)],
  ])("of the folder %j is %j", (folder, name) => {
    expect(packageName(folder)).toBe(name);
  });

  it("is one that npm takes, whatever the folder is called", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
        (folder) => {
          expect(packageName(folder)).toMatch(/^[a-z0-9][a-z0-9._-]{0,213}$/);
        },
      ),
    );
  });
});

test("a new package has this version of realmc among its tools, in npm's order", () => {
  const made = newPackage(template, "shop", "1.2.3");
  expect(made).toEqual({
    ...template,
    name: "shop",
    devDependencies: { realmc: "^1.2.3", typescript: "^7.0.0" },
  });
  expect(Object.keys(made)[0]).toBe("name");
  expect(Object.keys(made["devDependencies"] ?? {})).toEqual(["realmc", "typescript"]);
});

describe("a package that has realmc installed", () => {
  it("by npm install in an empty folder: gets what a new one has", () => {
    const present = { dependencies: { realmc: "^1.0.0" } };
    expect(completedPackage(template, present, "shop")).toEqual({ ...template, ...present, name: "shop" });
  });

  it("and is somebody's: gets scripts and tools alone, and nothing of it changes", () => {
    const present = {
      name: "mine",
      type: "commonjs",
      scripts: { start: "node mine.js" },
      dependencies: { typescript: "~5.4.0" },
      devDependencies: { realmc: "^1.0.0" },
    };
    expect(completedPackage(template, present, "shop")).toEqual({
      ...present,
      scripts: { check: "realmc check config", start: "node mine.js" },
    });
  });

  it("and all else: stays", () => {
    const complete = completedPackage(template, { devDependencies: { realmc: "^1.0.0" } }, "shop");
    expect(JSON.stringify(completedPackage(template, complete, "other"))).toBe(JSON.stringify(complete));
  });
});

test("realmc is a dependency, of whichever kind, or it is not", () => {
  expect(usesRealmc({ dependencies: { realmc: "1" } })).toBe(true);
  expect(usesRealmc({ devDependencies: { realmc: "1" } })).toBe(true);
  expect(usesRealmc({ name: "realmc", dependencies: { fastify: "5" }, devDependencies: [] })).toBe(false);
});
