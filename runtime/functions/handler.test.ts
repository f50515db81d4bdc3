import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const runtime = fileURLToPath(new URL("..", import.meta.url));

/** A module and all that it imports, by their paths below `runtime/`. */
function reached(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(join(runtime, path), "utf8");
  for (const [, from = ""] of text.matchAll(/^(?:import|export|\}) .*from "(\.[^"]+)";$/gm))
    reached(relative(runtime, join(runtime, dirname(path), from)), found);
  return found;
}

test("realmc/functions stands on few files: every check of a realm's handlers reads them", () => {
  expect([...reached("functions/handler.ts")].sort()).toEqual([
    "client/expansion.ts",
    "client/operations.ts",
    "client/queries.ts",
    "filter/operators.ts",
    "functions/handler.ts",
    "json.ts",
  ]);
});
