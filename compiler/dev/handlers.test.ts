/** What the warm compiler makes of changed handlers: what a new one would, and nothing of what stayed the same. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EmittedFile } from "../../templates/print/code.ts";
import { WarmCompiler } from "./compile.ts";
import { readInputs } from "./inputs.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-warm-handlers-"));
const config = join(folder, "config");
const warm = new WarmCompiler(config, join(folder, "generated"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), lines.map((line) => `${line}\n`).join(""));
}

const functions = "config/shop/sales/_func";
const sound = [
  'import type { Handler } from "./$types.ts";',
  'import { word } from "../../../_shared/word.ts";',
  "const handler: Handler = ({ path }) => ({ body: word + path });",
  "export default handler;",
] as const;

beforeAll(() => {
  write("config/shop/realm.yaml", "auth: enabled");
  write("config/shop/sales/orders/schema.json", '{ "type": "object" }');
  write("config/shop/_shared/word.ts", 'export const word: string = "hello";');
  for (const name of ["first", "second", "third"]) {
    write(`${functions}/${name}/function.yaml`, "mode: webhook", "invoke: true");
    write(`${functions}/${name}/handler.ts`, `// ${name}`, ...sound);
  }
});

/** What it says now, as `<path>:<line> <code>`, and the bundles; both are those of a compiler that starts anew. */
async function compiled(): Promise<{ said: readonly string[]; bundles: ReadonlyMap<string, EmittedFile> }> {
  const inputs = readInputs(config);
  const made = await warm.compile(inputs);
  const fresh = await new WarmCompiler(config, join(folder, "generated")).compile(inputs);
  expect(made.diagnostics).toEqual(fresh.diagnostics);
  expect(made.output?.plan).toEqual(fresh.output?.plan);
  expect(made.output?.handlers).toEqual(fresh.output?.handlers);
  return {
    said: made.diagnostics.map(
      ({ span, code }) => `${span.file.split("/").slice(-2).join("/")}:${span.line} ${code}`,
    ),
    bundles: new Map(
      (made.output?.handlers ?? []).map((file) => [file.path.split("/").slice(-1).join(), file]),
    ),
  };
}

test("a handler changes: it is bundled anew, the others' modules are those from before", async () => {
  const before = await compiled();
  expect(before.said).toEqual([]);
  const changed = sound.map((line) => line.replace("word + path", "path + word"));
  write(`${functions}/first/handler.ts`, ...changed);
  const after = await compiled();
  expect(after.bundles.get("first.cjs")).not.toEqual(before.bundles.get("first.cjs"));
  expect(after.bundles.get("second.cjs")).toBe(before.bundles.get("second.cjs"));
  expect(after.bundles.get("third.cjs")).toBe(before.bundles.get("third.cjs"));
});

test("a file that several import changes: all of them are checked and bundled anew", async () => {
  const before = await compiled();
  write("config/shop/_shared/word.ts", 'export const word: string = "good day";');
  const after = await compiled();
  for (const name of ["first", "second", "third"])
    expect(after.bundles.get(`${name}.cjs`)?.text).toContain("good day");
  expect(before.bundles.get("first.cjs")?.text).not.toContain("good day");
  write("config/shop/_shared/word.ts", "export const word: number = 1;", "export const other: string = 2;");
  expect((await compiled()).said).toEqual(["_shared/word.ts:2 handler-type"]);
  // Told once, with the first that imports it, and with the next where that one does not any more.
  write(`${functions}/first/handler.ts`, "export default () => undefined;");
  expect((await compiled()).said).toEqual(["_shared/word.ts:2 handler-type"]);
  write("config/shop/_shared/word.ts", 'export const word: string = "hello";');
  write(`${functions}/first/handler.ts`, ...sound);
  expect((await compiled()).said).toEqual([]);
});

test("settings and schemas change: handlers are checked against what is emitted now", async () => {
  const reading = sound.map((line) =>
    line.startsWith("const")
      ? "const handler: Handler = (_, ctx) => ({ body: ctx.secrets.KEY + word });"
      : line,
  );
  write(`${functions}/second/function.yaml`, "mode: webhook", "invoke: true", "secrets: [KEY]");
  write(`${functions}/second/handler.ts`, ...reading);
  expect((await compiled()).said).toEqual([]);
  write(`${functions}/second/function.yaml`, "mode: webhook", "invoke: true");
  expect((await compiled()).said).toEqual(["second/handler.ts:3 handler-undeclared"]);
  write(`${functions}/second/handler.ts`, ...sound);
  expect((await compiled()).said).toEqual([]);
});

test("what a handler declares for all ends for all with it", async () => {
  write(`${functions}/first/handler.ts`, ...sound, "declare global { interface String { shout(): string } }");
  write(`${functions}/second/handler.ts`, ...sound, "export const loud = word.shout;");
  expect((await compiled()).said).toEqual([]);
  write(`${functions}/first/handler.ts`, ...sound);
  expect((await compiled()).said).toEqual(["second/handler.ts:5 handler-type"]);
  write(`${functions}/second/handler.ts`, ...sound);
});

test("a package that was not installed is found after it is, at the next change of whatever handler", async () => {
  write(
    `${functions}/first/handler.ts`,
    'import { later } from "later";',
    "export const when = later;",
    ...sound,
  );
  expect((await compiled()).said).toEqual(["first/handler.ts:1 handler-import"]);
  write("node_modules/later/package.json", '{ "name": "later", "types": "index.d.ts", "main": "index.js" }');
  write("node_modules/later/index.d.ts", "export declare const later: string;");
  write("node_modules/later/index.js", 'exports.later = "later";');
  write(`${functions}/second/handler.ts`, "// changed", ...sound);
  const { said, bundles } = await compiled();
  expect(said).toEqual([]);
  expect(bundles.get("first.cjs")?.text).toContain('"later"');
});

test("a package changes: what it is part of is bundled anew", async () => {
  write("node_modules/later/index.js", 'exports.later = "another version";');
  write(`${functions}/second/handler.ts`, "// changed again", ...sound);
  expect((await compiled()).bundles.get("first.cjs")?.text).toContain("another version");
});

test("functions come and go", async () => {
  write(`${functions}/fourth/function.yaml`, "mode: webhook", "invoke: true");
  write(`${functions}/fourth/handler.ts`, ...sound);
  expect([...(await compiled()).bundles.keys()]).toContain("fourth.cjs");
  rmSync(join(folder, functions, "fourth"), { recursive: true });
  expect([...(await compiled()).bundles.keys()]).not.toContain("fourth.cjs");
});

test("a package's types that name all of Node are read with all of it", async () => {
  write(
    "node_modules/reader/package.json",
    '{ "name": "reader", "types": "index.d.ts", "main": "index.js" }',
  );
  write(
    "node_modules/reader/index.d.ts",
    'import type { Stats } from "node:fs";',
    "export declare const sizeOf: (stats: Stats) => number;",
  );
  write("node_modules/reader/index.js", "exports.sizeOf = (stats) => stats.size;");
  write(
    `${functions}/third/handler.ts`,
    'import { sizeOf } from "reader";',
    'export const size = sizeOf("no stats");',
    ...sound,
  );
  expect((await compiled()).said).toEqual(["third/handler.ts:2 handler-type"]);
  write(`${functions}/third/handler.ts`, ...sound);
  expect((await compiled()).said).toEqual([]);
});
