import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RouteContract } from "../../runtime/contract/contract.ts";
import { administered, documentAdministration } from "../../runtime/contract/document-administration.ts";
import { batchRoute, documents } from "../../runtime/contract/documents.ts";
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

test.each([
  ["with soft delete and organizations", { indexes: [], softDelete: {}, organization: { required: true } }],
  ["without", { indexes: [] }],
])("no two contracts have one id, nor one path and method, in a collection %s", (_, collection) => {
  const routes: readonly RouteContract[] = [
    ...contracts,
    ...[...Object.values(documents), batchRoute].flatMap((route) => [route, administered(route)]),
    ...Object.values(documentAdministration),
  ].filter(({ of }: RouteContract) => of?.(collection) !== false);
  const ids = routes.map(({ id }) => id);
  const places = routes.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);
  expect([new Set(ids).size, new Set(places).size]).toEqual([ids.length, places.length]);
});
