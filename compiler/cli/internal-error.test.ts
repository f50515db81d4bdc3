/** Faults of the compiler: every command tells them as diagnostics at the file that it works on. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { InternalError } from "../diagnostics/internal-error.ts";
import { diffRealms } from "../diff/diff.ts";
import { unmigrated } from "../diff/unmigrated.ts";
import { matrixOf } from "../matrix/matrix.ts";
import type { Collection } from "../model/model.ts";
import { packageRoot } from "../package/package.ts";
import { type AnalysedRealm, analyse, emitRealm } from "../pipeline.ts";
import { runRuleTests } from "../rule-tests/run/run.ts";
import { main } from "./main.ts";

const folder = mkdtempSync(join(tmpdir(), "realmc-faults-"));
const config = join(folder, "config");
const tasks = "app/work/tasks";

beforeAll(() => {
  cpSync(join(packageRoot, "compiler/init/template/config"), config, { recursive: true });
  mkdirSync(join(folder, "data"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `realmc` on a terminal that fails when it is told of the realm, in the middle of what the compiler does. */
async function stumbling(...words: readonly string[]) {
  const said = { stdout: "", stderr: "" };
  const status = await main(words, {
    stdout: { write: (text) => (said.stdout += text) },
    stderr: {
      isTTY: true,
      write(text) {
        if (text.includes("checking app")) throw new TypeError("stumbled over a terminal");
        said.stderr += text;
        return true;
      },
    },
    environment: {},
  });
  return { status, said: said.stdout + said.stderr };
}

describe("a fault while a configuration is read is a diagnostic of", () => {
  test.each<[code: number, ...words: string[]]>([
    [1, "build", config, "--out", join(folder, "generated")],
    [1, "check", config],
    [1, "diff", config, config],
    [1, "plan", config, "--store", `sqlite:${join(folder, "data")}`, "--old", config],
    [2, "test", config],
  ])("exit %d: realmc %s", async (code, ...words) => {
    const { status, said } = await stumbling(...words);
    expect(said).toMatch(/app\/realm\.yaml:1.*internal-error|internal-error.*app\/realm\.yaml:1/s);
    expect(said).toContain("stumbled over a terminal");
    expect(status).toBe(code);
  });
});

/** With a member that fails whoever reads it. */
function breaking<T extends object>(value: T, member: keyof T): T {
  return Object.defineProperty({ ...value }, member, {
    enumerable: true,
    get() {
      throw new TypeError("stumbled over a member");
    },
  });
}

/** The realm, with another collection in the place of its tasks. */
function withTasks(analysed: AnalysedRealm, change: (tasks: Collection) => Collection): AnalysedRealm {
  const databases = analysed.realm.databases.map((database) => ({
    ...database,
    collections: database.collections.map((each) => (each.name === "tasks" ? change(each) : each)),
  }));
  return { ...analysed, realm: { ...analysed.realm, databases } };
}

describe("a fault names the file that was worked on", () => {
  let sound: AnalysedRealm;
  beforeAll(async () => {
    const [only] = (await analyse(config, { tests: "read", handlers: "none" })).realms;
    if (only === undefined) throw new Error("the template has a realm");
    sound = only;
  });

  /** The file of the fault that `work` ends with. */
  async function fileOf(work: () => unknown): Promise<string> {
    try {
      await work();
    } catch (error) {
      if (error instanceof InternalError) return error.file;
      throw error;
    }
    throw new Error("nothing failed");
  }

  test("where a matrix is computed", async () => {
    const compiled = sound.rules.collections.get("work/tasks") ?? { rules: {}, fieldRules: [] };
    const collections = new Map([...sound.rules.collections, ["work/tasks", breaking(compiled, "rules")]]);
    const broken = { ...sound, rules: { ...sound.rules, collections } };
    expect(await fileOf(() => matrixOf([broken]))).toBe(`${tasks}/collection.yaml`);
  });

  test("where versions are compared", async () => {
    const broken = withTasks(sound, (each) => breaking(each, "fields"));
    expect(await fileOf(() => diffRealms([sound], [broken]))).toBe(`${tasks}/collection.yaml`);
  });

  test("where what is stored is compared with a schema", async () => {
    const broken = withTasks(sound, (each) => ({ ...each, schema: breaking(each.schema, "files") }));
    const files = Object.fromEntries(
      sound.realm.inputs.flatMap(({ path, value }) => (value === undefined ? [] : [[path, value]])),
    );
    const work = () => unmigrated({ realms: { app: files } }, [broken]);
    expect(await fileOf(work)).toBe(`${tasks}/schema.json`);
  });

  test("where code is emitted", async () => {
    const broken = withTasks(sound, (each) => breaking(each, "references"));
    expect(await fileOf(() => emitRealm(broken))).toMatch(/^app\/(?:realm\.yaml|work\/tasks\/schema\.json)$/);
  });

  test("where rule tests run", async () => {
    const tests = (sound.tests ?? []).map((each) =>
      each.path.startsWith(tasks)
        ? { ...each, tests: each.tests.map((test) => breaking(test, "action")) }
        : each,
    );
    const { files } = await emitRealm(sound);
    const work = () => runRuleTests([{ ...sound, tests, files }]);
    expect(await fileOf(work)).toBe(`${tasks}/_tests/tasks.yaml`);
  });
});
