/** The file of rule tests that docs/testing.md shows fails as the page says. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandsIn } from "../../compiler/cli/testing/commands.ts";
import { root } from "../workspace.ts";

const place = join(root, "docs/testing.md");
const folder = mkdtempSync(join(tmpdir(), "realmc-docs-testing-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("docs/testing.md: its failure is what is printed (UPDATE_DOCS=1 writes it)", async () => {
  const page = readFileSync(place, "utf8");
  const [, path = "", file = ""] = /^```yaml\n# (\S+)\n([\s\S]*?)^```$/m.exec(page) ?? [];
  cpSync(join(root, "examples/helpdesk"), join(folder, "config/helpdesk"), {
    recursive: true,
    filter: (source) => !source.endsWith("/_tests"),
  });
  const own = join(folder, "config", path);
  mkdirSync(dirname(own), { recursive: true });
  writeFileSync(own, file);
  const { status, stdout } = await commandsIn(folder)("test", "config");
  expect(status).toBe(1);
  const told = stdout.replace(/in \d+ ms/, "in 40 ms").replace(/[ \t]+$/gm, "");
  const written = page.replace(/^```text\n[\s\S]*?^```$/m, () => `\`\`\`text\n${told}\`\`\``);
  if (process.env["UPDATE_DOCS"] !== undefined) writeFileSync(place, written);
  expect(readFileSync(place, "utf8")).toBe(written);
});

test("README.md shows the file and its failure as docs/testing.md does", () => {
  const blocks = readFileSync(place, "utf8").match(/^```(?:yaml|text)\n[\s\S]*?^```$/gm) ?? [];
  expect(blocks.length).toBeGreaterThanOrEqual(2);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  for (const block of blocks.slice(0, 2)) expect(readme).toContain(block);
});

test("docs/testing.md: every operation and every option has a row", () => {
  const page = readFileSync(place, "utf8");
  const schema: { properties: { tests: { items: { properties: object } } } } = JSON.parse(
    readFileSync(join(root, "docs/schemas/rule-test.schema.json"), "utf8"),
  );
  for (const name of Object.keys(schema.properties.tests.items.properties))
    expect(page).toContain(`\`${name}`);
  for (const option of ["--filter", "--watch", "--format", "--coverage", "--min-coverage"])
    expect(page).toContain(`| \`${option}`);
});
