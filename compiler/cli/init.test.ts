/** What `realmc init` says, and that it never writes over anything. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "./exit.ts";
import { type InitOptions, init as runInit } from "./init.ts";
import { createTerminal } from "./terminal.ts";

const home = process.cwd();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-init-"));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

async function init(
  place = ".",
  options: InitOptions = {},
): Promise<{ status: number; stdout: string; stderr: string }> {
  const written = { stdout: "", stderr: "" };
  const terminal = createTerminal({
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    environment: {},
  });
  const status = await runInit(place, options, terminal);
  return { status, ...written };
}

function install(name: string): void {
  mkdirSync(join(folder, "node_modules", name), { recursive: true });
  writeFileSync(join(folder, "node_modules", name, "package.json"), "{}");
}

function paths(): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
}

describe("realmc init", () => {
  it("names what it wrote, and the commands that come next", async () => {
    const { status, stdout, stderr } = await init("my shop");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("  config/app/realm.yaml\n");
    expect(stdout).toContain(`20 files written to my shop

Next:
  cd 'my shop'
  npm install
  npx realmc dev config

Then, in another terminal, an account:
  curl http://127.0.0.1:8080/v1/app/_auth/signup -H 'Content-Type: application/json' \\
    -d '{"email":"ada@example.com","password":"correct horse"}'

And the test of its function:
  npm test
`);
    expect(readdirSync(folder)).toEqual(["my shop"]);
  });

  it("completes the package.json of a folder that has realmc installed", async () => {
    install("realmc");
    install("typescript");
    install("@types/node");
    writeFileSync(join(folder, "package.json"), '{"devDependencies": {"realmc": "^0.1.0"}}');
    const { status, stdout } = await init();
    expect(status).toBe(0);
    expect(stdout).toContain("  package.json (completed)\n");
    expect(stdout).toContain("19 files written to this folder\n\nNext:\n  npx realmc dev config\n");
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
      scripts: { dev: "realmc dev config" },
      devDependencies: { realmc: "^0.1.0" },
    });
  });

  it("has what is not installed yet installed", async () => {
    install("realmc");
    expect((await init()).stdout).toContain("Next:\n  npm install\n  npx realmc dev config\n");
  });

  it("a second time: lists what is in the way, exits 1, and nothing changes", async () => {
    await init();
    writeFileSync(join(folder, "config/app/realm.yaml"), "mine");
    rmSync(join(folder, "tsconfig.json"));
    const before = paths();
    const { status, stdout, stderr } = await init();
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: 18 files are in the way, and nothing was written\n {2}\.gitattributes\n/);
    expect(stderr).toContain("  config/app/realm.yaml\n");
    expect(stderr).toMatch(/hint: --keep-existing leaves .*\n$/);
    expect(paths()).toEqual(before);
    expect(readFileSync(join(folder, "config/app/realm.yaml"), "utf8")).toBe("mine");
  });

  it("says how somebody's own package.json is no longer in the way", async () => {
    writeFileSync(join(folder, "package.json"), '{"name": "mine"}');
    const { status, stderr } = await init();
    expect(status).toBe(1);
    expect(stderr).toContain("error: a file is in the way, and nothing was written\n  package.json\n");
    expect(stderr).toContain("hint: after npm install --save-dev realmc, package.json is completed");
    expect(paths()).toEqual(["package.json"]);
  });

  it("--keep-existing: writes what is missing and leaves the rest", async () => {
    writeFileSync(join(folder, "package.json"), '{"name": "mine"}');
    writeFileSync(join(folder, ".gitignore"), "mine");
    const { status, stdout } = await init(".", { keepExisting: true });
    expect(status).toBe(0);
    expect(stdout).toContain(
      "  .gitignore (kept as it was)\n  package.json (kept as it was)\n18 files written",
    );
    expect(stdout).toContain("  npm install --save-dev realmc typescript @types/node\n");
    expect(readFileSync(join(folder, "package.json"), "utf8")).toBe('{"name": "mine"}');
    expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("mine");
    expect(paths()).toContain("config/app/work/tasks/schema.json");
  });

  it("says where the workflow belongs when the folder is not the top of its repository", async () => {
    mkdirSync(join(folder, ".git"));
    expect((await init("server")).stdout).toContain("move .github to this folder.\n");
    expect((await init(".", { keepExisting: true })).stdout).not.toContain("move .github");
  });

  it("what is no folder, or cannot be written to, is a wrong command line", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(init("file")).rejects.toThrow(new UsageError("file is no folder"));
    await expect(init("file/shop")).rejects.toThrow(UsageError);
  });
});
