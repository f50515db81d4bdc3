/** What editors know of handlers: TypeScript's language service on what `realmc init` writes, with a function added. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ts } from "@ts-morph/common";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../package/package.ts";
import { analyse, emitRealm } from "../pipeline.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-editor-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const handler = join(folder, "config/app/work/_func/close/handler.ts");
const text = `import type { Handler } from "./$types.ts";

const close: Handler = async ({ task }, ctx) => {
  await ctx.db.work.tasks.get(task);
  return { key: ctx.secrets.UNDECLARED };
};

export default close;
`;

let service: ts.LanguageService;

beforeAll(async () => {
  cpSync(join(packageRoot, "compiler/init/template"), folder, { recursive: true });
  mkdirSync(dirname(handler), { recursive: true });
  writeFileSync(
    join(dirname(handler), "function.yaml"),
    "mode: call\ninvoke: user != null\ninput: { type: object, properties: { task: { type: string } }, required: [task] }\n",
  );
  writeFileSync(handler, text);
  const { realms } = await analyse(join(folder, "config"), { handlers: "none" });
  const emitted = await Promise.all(realms.map((realm) => emitRealm(realm)));
  for (const { path, text } of emitted.flatMap(({ files }) => files)) {
    mkdirSync(dirname(join(folder, "generated", path)), { recursive: true });
    writeFileSync(join(folder, "generated", path), text);
  }
  const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), (path) => readFileSync(path, "utf8"));
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const paths = Object.fromEntries(
    [
      ["client", "client/index"],
      ["functions", "functions/handler"],
      ["runtime", "documents/shape"],
    ].map(([name, path]) => [`realmc/${name}`, [join(packageRoot, `runtime/${path}.ts`)]]),
  );
  expect(fileNames).toContain(handler);
  service = ts.createLanguageService({
    getCompilationSettings: () => ({ ...options, paths }),
    getScriptFileNames: () => [handler],
    getScriptVersion: () => "1",
    getScriptSnapshot: (path) =>
      ts.sys.fileExists(path) ? ts.ScriptSnapshot.fromString(readFileSync(path, "utf8")) : undefined,
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
  });
});

test("collections are completed behind ctx.db", () => {
  const at = text.indexOf("tasks.get");
  const names = service.getCompletionsAtPosition(handler, at, {})?.entries.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["projects", "tasks"]));
});

test("a secret that function.yaml does not declare is an error at its name", () => {
  const found = service.getSemanticDiagnostics(handler).filter(({ code }) => code === 2339);
  expect(found.map(({ start }) => start)).toEqual([text.indexOf("UNDECLARED")]);
});
