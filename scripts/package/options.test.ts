/** Every documented option of every command runs from the package as it is published. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listedCommands } from "../../compiler/cli/main.ts";
import { type CommandRun, lasting, runs, runsBeside, serving } from "./command-runs.ts";
import { install, pack } from "./tarball.ts";

const place = mkdtempSync(join(tmpdir(), "realmc-options-"));
const project = join(place, "shop");
const bin = join(project, "node_modules/.bin/realmc");
const environment = {
  PATH: process.env["PATH"],
  SVC_STORE: "sqlite:./data",
  PORT: "0",
};

beforeAll(() => {
  mkdirSync(project);
  install(project, pack(place).path, "@types/node@20");
  // One process for all: each of its own would start for a second.
  writeFileSync(join(project, "runs.mjs"), program);
  writeFileSync(join(project, "input.json"), '{ "task": "none", "hours": 1 }');
  execFileSync(bin, ["init"], { cwd: project, env: environment, stdio: "ignore" });
  appendFileSync(join(project, "config/app/realm.yaml"), "\nstorage: { driver: local }\n");
  for (const copy of ["before", "gone"])
    cpSync(join(project, "config"), join(project, copy), { recursive: true });
  mkdirSync(join(project, "gone/app/work/gone"));
  writeFileSync(join(project, "gone/app/work/gone/schema.json"), '{ "type": "object" }');
}, 300_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const program = `
import { readFileSync, writeFileSync } from "node:fs";
import { main } from "./node_modules/realmc/lib/cli/main.mjs";
const told = [];
for (const { words } of JSON.parse(readFileSync("runs.json", "utf8"))) {
  let said = "";
  let out = "";
  const stdout = { write: (text) => ((out += text), true) };
  const stderr = { write: (text) => ((said += text), true) };
  const code = await main(words, { stdout, stderr, environment: process.env });
  if (words[0] === "matrix" && words.includes("json")) writeFileSync("matrix.json", out);
  told.push({ words: words.join(" "), code, said: code === 0 ? "" : out + said });
}
writeFileSync("told.json", JSON.stringify(told));
`;

/** The commands whose exit code is another one than it is to be, with what they say. */
function wrong(some: readonly CommandRun[], more: Readonly<Record<string, string>> = {}): readonly string[] {
  writeFileSync(join(project, "runs.json"), JSON.stringify(some));
  const env = { ...environment, ...more };
  // What commands of a bundle read stands on stdin.
  const { stderr } = spawnSync(process.execPath, ["runs.mjs"], {
    ...{ cwd: project, env, input: "value\n", encoding: "utf8" },
  });
  const told: readonly { words: string; code: number; said: string }[] = JSON.parse(
    readFileSync(join(project, "told.json"), "utf8"),
  );
  const found = told.flatMap(({ words, code, said: own }, at) =>
    code === (some[at]?.code ?? 0) ? [] : [`${words}: exit ${code} ${own}`],
  );
  // Commands of a bundle write where the process does.
  return found.length === 0 ? found : [...found, stderr];
}

/** Runs one until it prints what is waited for, does the work, and ends it. */
async function until(
  words: readonly string[],
  says: RegExp,
  work: (line: string) => Promise<void>,
): Promise<void> {
  const child = spawn(bin, words, { cwd: project, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!says.test(line)) continue;
      await work(line);
      return;
    }
    throw new Error(`${words.join(" ")} ended before it said ${says}`);
  } finally {
    child.kill("SIGTERM");
  }
}

test("each option of the table that help is printed from has a run", () => {
  const all = [...runs, ...runsBeside("http://x"), ...lasting, serving, { words: serving.handover }];
  const isRun = (name: string, option: string): boolean =>
    all.some(({ words }) => `${words.join(" ")} `.startsWith(`${name} `) && words.includes(option));
  const listed = listedCommands();
  expect(listed.flatMap(({ options }) => options).length).toBeGreaterThan(100);
  const missing = listed.flatMap(({ name, options }) =>
    options.filter((option) => !isRun(name, option)).map((option) => `${name} ${option}`),
  );
  expect(missing).toEqual([]);
});

test("those that end", { timeout: 300_000 }, () => {
  expect(wrong(runs)).toEqual([]);
});

test.each(lasting)("$words", { timeout: 60_000 }, ({ words, says }) =>
  until(words, says, async () => undefined),
);

test("those beside a server, and the one that hands over", { timeout: 120_000 }, async () => {
  const made = execFileSync(bin, ["key", "create", "--realm", "app", "--name", "beside", "--admin"], {
    ...{ cwd: project, env: environment, encoding: "utf8", stdio: "pipe" },
  });
  await until(serving.words, /"ready"/, async (line) => {
    const { realms }: { realms: readonly string[] } = JSON.parse(line);
    const url = new URL(realms[0] ?? "").origin;
    expect(wrong(runsBeside(url), { REALMC_KEY: made.trim() })).toEqual([]);
    execFileSync(bin, serving.handover, { cwd: project, env: environment, stdio: "pipe" });
  });
});
