/** The examples of `docs/migrations.md` are a configuration without mistakes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { analyse } from "../../compiler/pipeline.ts";

const page = readFileSync(new URL("../../docs/migrations.md", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "realmc-docs-migrations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function block(language: string): string {
  const [, text = ""] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page) ?? [];
  return text;
}

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
}

test("docs/migrations.md: its migrations are sound", async () => {
  const text = { type: "string" };
  const schema = (properties: Readonly<Record<string, object>>): object => ({
    type: "object",
    properties: { title: text, ...properties },
    required: Object.keys(properties),
  });
  write("helpdesk/realm.yaml", "auth: enabled\n");
  write("helpdesk/support/tickets/schema.json", schema({ first_name: text, last_name: text }));
  write("helpdesk/support/tickets/_migrations/0001-contact.yaml", block("yaml"));
  write("helpdesk/support/tickets/_migrations/0002-split-name.ts", block("ts"));
  write("helpdesk/support/tickets/_migrations/0002-split-name.from.json", schema({ name: text }));
  const { realms, diagnostics } = await analyse(folder);
  expect(diagnostics).toEqual([]);
  const [migrations] = realms.map(({ realm }) => realm.databases[0]?.collections[0]?.migrations ?? []);
  expect(migrations?.map(({ number, kind }) => `${number} ${kind}`)).toEqual(["0001 steps", "0002 code"]);
});

test("docs/migrations.md: every step has a row", () => {
  const schema: { readonly items: { readonly properties: object } } = JSON.parse(
    readFileSync(new URL("../../docs/schemas/migration.schema.json", import.meta.url), "utf8"),
  );
  for (const step of Object.keys(schema.items.properties))
    expect(page, step).toMatch(new RegExp(`\`${step}\``));
});
