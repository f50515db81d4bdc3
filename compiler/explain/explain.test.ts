/**
 * Golden explanations: of every rule of the examples what `realmc explain rule` says.
 * `UPDATE_GOLDEN=1 npx vitest run compiler/explain` writes them anew; read their diff.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandsIn } from "../cli/testing/commands.ts";
import { packageRoot } from "../package/package.ts";

const testdata = fileURLToPath(new URL("testdata", import.meta.url));
const realmc = commandsIn(packageRoot);

async function said(...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await realmc("explain", "rule", ...words);
  expect([status, stderr.includes("error")], words.join(" ")).toEqual([0, false]);
  return stdout;
}

const collections = ["blog", "helpdesk"].flatMap((realm) =>
  readdirSync(join(packageRoot, "examples", realm), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("collection.yaml"))
    .map((path) => `${realm}/${path.slice(0, -"/collection.yaml".length)}`),
);

test.for(collections.sort())("%s", async (collection) => {
  const rules: readonly { readonly rule: string }[] = JSON.parse(
    await said(collection, "examples", "--json"),
  );
  const pages = [await said(collection, "examples")];
  for (const { rule } of rules) pages.push(await said(collection, rule, "examples"));
  expect(pages.length).toBeGreaterThan(1);
  const found = pages.join("\n");
  const file = `${testdata}/${collection.replaceAll("/", ".")}.golden`;
  if (process.env.UPDATE_GOLDEN !== undefined) writeFileSync(file, found);
  expect(existsSync(file), `${file} is missing`).toBe(true);
  expect(found).toBe(readFileSync(file, "utf8"));
});
