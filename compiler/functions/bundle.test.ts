/** Handlers as threads load them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Pool } from "../../runtime/functions/pool/pool.ts";
import { returned, running, TestFunctions } from "../../runtime/functions/testing/threads.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { analyse } from "../pipeline.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-handlers-"));
const threads: { readonly functions: TestFunctions; readonly pool: Pool }[] = [];
afterAll(async () => {
  for (const { functions, pool } of threads) {
    await pool.close();
    functions.discard();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the handler `hook` of these files in a thread, with that input. */
function inThread(files: readonly EmittedFile[]) {
  const functions = new TestFunctions();
  const bounds = { requestBytes: 2 ** 20, outputBytes: 2 ** 20 };
  const pool = new Pool({ files: functions, workers: 2, bounds });
  threads.push({ functions, pool });
  const definition = functions.addScript("hook", "", { realm: "shop", database: "sales" });
  write(functions.folder, Object.fromEntries(files.map(({ path, text }) => [path, text])));
  return (input: unknown) => running(pool, definition, input);
}

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const realm = {
  "shop/realm.yaml": "auth: enabled\n",
  "shop/sales/orders/schema.json": '{ "type": "object" }',
  "shop/sales/_func/hook/function.yaml": "mode: webhook\ninvoke: true\n",
};

test("a handler is one script with the files of the realm and the packages that it imports; stack traces name its lines", async () => {
  const config = join(folder, "project/config");
  write(config, {
    ...realm,
    "shop/_shared/greeting.ts": 'export const greeting: string = "hello";\n',
    "shop/sales/_func/hook/words.json": '["one", "two"]',
    "shop/sales/_func/hook/handler.ts": [
      'import upper from "upper";',
      'import { greeting } from "../../../_shared/greeting.js";',
      'import type { Handler } from "./$types.ts";',
      'import words from "./words.json" with { type: "json" };',
      "",
      "const handler: Handler = ({ path }) => {",
      '  if (path === "") throw new Error("no path");',
      '  return { body: upper(greeting + " " + words.join()) };',
      "};",
      "",
      "export default handler;",
    ].join("\n"),
  });
  write(join(folder, "project/node_modules/upper"), {
    "package.json": '{ "name": "upper", "main": "index.js", "types": "index.d.ts" }',
    "index.js":
      'const { EventEmitter } = require("events");\nmodule.exports = (text) => (new EventEmitter(), text.toUpperCase());\n',
    "index.d.ts": "declare function upper(text: string): string;\nexport = upper;\n",
  });
  const { realms, diagnostics } = await analyse(config);
  expect(diagnostics).toEqual([]);
  const files = realms.flatMap(({ handlers = [] }) => handlers);
  expect(files.map(({ path }) => path).sort()).toEqual([
    "functions/shop/sales/hook.cjs",
    "functions/shop/sales/hook.cjs.map",
  ]);
  const run = inThread(files);
  expect(await run({ path: "/" })).toMatchObject(returned({ body: "HELLO ONE,TWO" }));
  const { result } = await run({ path: "" });
  expect(result).toMatchObject({
    reason: expect.stringMatching(/^Error: no path\n {4}at .*shop\/sales\/_func\/hook\/handler\.ts:7:26/),
  });
});

test("a package that imports a module of Node which handlers do not have is told at the handler", async () => {
  const config = join(folder, "other/config");
  write(config, {
    ...realm,
    "shop/sales/_func/hook/handler.ts":
      'import read from "reader";\n\nexport default () => ({ body: read() });\n',
  });
  write(join(folder, "other/node_modules/reader"), {
    "package.json": '{ "name": "reader", "type": "module", "main": "index.js", "types": "index.d.ts" }',
    "index.js":
      'import { readFileSync } from "fs";\nexport default () => readFileSync("/etc/hosts", "utf8");\n',
    "index.d.ts": "export default function read(): string;\n",
  });
  const { diagnostics } = await analyse(config);
  expect(diagnostics).toEqual([
    expect.objectContaining({
      code: "handler-node-module",
      message: "code of a realm cannot have fs, which the package reader imports",
      span: expect.objectContaining({ file: "shop/sales/_func/hook/handler.ts" }),
    }),
  ]);
});

test("a package reaches no other module when it runs, whatever it names, and is one script with what it names", async () => {
  const config = join(folder, "sly/config");
  write(config, {
    ...realm,
    "shop/sales/_func/hook/handler.ts": [
      'import { tries } from "sly";',
      "",
      'const { later } = await import("./later.ts");',
      "",
      "export default async () => ({ body: JSON.stringify([later, await tries()]) });",
    ].join("\n"),
    "shop/sales/_func/hook/later.ts": 'export const later: string = await Promise.resolve("later");\n',
  });
  write(join(folder, "sly/node_modules/sly"), {
    "package.json": '{ "name": "sly", "type": "module", "main": "index.js", "types": "index.d.ts" }',
    "index.js": `
      import { createHash } from "crypto";
      import old from "./old.cjs";
      const names = ["fs", "node:fs", "child_process", "/etc/hosts", "data:text/javascript,export default 1"];
      export async function tries() {
        const got = [];
        for (const name of names) {
          got.push(await import(name).then(() => "got", () => "nothing"));
          got.push(old(name));
        }
        got.push(Object.keys(import.meta).length, typeof (await import("node:util")).inspect, createHash("md5").update("").digest("hex").length);
        return got;
      }`,
    "old.cjs":
      "module.exports = (name) => { try { require(name); return 'got'; } catch (error) { return error.code; } };",
    "index.d.ts": "export function tries(): Promise<unknown[]>;\n",
  });
  const { realms, diagnostics } = await analyse(config);
  expect(diagnostics).toEqual([]);
  const run = inThread(realms.flatMap(({ handlers = [] }) => handlers));
  const { result } = await run({});
  const tried = ["fs", "node:fs", "child_process", "file", "data"].flatMap(() => [
    "nothing",
    "MODULE_NOT_FOUND",
  ]);
  expect({ result }).toMatchObject(
    returned({ body: JSON.stringify(["later", [...tried, 0, "function", 32]]) }),
  );
});

test("a changed handler is another input, and a changed realm; its text is not recorded", async () => {
  const config = join(folder, "input");
  const handler = "shop/sales/_func/hook/handler.ts";
  write(config, { ...realm, [handler]: "export default () => undefined;\n" });
  const inputsOf = async () => (await analyse(config)).realms.flatMap((each) => each.realm.inputs);
  const before = await inputsOf();
  expect(before.find(({ path }) => path === handler)).toEqual({
    path: handler,
    meaning: expect.stringMatching(/^code [0-9a-f]{64}$/),
  });
  write(config, { [handler]: "export default async () => undefined;\n" });
  expect(await inputsOf()).not.toEqual(before);
});

test("a package without types is told by its name, whatever folder it lies in", async () => {
  const config = join(folder, "untyped/config");
  write(config, {
    ...realm,
    "shop/sales/_func/hook/handler.ts": [
      'import plain from "plain";',
      'import scoped from "@some/plain/part.js";',
      "export default () => ({ body: String(plain) + String(scoped) });",
    ].join("\n"),
  });
  for (const [name, file] of [
    ["plain", "index.js"],
    ["@some/plain", "part.js"],
  ] as const)
    write(join(folder, "untyped/node_modules", name), {
      "package.json": JSON.stringify({ name, main: file }),
      [file]: "module.exports = 1;\n",
    });
  const { diagnostics } = await analyse(config);
  expect(
    diagnostics.map(({ code, message, hint, span }) => ({ code, message, hint, line: span.line })),
  ).toEqual([
    {
      code: "handler-import",
      message: "'plain' has no types",
      hint: "install them, mostly by npm install --save-dev @types/plain",
      line: 1,
    },
    {
      code: "handler-import",
      message: "'@some/plain/part.js' has no types",
      hint: "install them, mostly by npm install --save-dev @types/some__plain",
      line: 2,
    },
  ]);
});
