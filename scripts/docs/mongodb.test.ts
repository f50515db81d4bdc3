import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Names of the service's own collections in the runtime, as its code writes them. */
function ownCollections(): readonly string[] {
  const sources = readdirSync(join(root, "runtime"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|testing\//.test(path))
    .map((path) => readFileSync(join(root, "runtime", path), "utf8"));
  const names = sources.flatMap((text) => text.match(/"_svc\.[a-z_]+"/g) ?? []);
  return [...new Set(names.map((name) => name.slice(1, -1)))].sort();
}

test("docs/mongodb.md says of every collection of ours what others get while a killed instance holds a record", () => {
  const page = readFileSync(join(root, "docs/mongodb.md"), "utf8");
  const [, after = ""] = page.split("### What a killed instance holds\n");
  const [section = ""] = after.split("\n## ");
  const named = Array.from(section.matchAll(/`(_svc\.[a-z_]+)`/g), ([, name = ""]) => name);
  expect(named.sort()).toEqual(ownCollections());
});
