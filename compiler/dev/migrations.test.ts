/** What the warm compiler makes of changed migrations: what a new one would. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { WarmCompiler } from "./compile.ts";
import { readInputs } from "./inputs.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-warm-migrations-"));
const config = join(folder, "config");
const warm = new WarmCompiler(config, join(folder, "generated"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const orders = "shop/sales/orders";

function write(path: string, text: string): void {
  mkdirSync(dirname(join(config, path)), { recursive: true });
  writeFileSync(join(config, path), text);
}

function writeMigration(forward: string): void {
  write(
    `${orders}/_migrations/0002-code.ts`,
    `import { migrate } from "realmc/migrations";
import type { From0002 as From, To0002 as To } from "./$types.ts";
import { word } from "../../../_shared/word.ts";

export default migrate<From, To>({ forward: ${forward} });
`,
  );
}

/** What it says now, as codes, and the text of an emitted module; both are those of a compiler that starts anew. */
async function compiled(path: string): Promise<{ said: readonly string[]; text: string | undefined }> {
  const inputs = readInputs(config);
  const made = await warm.compile(inputs);
  const fresh = await new WarmCompiler(config, join(folder, "generated")).compile(inputs);
  expect(made.diagnostics).toEqual(fresh.diagnostics);
  expect(made.output?.plan).toEqual(fresh.output?.plan);
  return {
    said: made.diagnostics.map(({ code }) => code),
    text: made.output?.plan.files.find((file) => file.path === path)?.text,
  };
}

test("migrations, and what they import, are looked at anew when they change", async () => {
  const [yaml, code] = [`${orders}/migrations.ts`, `${orders}/_migrations/0002-code.js`];
  const title =
    '{ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] }';
  write("shop/realm.yaml", "auth: disabled\n");
  write("shop/_shared/word.ts", 'export const word = "one";\n');
  write(`${orders}/schema.json`, title);
  write(`${orders}/_migrations/0002-code.from.json`, title);
  writeMigration("({ title }) => ({ title: title + word })");
  expect((await compiled(code)).text).toContain('"one"');

  write("shop/_shared/word.ts", 'export const word = "two";\n');
  expect((await compiled(code)).text).toContain('"two"');

  write(`${orders}/_migrations/0001-first.yaml`, "- drop: { field: legacy }\n");
  expect((await compiled(yaml)).text).toContain('drop("legacy")');

  writeMigration("() => ({ title: word + Date.now() })");
  expect(await compiled(code)).toEqual({ said: ["migration-impure"], text: undefined });

  writeMigration("() => ({ title: word })");
  expect((await compiled(code)).said).toEqual([]);

  rmSync(join(config, orders, "_migrations"), { recursive: true });
  expect(await compiled(yaml)).toEqual({ said: [], text: undefined });
});
