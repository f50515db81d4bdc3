import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contracts } from "../../runtime/contract/index.ts";
import { root } from "../workspace.ts";
import { validatorsModule } from "./validators.ts";

const file = join(root, "runtime/contract/validators.ts");

// UPDATE_GOLDEN=1 compiles them anew.
test("the validators of bodies are those of the contracts", () => {
  const compiled = validatorsModule();
  if (process.env["UPDATE_GOLDEN"]) writeFileSync(file, compiled);
  expect(readFileSync(file, "utf8")).toBe(compiled);
});

test("no two contracts have one id, nor one path and method", () => {
  const ids = contracts.map(({ id }) => id);
  const places = contracts.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  expect([new Set(ids).size, new Set(places).size]).toEqual([ids.length, places.length]);
});
