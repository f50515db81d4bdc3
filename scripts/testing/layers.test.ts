/** That the code stands as CONTRIBUTING says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../workspace.ts";
import { againstTheGrain, importsOf, isForTests, layers, pastTheTemplates, sources } from "./layers.ts";

const product = sources().filter((path) => !isForTests(path));

it("imports point one way, from the top of the table to its floor", () => {
  const found = product.flatMap((path) => againstTheGrain(path, importsOf(path)));
  expect(found).toEqual([]);
});

it("an import upwards, or of a neighbour, is found", () => {
  expect(
    againstTheGrain("runtime/http/server.ts", [
      "runtime/errors.ts",
      "runtime/http/body.ts",
      "runtime/documents/access.ts",
    ]),
  ).toEqual(["runtime/http/server.ts -> runtime/documents/access.ts"]);
  expect(
    againstTheGrain("runtime/store/sqlite/read/pages.ts", [
      "runtime/store/mongodb/layout.ts",
      "runtime/index.ts",
    ]),
  ).toHaveLength(2);
});

it("templates are used by the compiler's emitting alone, and know of its stages model, schema, settings and rules alone", () => {
  expect(product.flatMap((path) => pastTheTemplates(path, importsOf(path)))).toEqual([]);
  expect(pastTheTemplates("compiler/emit.ts", ["templates/server/rules.ts"])).toEqual([]);
  expect(
    pastTheTemplates("compiler/diff/profiles.ts", ["templates/openapi/build.ts", "templates/print/code.ts"]),
  ).toEqual(["compiler/diff/profiles.ts -> templates/openapi/build.ts"]);
  expect(
    pastTheTemplates("templates/server/rules.ts", ["compiler/source/source.ts", "templates/print/code.ts"]),
  ).toEqual(["templates/server/rules.ts -> compiler/source/source.ts"]);
});

it("no file imports itself by way of others", () => {
  const imports = new Map(product.map((path) => [path, importsOf(path)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const follow = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path)) return;
    done.add(path);
    for (const to of imports.get(path) ?? []) follow(to, [...way, path]);
  };
  for (const path of product) follow(path, []);
  expect(circles).toEqual([]);
});

it("what is there for tests lies in folders named testing/, and the product imports none of it", () => {
  expect(
    sources().filter(
      (path) =>
        /(?:\.|\/|-)testing\b[^/]*\.ts$|\/testing-[^/]*\.ts$|\/fixture[^/]*\.ts$/.test(path) &&
        !isForTests(path),
    ),
  ).toEqual([]);
  expect(
    product.flatMap((path) =>
      importsOf(path)
        .filter(isForTests)
        .map((to) => `${path} -> ${to}`),
    ),
  ).toEqual([]);
  // Not in a folder for tests, but of use to nothing else.
  const used = new Set(product.flatMap(importsOf));
  const entries =
    /^(?:compiler\/cli\/main|runtime\/(?:index|client\/index|functions\/worker\/entry|realm\/migrate|trials\/(?:index|register|hooks)))\.ts$|\.d\.ts$/;
  expect(product.filter((path) => !used.has(path) && !entries.test(path))).toEqual([]);
});

it("CONTRIBUTING prints the table", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  expect(text).toContain(`\`\`\`text\n${layers.join("\n")}\n\`\`\``);
});
