import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { jsonText } from "../../templates/print/format.ts";
import { emittedModules } from "./plugins.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-plugins-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const entry = {
  path: "entry.ts",
  text: [
    'import manifest from "./manifest.json" with { type: "json" };',
    'import value from "./realm/value.json" with { type: "json" };',
    "export { manifest, value };",
  ].join("\n"),
};

async function bundled(text: string): Promise<{ readonly code: string; readonly exported: unknown }> {
  const files = [entry, { path: "manifest.json", text: '{ "fingerprint": "abc", "realms": {} }' }];
  const { outputFiles } = await build({
    entryPoints: [entry.path],
    outfile: "entry.mjs",
    bundle: true,
    write: false,
    format: "esm",
    logLevel: "silent",
    plugins: [emittedModules(folder, () => [...files, { path: "realm/value.json", text }])],
  });
  const [code = ""] = outputFiles.map((file) => file.text);
  const path = join(folder, "entry.mjs");
  writeFileSync(path, code);
  return { code, exported: await import(path) };
}

test("JSON modules are parsed from text without its layout; of the manifest there is the fingerprint alone", async () => {
  const hostile = ["a\n   b", "\\n \"c\" 'd'", "`$" + "{e}`", "\u2028\u202e\u{1f600}ä", "\\"];
  const value = [
    JSON.parse('{ "__proto__": { "polluted": true } }'),
    { hostile, list: [[], {}, -0.5, null] },
  ];
  const { code, exported } = await bundled(jsonText(value));
  expect(JSON.stringify(exported)).toBe(JSON.stringify({ manifest: { fingerprint: "abc" }, value }));
  expect(code).toContain(`JSON.parse('[{"__proto__":{"polluted":true}},{"hostile":[`);
});
